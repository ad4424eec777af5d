#!/usr/bin/env python3
"""Four threads read a filter, one by one and in batches without the GIL, while another one adds, discards, merges and resizes it: no key that
was added before the question is ever missing, and nothing breaks. MEMBRANE_SECONDS says how long."""
import array
import os
import sys
import threading
import time
import unittest

import membrane

SECONDS = float(os.environ.get('MEMBRANE_SECONDS', '3'))


class Threads(unittest.TestCase):
    def run_threads(self, *works):
        self.faults = []
        self.is_over = False

        def guarded(work):
            try:
                while not self.is_over:
                    work()
            except BaseException as problem:  # pylint: disable=broad-except
                self.faults.append(problem)
                self.is_over = True
        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        end = time.time() + SECONDS
        while time.time() < end and not self.is_over:
            time.sleep(0.05)
        self.is_over = True
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive(), 'a thread waits for ever')
        if self.faults:
            raise self.faults[0]

    def test_readers_and_a_writer(self):
        kept = list(range(20000))
        seen = membrane.Filter(1000, 0.001, erase=True)
        seen.update(kept)
        batch = array.array('Q', kept)
        texts = [f'text {i}' for i in range(5000)]
        seen.update(texts)
        done = {'single': 0, 'batch': 0, 'list': 0, 'write': 0}

        def read_singly():
            for key in kept[:3000]:
                assert key in seen, key
            done['single'] += 3000

        def read_batch():
            assert all(seen.contains(batch))
            done['batch'] += len(batch)

        def read_list():
            assert all(seen.contains(texts))
            done['list'] += len(texts)

        def read_whole():
            assert membrane.Filter.frombytes(bytes(seen)).insertions >= 25000
            assert seen == seen and seen.approx_len > 20000 and seen.info()['keys'] >= 25000

        rounds = 0

        def write():
            nonlocal rounds
            first = 10**6 * (rounds % 50 + 1)
            more = array.array('Q', range(first, first + 30000))
            seen.update(more)
            assert all(seen.contains(more))
            other = membrane.Filter(like=seen)
            other.update([f'other {i}' for i in range(1000)])
            seen.merge(other)
            assert seen.discard_many(more) == 30000
            assert seen.discard_many([f'other {i}' for i in range(1000)]) == 1000
            for key in range(first, first + 500):
                seen.add(key)
            for key in range(first, first + 500):
                assert seen.discard(key)
            seen.shrink()
            rounds += 1
            done['write'] += 62000
        self.run_threads(read_singly, read_batch, read_batch, read_list, read_whole, write)
        print(f'{SECONDS} s: {done}', file=sys.stderr)
        self.assertTrue(all(done.values()), done)
        self.assertEqual(seen.insertions, 25000)

    def test_two_that_merge_into_each_other(self):
        a = membrane.Filter(1000, 0.001)
        b = membrane.Filter(like=a)
        a.update(range(1000))
        b.update(range(1000, 2000))
        merges = [0, 0]

        def one_way():
            a.merge(b)
            merges[0] += 1

        def other_way():
            b.merge(a)
            merges[1] += 1
        self.run_threads(one_way, other_way, lambda: a.contains(range(1000)), lambda: a == b)
        self.assertTrue(all(merges))
        self.assertTrue(all(a.contains(range(1000))) and all(b.contains(range(1000, 2000))))

    def test_close_waits_for_batches(self):
        batch = array.array('Q', range(300000))
        for _ in range(20):
            seen = membrane.Filter(1000, 0.01, kind='blocked_bloom')
            asked = threading.Event()

            def ask():
                asked.set()
                try:
                    seen.contains(batch)
                except ValueError as problem:
                    assert 'closed' in str(problem)
            thread = threading.Thread(target=ask)
            thread.start()
            asked.wait()
            seen.close()
            thread.join()

    def test_the_gil_is_given_up(self):
        # While one thread is in a batch, this one runs.
        seen = membrane.Filter(10**6, 0.01)
        batch = array.array('Q', range(3 * 10**6))
        is_done = threading.Event()

        def ask():
            seen.contains(batch)
            is_done.set()
        old = sys.getswitchinterval()
        thread = threading.Thread(target=ask)
        thread.start()
        steps = 0
        while not is_done.is_set():
            steps += 1
        thread.join()
        sys.setswitchinterval(old)
        self.assertGreater(steps, 1000)


if __name__ == '__main__':
    unittest.main()
