#!/usr/bin/env python3
"""latency.py [--short]: the processor time of the server's main thread in single commands, and how long a second connection waits for PING.

One client creates filters of 200 sizes, grows filters from 100 to 10 million keys by BF.ADD and by BF.MADD of 1,000, merges, asks STATS,
dumps and saves, while another one sends PING. --short: 200,000 keys, and processor times beyond the limits below are errors.

*Beside its keys* is what a command took more than the median of the hundred commands around it, which add or ask as many keys: creating,
growing, moving. Times by the clock include whatever else the machine does, processor times hardly do; interrupts, which are counted as the
server's, meet a command once in a million: where commands can be repeated on a second key, the lower of both times is taken. Needs
MEMBRANE_REDIS_MODULE=<the module> (build/redis/membrane.so).
"""
import argparse
import contextlib
import itertools
import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'test', 'redis'))
from support.resp import pack  # noqa: E402
from support.server import served  # noqa: E402

# Milliseconds, of --short.
MOST_BESIDE_KEYS = 2
MOST_OF_RESERVE = 0.5
MOST_OF_REPORTS = 5


class Clock:
    """Processor time of the server's main thread, exact while the server waits for commands."""

    def __init__(self, pid):
        self.file = open(f'/proc/{pid}/task/{pid}/schedstat', encoding='ascii')

    def milliseconds(self):
        self.file.seek(0)
        return int(self.file.read().split()[0]) / 1e6


