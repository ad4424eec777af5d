#!/usr/bin/env python3
"""table.py [--large]: nanoseconds a key of the package for Python, beside a set and beside the batches of C++, in one run.

`./dev python --measure` builds what it needs and runs it; --large adds a hundred million keys (3 GB of memory, three minutes). Every figure is
the best of several rounds, in which the subjects take turns. The filters are those of membrane.Filter(n, 0.001).
"""
import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy

import membrane

FPR = 0.001
MILLION = 10**6


def seconds(work, *made):
    """How long work(*made) takes."""
    begin = time.perf_counter()
    work(*made)
    return time.perf_counter() - begin


def best_of(subjects, keys, rounds):
    """Nanoseconds a key of each subject, a function that returns seconds. They take turns."""
    best = dict.fromkeys(subjects, float('inf'))
    gc.disable()
    for _ in range(rounds):
        for name, measure in subjects.items():
            best[name] = min(best[name], measure() / keys * 1e9)
    gc.enable()
    return best


class Cpp:
    """The same filter and keys, in a program in C++."""

    def __init__(self, path, count):
        program = os.environ['MEMBRANE_PYTHON_BESIDE']
        self.process = subprocess.Popen([program, path, str(count), str(FPR)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, what):
        """Of one batch."""
        self.process.stdin.write(what + '\n')
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        """End the program."""
        self.process.stdin.close()
        self.process.wait()


def row(what, ours, other=None, name=''):
    beside = '' if other is None else f'{other:8.1f}  {name:<5} {ours / other:6.2f}'
    print(f'{what:<58}{ours:8.1f}  {beside}'.rstrip(), flush=True)


def add_all(to, keys):
    add = to.add
    for key in keys:
        add(key)


def ask_all(where, keys):
    for key in keys:
        key in where  # pylint: disable=pointless-statement


def one_by_one(name, keys, strangers):
    """`add` and `in` beside a set. The loop itself is part of both."""
    seen, exact = membrane.Filter(len(keys), FPR), set(keys)
    seen.update(keys)
    best = best_of({'add': lambda: seconds(add_all, membrane.Filter(len(keys), FPR), keys),
                    'set add': lambda: seconds(add_all, set(), keys),
                    'present': lambda: seconds(ask_all, seen, keys), 'set present': lambda: seconds(ask_all, exact, keys),
                    'absent': lambda: seconds(ask_all, seen, strangers), 'set absent': lambda: seconds(ask_all, exact, strangers)},
                   len(keys), 5)
    row(f'add, {name}', best['add'], best['set add'], 'set')
    for side in ('present', 'absent'):
        row(f'in, {name}, {side}', best[side], best['set ' + side], 'set')


def arrays(count, rounds):
    """Batches of uint64 beside C++."""
    keys = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9e3779b97f4a7c15)
    seen = membrane.Filter(count, FPR)
    seen.update(keys)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'asked.mbr')
        seen.save(path)
        cpp = Cpp(path, count)
        subjects = {'contains': lambda: seconds(seen.contains, keys), 'C++ contains': lambda: cpp.seconds('contains'),
                    'update': lambda: seconds(membrane.Filter(count, FPR).update, keys), 'C++ update': lambda: cpp.seconds('update')}
        best = best_of(subjects, count, rounds)
        cpp.close()
    for name in ('contains', 'update'):
        row(f'{name}, numpy uint64, {count:,} keys', best[name], best['C++ ' + name], 'C++')


def texts(count):
    """Batches of bytes and text."""
    names = [f'user{i}@example.org' for i in range(count)]
    digests = numpy.frombuffer(random.Random(1).randbytes(16 * count), dtype='V16')
    offsets = numpy.array([0] + [len(name) for name in names], dtype=numpy.int32).cumsum(dtype=numpy.int32)
    packed = membrane.Strings(offsets, ''.join(names).encode())
    subjects = {}
    for name, keys in (('16 bytes each (numpy V16)', digests), ("text in Arrow's buffers", packed), ('list of str', names)):
        seen = membrane.Filter(count, FPR)
        seen.update(keys)
        subjects[f'contains, {name}, {count:,} keys'] = lambda seen=seen, keys=keys: seconds(seen.contains, keys)
        subjects[f'update, {name}, {count:,} keys'] = lambda keys=keys: seconds(membrane.Filter(count, FPR).update, keys)
    subjects['set'] = lambda: seconds(set().update, names)
    best = best_of(subjects, count, 7)
    of_set = best.pop('set')
    for name, taken in best.items():
        row(name, taken, *((of_set, 'set') if name.startswith('update, list') else ()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--large', action='store_true', help='also batches of a hundred million keys')
    chosen = parser.parse_args()
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        print(next((line.split(':')[1].strip() for line in file if line.startswith('model name')), '?'), end=', ')
    print(f'Python {".".join(map(str, sys.version_info[:3]))}, numpy {numpy.__version__}, membrane {membrane.__version__}')
    print(f'{"nanoseconds a key":<58}{"Filter":>8}  {"beside":>8}         ratio')
    chance = random.Random(1)
    in_order = list(range(MILLION))
    shuffled = chance.sample(range(2**40), 2 * MILLION)
    names = [f'user{i}@example.org' for i in shuffled]
    one_by_one('int in order, 1,000,000 keys', in_order, list(range(MILLION, 2 * MILLION)))
    one_by_one('int at random, 1,000,000 keys', shuffled[:MILLION], shuffled[MILLION:])
    one_by_one('str, 1,000,000 keys', names[:MILLION], names[MILLION:])
    del shuffled, names, in_order
    arrays(MILLION, 9)
    if chosen.large:
        arrays(100 * MILLION, 3)
    texts(MILLION)


if __name__ == '__main__':
    main()
