#!/usr/bin/env python3
"""membrane.Filter, MappedFilter and CountMin as a Python user meets them: keys, set-like calls, files, copies, errors."""
import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

import membrane


class Keys(unittest.TestCase):
    def setUp(self):
        self.seen = membrane.Filter(1000, 1e-6)

    def test_text_is_its_utf8(self):
        for text in ('', 'a', 'a\0', 'üñ\U0001f600', 'x' * 10000):
            self.assertNotIn(text, self.seen)
            self.seen.add(text)
            for same in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
                self.assertIn(same, self.seen)

    def test_integers_are_values_of_64_bits(self):
        for number in (0, 1, -1, -2**63, 2**63 - 1, 2**63 + 5, 2**64 - 2):
            self.seen.add(number)
            self.assertIn(number, self.seen)
        # 64 bits: -1 and 2**64 - 1 are one key.
        self.assertIn(2**64 - 1, self.seen)
        for number in (2**64, -2**63 - 1, 10**30):
            with self.assertRaises(OverflowError):
                self.seen.add(number)

    def test_types_do_not_meet(self):
        self.seen.add(1)
        self.assertNotIn('1', self.seen)
        self.assertNotIn(b'1', self.seen)
        self.assertNotIn((1,), self.seen)
        for refused in (True, False, 1.0, None, object(), [1], {1}, slice(1), '\ud800'):
            for call in (self.seen.add, self.seen.__contains__, self.seen.add_if_absent):
                with self.assertRaises(UnicodeEncodeError if isinstance(refused, str) else TypeError):
                    call(refused)
        with self.assertRaisesRegex(TypeError, r'str, bytes, bytearray, memoryview, int or a tuple of them, not bool; write int\(key\)'):
            self.seen.add(True)

    def test_tuples(self):
        for key in ((), (1,), (1, 'a'), ('a', 1), (('a', 1), 2), ('a', (1, 2))):
            self.assertNotIn(key, self.seen)
            self.seen.add(key)
            self.assertIn(key, self.seen)
        endless = ()
        for _ in range(100000):
            endless = (endless,)
        with self.assertRaises(RecursionError):
            self.seen.add(endless)

    def test_hashes_do_not_depend_on_the_process(self):
        program = ("import membrane; f = membrane.Filter(10, 0.1, hash_key=bytes(range(16))); "
                   "print([f.key_hash(k).hex() for k in ('a', 1, (1, 'a'))])")
        found = {subprocess.run([sys.executable, '-c', program], env={**os.environ, 'PYTHONHASHSEED': seed}, capture_output=True,
                                text=True, check=True).stdout for seed in '123'}
        self.assertEqual(len(found), 1)

    def test_a_key_of_ones_own_leaves_the_hash_function(self):
        self.assertEqual(membrane.Filter(10, 0.1).info()['hash'], 'fold')
        made = membrane.Filter(10, 0.1, hash_key=bytes(range(16)))
        self.assertEqual(made.info()['hash'], 'fold')
        self.assertEqual(made.info(hash_key=True)['hash_key'], bytes(range(16)).hex())
        # The table of doc/format.md: two words, the lowest byte first.
        self.assertEqual(made.key_hash('membrane').hex(), '7c8dcebffdc63a3e227de3a129844dff')
        self.assertEqual(made.key_hash(42).hex(), (0x762561c0f0e17f1a).to_bytes(8, 'little').hex() + (0xca8f99c2ad909a0b).to_bytes(8, 'little').hex())

    def test_subclasses(self):
        class Text(str):
            def __hash__(self):
                raise AssertionError('asked for its hash')
        self.seen.add(Text('x'))
        self.assertIn('x', self.seen)


