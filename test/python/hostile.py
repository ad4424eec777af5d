#!/usr/bin/env python3
"""What no caller should pass: changed bytes, and every call with values of every type. Each ends with an answer or with an exception that Python
users expect, and the filter is as before if it was an exception."""
import array
import os
import random
import tempfile
import unittest

import membrane

EXPECTED = (TypeError, ValueError, OverflowError, MemoryError, KeyError, OSError)
VALUES = [None, True, 0, -1, 5, 2**63, 2**64, 1e300, float('nan'), 1.5, '', 'text', '\ud800', b'', b'bytes', bytearray(b'x'), memoryview(b'xy')[::2], (),
          (1, ('a', None)), [], [1, None], {1}, {'a': 1}, iter([1, 2.5]), array.array('d', [1]), array.array('q'), range(3), object(), type, len,
          membrane.Strings([0, 1], b'a'), membrane.Strings(array.array('i', [0, 9]), b'a'), membrane.Strings(None, None)]


class Hostile(unittest.TestCase):
    def test_changed_bytes(self):
        chance = random.Random(5)
        older = membrane.Filter(300, 0.01, erase=True)
        older.update(range(300))
        newer = older.copy()
        newer.update(range(300, 400))
        words = membrane.CountMin(0.01, 0.01)
        words.update(range(100))
        makers = [(bytes(older), membrane.Filter.frombytes), (older.pack(), lambda data: membrane.Filter.unpack(data, 10**7)),
                  (newer.diff(older), lambda data: older.patched(data, 10**7)), (bytes(words), membrane.CountMin.frombytes)]
        refused = 0
        for round in range(4000):
            data, make = makers[round % len(makers)]
            changed = bytearray(data)
            for _ in range(chance.choice([1, 1, 2, 8])):
                changed[chance.randrange(len(changed))] = chance.choice([0, 1, 127, 255, chance.randrange(256)])
            del changed[chance.choice([len(changed), len(changed), chance.randrange(len(changed))]):]
            try:
                made = make(changed)
                made.update(range(1000, 1010))
                self.assertTrue(all(made.contains(range(1000, 1010))))
            except EXPECTED:
                refused += 1
        self.assertGreater(refused, 3000)

    def test_every_call_with_every_value(self):
        makers = {'grows': lambda: membrane.Filter(100, 0.01, erase=True), 'bloom': lambda: membrane.Filter(100, 0.01, kind='bloom'),
                  'words': membrane.CountMin}
        for name, make in makers.items():
            calls = [each for each in dir(make()) if callable(getattr(make(), each)) and each not in ('__class__', '__init_subclass__', '__class_getitem__')]
            for call in calls:
                for arguments in ([value] for value in VALUES):
                    self.one_call(name, make(), call, arguments)
                for _ in range(20):
                    self.one_call(name, make(), call, random.Random(_).sample(VALUES, 2))

    def one_call(self, name, seen, call, arguments):
        seen.update(range(50))
        before = bytes(seen)
        old = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:  # for files named 'text'
            os.chdir(folder)
            try:
                getattr(seen, call)(*arguments)
            except EXPECTED + (AttributeError,):
                if not seen.closed and call not in ('update', 'discard_many', '_update', '_discard_many', 'update_if_absent', '_update_if_absent'):
                    self.assertEqual(bytes(seen), before, (name, call, arguments))
            finally:
                os.chdir(old)


if __name__ == '__main__':
    unittest.main()