class Pinger(threading.Thread):
    """Sends PING every few milliseconds; the waits since the last question."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.waits, self.is_stopped = client, [], False

    def run(self):
        while not self.is_stopped:
            start = time.perf_counter()
            self.client('PING')
            self.waits.append(1000 * (time.perf_counter() - start))
            time.sleep(0.005)

    def longest_wait(self):
        waits, self.waits = self.waits, []
        return max(waits, default=0)


def beside_keys(times, around=100):
    """What each command took more than the median of those around it."""
    medians = [statistics.median(times[first:first + around]) for first in range(0, len(times), around)]
    return [took - medians[i // around] for i, took in enumerate(times)]


class Run:
    def __init__(self, server, client, pinger):
        self.client, self.clock, self.pinger, self.problems = client, Clock(server.process.pid), pinger, []

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

    def part(self, name, commands, at_once=1, most=None):
        """Commands of a row; with at_once, so many together count as one."""
        self.show(name, self.times(commands, at_once), most)

    def twice(self, name, commands_for, key, at_once=1, most=None):
        """The same for two keys with equal contents, of each command the lower time."""
        self.show(name, [min(pair) for pair in zip(*(self.times(commands_for(each), at_once) for each in (key, key + ' again')))], most)

    def show(self, name, times, most):
        """`most`: the limit of a whole command; none: commands have keys, and what they take beside them has the limit."""
        beside = max(beside_keys(times)) if most is None else None
        ordered = sorted(times)
        words = '' if beside is None else f'{beside:.3f}'
        print(f'| {name} | {len(times):,} | {ordered[len(times) // 2]:.3f} | {ordered[int(len(times) * 0.999)]:.3f} | {ordered[-1]:.3f} | {words} '
              f'| {self.pinger.longest_wait():.1f} |', flush=True)
        limit, took = (MOST_BESIDE_KEYS, beside) if most is None else (most, ordered[-1])
        if took > limit:
            self.problems.append(f'{name}: {took:.3f} ms, at most {limit}')


def dump_in_growth(run, key, first):
    """SCANDUMP ends a growth in steps; DUMP at once."""
    client = run.client
    first = client.add_until_growing('BF.ADD', key, first)
    iterator, steps, chunks = 0, [], []
    while True:
        start = run.clock.milliseconds()
        iterator, data = client('BF.SCANDUMP', key, iterator)
        if iterator == 0:
            break
        (chunks if data else steps).append(run.clock.milliseconds() - start)
    run.show('a step of `BF.SCANDUMP` in a growth', steps, MOST_BESIDE_KEYS)
    run.show('a chunk of `BF.SCANDUMP`, 1 MB', chunks, float('inf'))
    run.part('`DUMP` of it', [('DUMP', key)] * 3, most=float('inf'))
    client.add_until_growing('BF.ADD', key, first)
    run.part('`DUMP` of it in a growth', [('DUMP', key)], most=float('inf'))


def measure(run, keys):
    client, first_keys, asked = run.client, keys // 50, max(keys // 10, 100_000)
    print('| milliseconds of processor time | commands | median | 99.9 % | most | beside its keys | PING waited |\n|---|---:|---:|---:|---:|---:|---:|')
    sizes = [int(100 * 1.06 ** i) for i in range(200)]
    run.twice('`BF.RESERVE`, 200 sizes', lambda key: (('BF.RESERVE', f'{key} {size}', '0.001', size) for size in sizes), 'bf', most=MOST_OF_RESERVE)
    run.twice('`CF.RESERVE`, 200 sizes', lambda key: (('CF.RESERVE', f'{key} {size}', size) for size in sizes), 'cf', most=MOST_OF_RESERVE)
    client('FLUSHALL')
    run.twice(f'`BF.ADD`, from 100 to {first_keys:,} keys', lambda key: (('BF.ADD', key, i) for i in range(first_keys)), 'one')
    run.twice(f'20 `BF.ADD` at once, to {keys:,} keys', lambda key: (('BF.ADD', key, i) for i in range(first_keys, keys)), 'one', 20)
    run.twice(f'`CF.ADD`, from 1,024 to {first_keys:,} keys', lambda key: (('CF.ADD', key, i) for i in range(first_keys)), 'cf')
    run.twice(f'`BF.MADD` of 1,000, from 100 to {keys:,} keys', lambda key: (('BF.MADD', key, *range(i, i + 1000)) for i in range(0, keys, 1000)), 'many')
    run.part('`BF.MADD` of 1,000 that are there', (('BF.MADD', 'many', *range(i, i + 1000)) for i in range(0, keys, 50_000)))
    client('BF.RESERVE', 'rank', '0.01', '25000', 'KIND', 'rank')  # 37 KB
    for first in range(0, 25_000, 1000):
        client('BF.MADD', 'rank', *range(first, first + 1000))
    run.part('`MBR.STATS`, also of a `rank`', [('MBR.STATS', key) for key in ('one', 'cf', 'many', 'rank')] * 5, most=MOST_OF_REPORTS)
    run.part('`BF.INFO`', [('BF.INFO', key) for key in ('one', 'many', 'rank')] * 5, most=MOST_OF_RESERVE)
    for i in range(20):
        client('BF.RESERVE', f'part {i}', '0.01', '2000', 'HASHKEY', '00' * 16)
        client('BF.MADD', f'part {i}', *(f'{i} {j}' for j in range(2000)))
    run.part('`MBR.MERGE` of 20 filters of 2,000 keys', [('MBR.MERGE', f'union {i}', *(f'part {i}' for i in range(20))) for i in range(3)], most=float('inf'))
    run.part('`BF.MADD` of 100,000 to a new key', [('BF.MADD', f'new {i}', *range(100_000)) for i in range(3)], most=float('inf'))
    run.part('`CF.INSERT` of 600 to a new key', [('CF.INSERT', f'few {i}', 'ITEMS', *range(600)) for i in range(20)], most=MOST_BESIDE_KEYS)
    client('BF.RESERVE', 'k', '0.01', '1000')
    for first in range(0, asked, 1000):
        client('BF.MADD', 'k', *range(first, first + 1000))
    run.part(f'`BF.MEXISTS` of 1,000 strangers, {asked:,} keys', (('BF.MEXISTS', 'k', *(f's{first + i}' for i in range(1000))) for first in range(0, asked // 2, 1000)))
    dump_in_growth(run, 'k', asked)
    run.part('`BGSAVE`: the fork', [('BGSAVE',)], most=float('inf'))
    while client.info('persistence')[b'rdb_bgsave_in_progress'] != b'0':
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--short', action='store_true', help='200,000 keys, and limits')
    wanted = parser.parse_args()
    with served() as (server, client), contextlib.closing(server.client()) as second:
        pinger = Pinger(second)
        run = Run(server, client, pinger)
        pinger.start()
        measure(run, 200_000 if wanted.short else 10_000_000)
        pinger.is_stopped = True
        pinger.join()
        # Sanitizers take many times as long.
        if wanted.short and not os.environ.get('MEMBRANE_REDIS_PRELOAD'):
            assert not run.problems, run.problems


main()