class SetLike(unittest.TestCase):
    def test_one_by_one(self):
        seen = membrane.Filter(1000, 0.001, erase=True)
        self.assertFalse(seen)
        self.assertIsNone(seen.add('a'))
        self.assertTrue(seen)
        self.assertFalse(seen.add_if_absent('a'))
        self.assertTrue(seen.add_if_absent('b'))
        seen.add('a')
        self.assertEqual((seen.count('a'), seen.count('b'), seen.count('c')), (2, 1, 0))
        self.assertTrue(seen.discard('a'))
        self.assertIn('a', seen)
        self.assertTrue(seen.discard('a'))
        self.assertFalse(seen.discard('a'))
        self.assertNotIn('a', seen)
        with self.assertRaises(KeyError):
            seen.remove('a')
        seen.remove('b')
        self.assertEqual(seen.insertions, 0)

    def test_iterables(self):
        seen = membrane.Filter(10000, 1e-6, erase=True)
        seen.update(['a', 1], (2, b'c'), (str(i) for i in range(10000)), {7: 1}, {8}, range(20, 30))
        self.assertEqual(seen.contains(['a', 1, 2, 'c', '9999', 7, 8, 25, 'nope']), [True] * 8 + [False])
        self.assertEqual(list(seen.contains(iter([1, 'nope']))), [True, False])
        self.assertEqual(seen.counts(['a', 'nope']), [1, 0])
        self.assertEqual(seen.update_if_absent(['a', 'new', 'new']), [False, True, False])
        self.assertEqual(seen.discard_many(['a', 'new', 'nope']), 2)
        for one_key in ('abc', b'abc', bytearray(b'abc'), memoryview(b'abc')):
            for call in (seen.update, seen.contains):
                with self.assertRaisesRegex(TypeError, 'is one: write'):
                    call(one_key)
        with self.assertRaises(TypeError):
            seen.contains(5)

    def test_a_refused_key_leaves_those_before_it(self):
        seen = membrane.Filter(100, 1e-6)
        with self.assertRaises(TypeError):
            seen.update(['a', 'b', 1.5, 'c'])
        self.assertEqual(seen.contains(['a', 'b', 'c']), [True, True, False])

        def breaks():
            yield 'd'
            raise LookupError
        with self.assertRaises(LookupError):
            seen.update(breaks())
        self.assertIn('d', seen)

    def test_a_list_that_changes_meanwhile(self):
        seen = membrane.Filter(100, 1e-6)
        keys = []

        class Number:
            def __index__(self):
                keys.clear()
                return 5
        keys.extend(['a', Number(), 'b'])
        seen.update(keys)
        self.assertEqual(seen.contains(['a', 5, 'b']), [True, True, False])

    def test_merging(self):
        a = membrane.Filter(1000, 0.001)
        b = membrane.Filter(like=a)
        a.update(range(1000))
        b.update(range(1000, 5000))
        both = a | b
        self.assertTrue(all(both.contains(range(5000))))
        self.assertFalse(all(a.contains(range(1000, 5000))))
        before = a
        a |= b
        self.assertIs(before, a)
        self.assertEqual(a, both)
        a |= a
        self.assertTrue(all(a.contains(range(5000))))
        with self.assertRaisesRegex(ValueError, 'like='):
            a | membrane.Filter(1000, 0.001)
        for wrong in ({1}, 5, None):
            with self.assertRaises(TypeError):
                a | wrong
            with self.assertRaises(TypeError):
                a |= wrong
        x = membrane.Filter(1000, 0.001, kind='bloom')
        y = membrane.Filter(like=x)
        x.update(['a', 'b'])
        y.update(['b', 'c'])
        self.assertEqual((x & y).contains(['a', 'b', 'c']), [False, True, False])
        x &= y
        self.assertEqual(x.contains(['a', 'b']), [False, True])
        with self.assertRaises(ValueError):
            a & b

    def test_equality_and_copies(self):
        a = membrane.Filter(1000, 1e-9)
        a.update(range(500))
        for twin in (copy.copy(a), copy.deepcopy(a), a.copy(), pickle.loads(pickle.dumps(a)), membrane.Filter.frombytes(bytes(a)),
                     membrane.Filter.frombytes(bytearray(a.tobytes())), membrane.Filter.unpack(a.pack())):
            self.assertEqual(twin, a)
            self.assertIs(type(twin), membrane.Filter)
            twin.add('new')
            self.assertNotEqual(twin, a)
            self.assertNotIn('new', a)
        self.assertNotEqual(a, {1})
        self.assertLess(len(a.pack()), len(bytes(a)))
        with self.assertRaises(TypeError):
            hash(a)
        a.clear()
        self.assertEqual(a, membrane.Filter(like=a))

    def test_growth(self):
        a = membrane.Filter(100, 0.001, grow_to=100000)
        sizes = [a.nbytes]
        a.update(range(100000))
        sizes.append(a.nbytes)
        a.reserve(10**6)
        sizes.append(a.nbytes)
        a.shrink()
        sizes.append(a.nbytes)
        self.assertGreater(a.lower_rate(0.1), 0)
        sizes.append(a.nbytes)
        self.assertTrue(sizes[0] < sizes[1] < sizes[2] > sizes[3] > sizes[4], sizes)
        self.assertTrue(all(a.contains(range(100000))))
        self.assertAlmostEqual(a.approx_len, 100000, delta=2000)

    def test_patches(self):
        older = membrane.Filter(1000, 0.001, erase=True)
        older.update(range(1000))
        newer = older.copy()
        newer.update(range(1000, 1100))
        newer.discard(5)
        patch = newer.diff(older)
        self.assertLess(len(patch), len(bytes(newer)))
        self.assertEqual(older.patched(patch), newer)
        with self.assertRaises(ValueError):
            newer.patched(patch)

    def test_refused_options(self):
        for arguments, names, expected in (((10, 2.0), {}, ValueError), ((10, 0), {}, ValueError), ((-1, 0.1), {}, ValueError),
                                           ((1.5, 0.1), {}, TypeError), (('10', 0.1), {}, TypeError), ((), {}, TypeError),
                                           ((10, 0.1), {'kind': 'nope'}, ValueError), ((10, 0.1), {'hash': 'md5'}, ValueError),
                                           ((10, 0.1), {'hash_key': b'short'}, ValueError), ((10, 0.1), {'nope': 1}, TypeError),
                                           ((1000, 0.1), {'grow_to': 10}, ValueError), ((1000, 0.1), {'bits_per_key': 9}, ValueError), ((10**9, 0.01), {'max_bytes': 1000}, ValueError),
                                           ((10, 0.1), {'hash': 'mix'}, ValueError), ((10, 0.1), {'hash': 'precomputed'}, ValueError)):
            with self.assertRaises(expected, msg=(arguments, names)):
                membrane.Filter(*arguments, **names)
        # What contradicts each other: both are named.
        for names in ({'kind': 'bloom', 'erase': True}, {'kind': 'blocked_bloom', 'count': True}, {'kind': 'rank', 'intersect': True},
                      {'kind': 'bloom', 'grow_to': 1000}, {'kind': 'balanced_rank:form=fixed', 'grow': True},
                      {'fixed': True, 'grow_to': 1000}, {'fixed': True, 'grow': True}):
            with self.assertRaises(ValueError, msg=names) as caught:
                membrane.Filter(10, 0.1, **names)
            for name in names:
                self.assertIn(name, str(caught.exception))
            self.assertNotIn('make it with', str(caught.exception))
        for make in (membrane.Filter, membrane.plan):
            with self.assertRaisesRegex(ValueError, 'grow_to is not less than keys'):
                make(1000, 0.1, grow_to=999)
        for several in ('contains', 'update', 'update_if_absent'):
            for one in (5, 'a', b'a', True):
                with self.assertRaisesRegex(TypeError, 'takes many keys, and .* is one: write `key in f`'):
                    getattr(membrane.Filter(10, 0.1), several)(one)
        with self.assertRaisesRegex(ValueError, 'intersect=True'):
            membrane.Filter(10, 0.1) & membrane.Filter(10, 0.1)
        with self.assertRaises(MemoryError):
            membrane.Filter(10**13, 0.01)
        plain = membrane.Filter(10, 0.1)
        for call in (plain.discard, plain.count, lambda key: plain.discard_many([key]), lambda key: plain.counts([key])):
            with self.assertRaisesRegex(ValueError, 'erase=True'):
                call('a')
        with self.assertRaises(TypeError):
            membrane.Filter(10, like=plain)
        with self.assertRaises(TypeError):
            membrane.Filter(like={1})
        self.assertEqual(membrane.Filter(1e3, 0.1).insertions, 0)

    def test_full(self):
        fixed = membrane.Filter(1000, 0.001, fixed=True, kind='rank')
        with self.assertRaises(membrane.FullError):
            fixed.update(range(100000))
        self.assertGreaterEqual(fixed.insertions, 1000)
        with self.assertRaisesRegex(membrane.FullError, r'it holds 1\d\d\d keys and was made for 1000; plan for more'):
            fixed.update(range(200000, 300000))
        limited = membrane.Filter(1000, 0.01, grow=True, max_bytes=8192)
        with self.assertRaisesRegex(membrane.FullError, r'max_bytes \(8192 bytes\).*raise max_bytes'):
            limited.update(range(100000))
        self.assertTrue(issubclass(membrane.FullError, ValueError))

    def test_what_it_is(self):
        a = membrane.Filter(1000, 0.01, erase=True)
        a.update(range(1000))
        self.assertEqual(a.kind, 'balanced_rank')
        self.assertEqual(a.insertions, 1000)
        self.assertEqual(a.info()['keys'], 1000)
        self.assertNotIn('hash_key', a.info())
        self.assertEqual(len(a.info(hash_key=True)['hash_key']), 32)
        self.assertEqual(a.can, {'erase', 'count', 'merge', 'grow'})
        self.assertLess(a.rate_now, 0.01)
        self.assertGreater(a.nbytes, 1000)
        self.assertRegex(repr(a), r'^<Filter balanced_rank: about (99|1,00)\d keys, [\d,]+ bytes, rate now 0\.\d+>$')
        self.assertIs(membrane.Filter.__init__(a, 10, 0.5), None)  # made anew
        self.assertNotIn(1, a)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'ü.mbr')
        self.seen = membrane.Filter(1000, 0.001)
        self.seen.update(range(1000))

    def tearDown(self):
        self.folder.cleanup()

    def test_save_and_open(self):
        self.seen.save(self.path)
        self.seen.save(pathlib.Path(self.path))
        with self.assertRaises(FileExistsError) as caught:
            self.seen.save(self.path, replace=False)
        self.assertEqual(caught.exception.filename, self.path)
        loaded = membrane.Filter.load(pathlib.Path(self.path))
        self.assertEqual(loaded, self.seen)
        loaded.add('x')
        with membrane.open(self.path) as mapped:
            self.assertEqual(mapped, self.seen)
            self.assertTrue(all(mapped.contains(range(1000))))
            self.assertEqual(mapped.info()['file'], self.path)
            self.assertFalse(hasattr(mapped, 'add'))
            self.assertEqual(pickle.loads(pickle.dumps(mapped)), self.seen)
            changed = mapped.copy()
            changed.add('new')
            self.assertIn('new', changed | mapped)
            self.assertEqual(mapped | changed, changed)
            self.seen.save(self.path)  # a new file; the mapping keeps the old one
            self.assertIn(5, mapped)
        self.assertTrue(mapped.closed)
        self.assertEqual(repr(mapped), '<closed MappedFilter>')
        for call in (lambda: 5 in mapped, mapped.tobytes, mapped.info, lambda: mapped.kind, lambda: mapped.contains([1]),
                     lambda: self.seen.merge(mapped)):
            with self.assertRaisesRegex(ValueError, 'closed'):
                call()
        mapped.close()
        self.assertEqual(membrane.load(self.path), self.seen)

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            membrane.open('/nowhere/x.mbr')
        self.assertEqual(caught.exception.filename, '/nowhere/x.mbr')
        with self.assertRaises(FileNotFoundError):
            membrane.Filter.load('/nowhere/x.mbr')
        with self.assertRaises(OSError):
            self.seen.save('/nowhere/x.mbr')
        with self.assertRaises(TypeError):
            membrane.open(5)
        with self.assertRaises(ValueError):
            membrane.open('a\0b')
        file = bytearray(bytes(self.seen))
        file[-1] ^= 1
        with self.assertRaises(membrane.FormatError):
            membrane.Filter.frombytes(file)
        with open(self.path, 'wb') as to:
            to.write(file)
        for call in (membrane.open, membrane.load, membrane.Filter.load):
            with self.assertRaisesRegex(membrane.FormatError, 'checksum'):
                call(self.path)
        for bad in (b'', b'x' * 500, bytes(file[:300])):
            with self.assertRaises(membrane.FormatError):
                membrane.Filter.frombytes(bad)
        with self.assertRaises(TypeError):
            membrane.Filter.frombytes('text')
        unmade = membrane.Filter.__new__(membrane.Filter)
        with self.assertRaises(ValueError):
            unmade.add(1)


