#!/usr/bin/env python3
"""latency.py [KEYS]: the processor time of the server's main thread in single commands, and how long a second connection waits for PING.

One client creates filters of 200 sizes, grows one from 100 to KEYS (10 million) keys by BF.ADD and by BF.MADD of 1,000, merges, asks
STATS and saves, while another sends PING. Times by the clock include whatever else the machine does; processor times hardly do. Needs
MEMBRANE_REDIS_MODULE=<the module> (build/redis/membrane.so).
"""
import contextlib
import itertools
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'test', 'redis'))
from support.resp import pack  # noqa: E402
from support.server import served  # noqa: E402

KEYS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000


class Clock:
    """Processor time of the server's main thread, exact while the server waits for commands."""

    def __init__(self, pid):
        self.file = open(f'/proc/{pid}/task/{pid}/schedstat', encoding='ascii')

    def milliseconds(self):
        self.file.seek(0)
        return int(self.file.read().split()[0]) / 1e6


class Pinger(threading.Thread):
    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.worst, self.stopped = client, 0.0, False

    def run(self):
        while not self.stopped:
            start = time.perf_counter()
            self.client('PING')
            self.worst = max(self.worst, time.perf_counter() - start)
            time.sleep(0.001)


class Run:
    def __init__(self, server, client):
        self.client, self.clock = client, Clock(server.process.pid)

    def timed(self, commands):
        """Processor time of commands that are sent at once; the server is idle before and after."""
        message = b''.join(pack(*words) for words in commands)
        before = self.clock.milliseconds()
        self.client.socket.sendall(message)
        for _ in commands:
            self.client.read()
        return self.clock.milliseconds() - before

    def times(self, commands, at_once):
        commands = iter(commands)
        found = []
        while group := list(itertools.islice(commands, at_once)):
            found.append(self.timed(group))
        return found

    def part(self, name, commands, at_once=1):
        """The most and the median of commands, in milliseconds; with at_once, of so many together."""
        self.show(name, self.times(commands, at_once))

    def twice(self, name, commands_for, key, at_once=1):
        """The same for two keys with equal contents, of each command the lower time: interrupts of the machine are counted as the
        server's, and meet a command once in a million."""
        self.show(name, [min(pair) for pair in zip(*(self.times(commands_for(each), at_once) for each in (key, key + ' again')))])

    @staticmethod
    def show(name, times):
        worst = times.index(max(times))
        times.sort()
        print(f'| {name} | {len(times):,} | {times[len(times) // 2]:.3f} | {times[int(len(times) * 0.999)]:.3f} | {times[-1]:.3f} (of command {worst}) |', flush=True)


def main():
    with served() as (server, client):
        run = Run(server, client)
        print('| milliseconds of processor time | commands | median | 99.9 % | most |\n|---|---:|---:|---:|---:|')
        sizes = [int(100 * 1.06 ** i) for i in range(200)]
        run.twice('BF.RESERVE, 200 sizes', lambda key: (('BF.RESERVE', f'{key} {size}', '0.001', size) for size in sizes), 'bf')
        run.twice('CF.RESERVE, 200 sizes', lambda key: (('CF.RESERVE', f'{key} {size}', size) for size in sizes), 'cf')
        client('FLUSHALL')
        run.twice('BF.ADD from 100 keys on', lambda key: (('BF.ADD', key, i) for i in range(KEYS // 50)), 'one')
        run.twice('20 x BF.ADD at once, to all keys', lambda key: (('BF.ADD', key, i) for i in range(KEYS // 50, KEYS)), 'one', 20)
        run.twice('CF.ADD from 1024 keys on', lambda key: (('CF.ADD', key, i) for i in range(KEYS // 50)), 'cf')
        run.twice('BF.MADD of 1,000', lambda key: (('BF.MADD', key, *range(i, i + 1000)) for i in range(0, KEYS, 1000)), 'many')
        run.part('BF.MADD of 1,000 that are there', (('BF.MADD', 'many', *range(i, i + 1000)) for i in range(0, KEYS // 50, 1000)))
        run.part('BF.MEXISTS of 1,000', (('BF.MEXISTS', 'many', *range(i, i + 1000)) for i in range(0, KEYS // 50, 1000)))
        bits = 8 / client('BF.CARD', 'many')
        print(f"bits for each of {client('BF.CARD', 'many'):,} keys: {bits * client('BF.INFO', 'many', 'SIZE')[0]:.2f} of the filter, {bits * client('MEMORY', 'USAGE', 'many'):.2f} of memory")
        client('BF.RESERVE', 'k', '0.01', '1000')
        for first in range(0, 1_000_000, 1000):
            client('BF.MADD', 'k', *range(first, first + 1000))
        run.part('BF.MEXISTS of 1,000 strangers, one filter of a million keys', (('BF.MEXISTS', 'k', *(f's{first + i}' for i in range(1000))) for first in range(0, 500_000, 1000)))
        run.part('BF.MADD of 100,000 to a new key', [('BF.MADD', f'new {i}', *range(100_000)) for i in range(5)])
        run.part('CF.INSERT of 600 to a new key', [('CF.INSERT', f'few {i}', 'ITEMS', *range(600)) for i in range(20)])
        run.part('MBR.STATS', [('MBR.STATS', key) for key in ('one', 'cf', 'many', 'few 0', 'new 0')])
        run.part('BF.INFO', [('BF.INFO', key) for key in ('one', 'many', 'new 0')])
        for i in range(20):
            client('BF.RESERVE', f'part {i}', '0.01', '2000', 'HASHKEY', '00' * 16)
            client('BF.MADD', f'part {i}', *(f'{i} {j}' for j in range(2000)))
        run.part('MBR.MERGE of 20 filters of 2,000 keys', [('MBR.MERGE', 'union', *(f'part {i}' for i in range(20)))])
        with contextlib.closing(server.client()) as second:
            pinger = Pinger(second)
            pinger.start()
            for i in range(100):
                client('BF.RESERVE', f'again {i}', '0.01', 1000 * (i + 1))
            for i in range(0, 1_000_000, 1000):
                client('BF.MADD', 'beside', *range(i, i + 1000))
            for key in ('one', 'many', 'beside'):
                client('MBR.STATS', key)
            client('BGSAVE')
            while client.info('persistence')[b'rdb_bgsave_in_progress'] != b'0':
                time.sleep(0.05)
            pinger.stopped = True
            pinger.join()
            print(f'longest wait of PING by the clock: {1000 * pinger.worst:.1f} ms')


main()
