#!/usr/bin/env python3
"""measure.py [KEYS]: compares the module with the server's sets, in one run, on one connection, with pipelines of 100.

Each row is the median of rounds that alternate between the two commands, so that other load on the machine affects both. Needs
MEMBRANE_REDIS_MODULE=<the module> (build/redis/membrane.so).
"""
import os
import socket
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'test', 'redis'))
from support.resp import pack  # noqa: E402
from support.server import served  # noqa: E402

KEYS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 200000
ROUNDS = 7
DEPTH = 100


class Wire:
    """Sends packed commands and waits for replies of known length: nearly all time is spent in the server."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run(self, messages, reply_bytes):
        start = time.perf_counter()
        for message, wanted in zip(messages, reply_bytes):
            self.socket.sendall(message)
            while wanted > 0:
                got = len(self.socket.recv(1 << 16))
                assert got, 'the server closed the connection'
                wanted -= got
        return time.perf_counter() - start


def pipelines(command, key, items):
    messages = [b''.join(pack(command, key, item) for item in items[first:first + DEPTH]) for first in range(0, len(items), DEPTH)]
    return messages, [4 * min(DEPTH, len(items) - first) for first in range(0, len(items), DEPTH)]


def batches(command, key, items, size=1000):
    messages = [pack(command, key, *items[first:first + size]) for first in range(0, len(items), size)]
    counts = [min(size, len(items) - first) for first in range(0, len(items), size)]
    return messages, [len(b'*%d\r\n' % count) + 4 * count for count in counts]


def server_seconds(client):
    """Processor time of the server's main thread, which other load on the machine changes least."""
    fields = client.info('cpu')
    return float(fields[b'used_cpu_user_main_thread']) + float(fields[b'used_cpu_sys_main_thread'])


def compare(wire, client, prepare, ours, theirs):
    """Keys per second of both commands: (by the clock, by the server's processor time), medians of alternating rounds."""
    times = [], []
    for _ in range(ROUNDS):
        for which, (messages, replies) in enumerate((ours, theirs)):
            prepare(client)
            before = server_seconds(client)
            elapsed = wire.run(messages, replies)
            times[which].append((elapsed, server_seconds(client) - before))
    return [[KEYS / statistics.median(each) for each in zip(*way)] for way in times]


def print_sizes(client):
    """Bits for each key of filters with as many keys as they were made for, and of one that has grown."""
    def bits(name, options, capacity, keys):
        client('BF.RESERVE', 'sized', '0.01', capacity, *options)
        for first in range(0, keys, 10000):
            client('BF.MADD', 'sized', *range(first, min(first + 10000, keys)))
        print(f"bits for each of {keys:,} keys, BF.RESERVE k 0.01 {capacity}{name}: {8 * client('MEMORY', 'USAGE', 'sized') / keys:.1f}")
        client('DEL', 'sized')

    for keys in (100000, 300000, 1000000):
        for options in ((), ('GROWTO', str(16 * keys)), ('NONSCALING',)):
            bits(''.join(f' {word}' for word in options), options, keys, keys)
    bits('', (), 1000, 1000000)


def main():
    members = [f'member:{i:09d}' for i in range(KEYS)]
    asked = [f'{"member" if i % 2 else "absent"}:{i:09d}' for i in range(KEYS)]
    with served() as (server, client):
        wire = Wire(server.port)

        def empty(run):
            run('DEL', 'set', 'bf')
            run('BF.RESERVE', 'bf', '0.01', KEYS, 'EXPANSION', '2')

        def nothing(_):
            pass

        rows = []

        def row(name, prepare, ours, theirs):
            rows.append((name, *compare(wire, client, prepare, ours, theirs)))

        row('BF.ADD : SADD', empty, pipelines('BF.ADD', 'bf', members), pipelines('SADD', 'set', members))
        empty(client)
        for first in range(0, KEYS, 1000):
            client('BF.MADD', 'bf', *members[first:first + 1000])
            client('SADD', 'set', *members[first:first + 1000])
        row('BF.EXISTS : SISMEMBER', nothing, pipelines('BF.EXISTS', 'bf', asked), pipelines('SISMEMBER', 'set', asked))
        row('BF.MEXISTS of 1000 : BF.EXISTS', nothing, batches('BF.MEXISTS', 'bf', asked), pipelines('BF.EXISTS', 'bf', asked))
        row('SMISMEMBER of 1000 : SISMEMBER', nothing, batches('SMISMEMBER', 'set', asked), pipelines('SISMEMBER', 'set', asked))
        row('BF.MEXISTS : SMISMEMBER, of 1000', nothing, batches('BF.MEXISTS', 'bf', asked), batches('SMISMEMBER', 'set', asked))
        print(f'{KEYS} keys of 16 bytes, pipelines of {DEPTH}, median of {ROUNDS} rounds\n')
        print('| | keys/s | keys/s | ratio | ratio by processor time |\n|---|---:|---:|---:|---:|')
        for name, (ours, ours_cpu), (theirs, theirs_cpu) in rows:
            print(f'| {name} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} | {ours_cpu / theirs_cpu:.2f} |')
        bytes_per_key = {key: client('MEMORY', 'USAGE', key, 'SAMPLES', 0) / KEYS for key in ('bf', 'set')}
        print(f'\nmemory: {bytes_per_key["bf"]:.2f} bytes a key (BF, 1 % error), {bytes_per_key["set"]:.1f} (SET): '
              f'{bytes_per_key["set"] / bytes_per_key["bf"]:.0f} times')
        print_sizes(client)


main()