class Counting(unittest.TestCase):
    def test_counts(self):
        words = membrane.CountMin(0.0001, 0.001, top=3)
        words.update(['a', 'b', 'a'], {'c': 5, 'a': 1}, iter(['b']))
        words.add('d')
        words.add('c', 2)
        self.assertEqual((words['a'], words['b'], words['c'], words['d'], words['e']), (3, 2, 7, 1, 0))
        self.assertEqual(words.total, 13)
        self.assertEqual(words.top(2, str), [('c', 7), ('a', 3)])
        self.assertEqual(words.top(), [(b'c', 7), (b'a', 3), (b'b', 2)])
        self.assertIn('a', words)
        self.assertNotIn('e', words)
        more = membrane.CountMin(like=words)
        more.add('b', 10)
        self.assertEqual((words + more)['b'], 12)
        words += more
        self.assertEqual(words.top(1, str), [('b', 12)])
        for twin in (pickle.loads(pickle.dumps(words)), words.copy(), membrane.CountMin.frombytes(bytes(words))):
            self.assertIs(type(twin), membrane.CountMin)
            self.assertEqual(twin, words)
            self.assertEqual(twin.top(3), words.top(3))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'w.mbr')
            words.save(path)
            self.assertEqual(membrane.open(path).top(1), [(b'b', 12)])
            self.assertEqual(membrane.open(path).top(1, str), [('b', 12)])
            self.assertEqual(membrane.open(path).count('b'), 12)
            loaded = membrane.load(path)
            self.assertIs(type(loaded), membrane.CountMin)
            loaded.add('b')
            self.assertEqual(loaded.top(1), [(b'b', 13)])
        numbers = membrane.CountMin()
        numbers.update([2**63 + 5] * 3 + [-5, -5, 7])
        self.assertEqual(numbers.top(3, int), [(2**63 + 5, 3), (2**64 - 5, 2), (7, 1)])
        self.assertEqual(numbers.top(3, lambda key: int.from_bytes(key, 'little', signed=True))[1], (-5, 2))
        self.assertEqual(numbers.top(3)[2], (b'\7' + bytes(7), 1))
        self.assertRaisesRegex(ValueError, 'no integer', words.top, 1, int)
        for call in (lambda: numbers.add((1, 2)), lambda: numbers.add(1, 1.5), lambda: numbers.add(), lambda: numbers.add(1, 2, 3),
                     lambda: numbers.top(1, 'int'), lambda: numbers + {1}):
            self.assertRaises(TypeError, call)
        self.assertRaises(OverflowError, numbers.add, 1, -1)
        self.assertRaises(ValueError, membrane.CountMin.frombytes, bytes(membrane.Filter(10, 0.1)))
        self.assertRaises(ValueError, membrane.CountMin, 2.0)

    def test_hash(self):
        for name in ('siphash13', 'xxh3', 'fold'):
            with self.subTest(name):
                a = membrane.CountMin(0.01, 0.01, hash=name, hash_key=b'0123456789abcdef')
                b = membrane.CountMin(0.01, 0.01, hash=name, hash_key=b'0123456789abcdef')
                self.assertEqual(a.info()['hash'], name)
                a.update(['x', 'x', 7])
                b.add('x', 5)
                self.assertEqual((a + b)['x'], 7)
                with self.assertRaisesRegex(ValueError, 'hash key'):
                    a.merge(membrane.CountMin(0.01, 0.01, hash=name))
        self.assertEqual(membrane.CountMin().info()['hash'], 'fold')
        for wrong in ({'hash': 'mix'}, {'hash': 'md5'}, {'hash_key': b'short'}):
            self.assertRaises(ValueError, membrane.CountMin, 0.01, 0.01, **wrong)
        self.assertRaises(TypeError, membrane.CountMin, like=a, hash='xxh3')


