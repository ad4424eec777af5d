#!/usr/bin/env python3
"""Random operations on a filter beside a Counter of the keys that it must have: no false negative, whatever was done to it. Operations are
counted as the keys that they add, discard or ask for."""
import collections
import copy
import os
import pickle
import random
import sys
import tempfile
import unittest

import membrane

OPERATIONS = int(os.environ.get('MEMBRANE_OPERATIONS', '150000'))


class Twin:
    """A filter and what it must have."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.path = os.path.join(folder, 'twin.mbr')
        self.filter = membrane.Filter(self.random.choice([10, 1000, 20000]), self.random.choice([0.05, 0.001, 1e-5]), erase=True)
        self.keys = collections.Counter()
        self.operations = 0
        self.grown = self.filter.nbytes

    def some_key(self):
        form = self.random.randrange(4)
        number = self.random.randrange(100000)
        return (number, f'key {number}', number.to_bytes(4, 'big') + b'x', (number, 'pair'))[form]

    def some_keys(self):
        form = self.random.randrange(2)
        numbers = [self.random.randrange(100000) for _ in range(self.random.randrange(3000))]
        return [f'key {number}' for number in numbers] if form else numbers

    def add(self):
        key = self.some_key()
        self.filter.add(key)
        self.keys[key] += 1
        self.operations += 1

    def add_if_absent(self):
        key = self.some_key()
        if self.filter.add_if_absent(key):
            assert self.keys[key] == 0, key
            self.keys[key] += 1
        self.operations += 1

    def update(self):
        keys = self.some_keys()
        self.filter.update(keys)
        self.keys.update(keys)
        self.operations += len(keys)

    def discard(self):
        if self.keys:
            key = self.random.choice(list(self.keys))
            assert self.filter.discard(key) or self.keys[key] == 0
            self.keys[key] -= 1
            self.keys += collections.Counter()
            self.operations += 1

    def discard_many(self):
        keys = self.random.sample(list(self.keys), len(self.keys) // 3)
        assert self.filter.discard_many(keys) == len(keys)
        self.keys.subtract(keys)
        self.keys += collections.Counter()
        self.operations += len(keys)

    def merge(self):
        other = membrane.Filter(like=self.filter)
        keys = self.some_keys()
        other.update(keys)
        if self.random.random() < 0.5:
            self.filter |= other
        else:
            self.filter = self.filter | other
        self.keys.update(keys)
        self.operations += len(keys)

    def copy(self):
        way = self.random.randrange(6)
        before = self.filter
        if way == 0:
            self.filter = copy.copy(before)
        elif way == 1:
            self.filter = pickle.loads(pickle.dumps(before))
        elif way == 2:
            self.filter = membrane.Filter.frombytes(bytes(before))
        elif way == 3:
            before.save(self.path)
            self.filter = membrane.Filter.load(self.path)
        elif way == 4:
            before.save(self.path)
            self.filter = membrane.open(self.path).copy()
        else:
            self.filter = membrane.Filter.unpack(before.pack())
        assert self.filter == before
        self.operations += 1

    def resize(self):
        if self.random.random() < 0.5:
            self.filter.shrink()
        else:
            self.filter.reserve(self.random.randrange(200000))
        self.operations += 1

    def check(self):
        keys = list(self.keys)
        missing = [key for key, is_there in zip(keys, self.filter.contains(keys)) if not is_there]
        assert not missing, missing[:5]
        counts = self.filter.counts(keys)
        assert all(count >= self.keys[key] for key, count in zip(keys, counts))
        assert self.filter.insertions == sum(self.keys.values())
        self.operations += len(keys)

    STEPS = ['add'] * 30 + ['add_if_absent'] * 10 + ['discard'] * 20 + ['update'] * 3 + ['discard_many', 'merge', 'copy', 'resize', 'check']

    def run(self, operations):
        while self.operations < operations:
            getattr(self, self.random.choice(self.STEPS))()
        self.check()
        return self.operations


class RandomOperations(unittest.TestCase):
    def test_no_false_negative(self):
        done = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(1, 6):
                done += Twin(seed, folder).run(OPERATIONS // 5)
        print(f'{done} operations', file=sys.stderr)
        self.assertGreaterEqual(done, OPERATIONS)

    def test_hypothesis(self):
        try:
            import hypothesis
            from hypothesis import strategies
        except ImportError:
            self.skipTest('no hypothesis')
        key = strategies.recursive(strategies.one_of(strategies.text(strategies.characters(exclude_categories=['Cs']) if 'exclude_categories' in
                                                                     strategies.characters.__kwdefaults__ else
                                                                     strategies.characters(blacklist_categories=['Cs'])),
                                                     strategies.binary(), strategies.integers(-2**63, 2**64 - 1)),
                                   lambda part: strategies.tuples(part, part), max_leaves=3)

        @hypothesis.settings(max_examples=200, deadline=None, derandomize=True)
        @hypothesis.given(strategies.lists(key), strategies.lists(key), strategies.floats(1e-9, 0.5))
        def holds(first, second, fpr):
            a = membrane.Filter(max(1, len(first) // 2), fpr)
            a.update(first)
            b = membrane.Filter(like=a)
            b.update(second)
            both = membrane.Filter.frombytes(pickle.loads(pickle.dumps(bytes(a | b))))
            assert all(both.contains(first + second))
            assert all(key in both for key in first + second)
            assert all(a.contains(first)) and all(b.contains(second))
        holds()


if __name__ == '__main__':
    unittest.main()