class Plans(unittest.TestCase):
    def test_plan(self):
        found = membrane.plan(keys=10**6, fpr=0.001)
        self.assertEqual(found.chosen.kind, 'balanced_rank')
        self.assertTrue(found.chosen.fits)
        self.assertLess(found.chosen.fpr, 0.001 * 1.0001)
        self.assertEqual(found['bloom'].keys, 10**6)
        self.assertRaises(KeyError, lambda: found['nope'])
        self.assertRaises(AttributeError, lambda: found.chosen.nope)
        lines = repr(found).splitlines()
        self.assertTrue(lines[0].startswith('kind') and lines[1].startswith('* balanced_rank'))
        page = found._repr_html_()
        self.assertEqual(page.count('<tr>'), len(lines))
        self.assertIn('<svg', page)
        # The bar of the chosen kind is at least half as long as the longest, which is cut off.
        lengths = [float(length) for length in re.findall(r'<rect [^>]*width="([\d.]+)"', page)]
        self.assertGreaterEqual(2 * lengths[0], max(lengths) - 0.1)
        self.assertRegex(page, r'>\.\.\. \d+\.\d\d<')
        made = found.make()
        self.assertEqual(made.kind, 'balanced_rank')
        self.assertAlmostEqual(made.nbytes, found.chosen.size_bytes, delta=1000)
        erasable = membrane.plan(10**5, 0.01, erase=True, kind='counting_bloom').make()
        self.assertIn('erase', erasable.can)
        nothing = membrane.plan(keys=10**6, fpr=0.001, max_bytes=1000)
        self.assertIsNone(nothing.chosen)
        self.assertRaises(ValueError, nothing.make)
        self.assertIn(nothing.json['advice'], repr(nothing))
        for names in ({}, {'kind': 'blocked_bloom'}, {'erase': True}):
            within = {'max_bytes': 10**6, 'fpr': 0.01, **names}
            chosen = membrane.plan(**within).chosen
            self.assertGreater(chosen.keys, 700_000)
            self.assertEqual(membrane.Filter(**within).info()['planned_keys'], chosen.keys)
        with self.assertRaisesRegex(ValueError, 'max_bytes'):
            membrane.Filter(10**6, 0.01, max_bytes=1000)
        self.assertRaises(ValueError, membrane.plan)
        self.assertRaises(ValueError, membrane.plan, 10, 5)

    def test_same_as_the_tool(self):
        import json
        tool = os.environ.get('MEMBRANE')
        if not tool:
            self.skipTest('no tool')
        for arguments, names in ((['--keys', '1000000', '--fpr', '0.001'], {'keys': 10**6, 'fpr': 0.001}),
                                 (['--keys', '5000', '--bits-per-key', '12', '--delete'], {'keys': 5000, 'bits_per_key': 12, 'erase': True}),
                                 (['--keys', '5000', '--kind', 'bloom:k=5'], {'keys': 5000, 'kind': 'bloom:k=5'}),
                                 (['--max-bytes', '65536', '--fpr', '0.01', '--count'], {'max_bytes': 65536, 'fpr': 0.01, 'count': True})):
            told = json.loads(subprocess.run([tool, 'plan', *arguments, '--json'], capture_output=True, text=True, check=False).stdout)
            self.assertEqual(membrane.plan(**names).json, told)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'x.mbr')
            seen = membrane.Filter(1000, 0.01)
            seen.update(range(500))
            seen.save(path)
            told = json.loads(subprocess.run([tool, 'info', '--json', '--show-key', path], capture_output=True, text=True, check=True).stdout)
            self.assertEqual(membrane.open(path).info(hash_key=True), told)
            self.assertEqual({**seen.info(hash_key=True), 'file': path}, told)


if __name__ == '__main__':
    unittest.main()
