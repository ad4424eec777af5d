#!/usr/bin/env python3
"""Batches: arrays of every kind give the answers that the keys give one by one."""
import array
import ctypes
import unittest

import membrane

try:
    import numpy
except ImportError:
    numpy = None


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [('format', ctypes.c_char_p), ('name', ctypes.c_char_p), ('metadata', ctypes.c_char_p), ('flags', ctypes.c_int64),
                        ('n_children', ctypes.c_int64), ('children', ctypes.c_void_p), ('dictionary', ctypes.c_void_p),
                        ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    _fields_ = [('length', ctypes.c_int64), ('null_count', ctypes.c_int64), ('offset', ctypes.c_int64), ('n_buffers', ctypes.c_int64),
                ('n_children', ctypes.c_int64), ('buffers', ctypes.POINTER(ctypes.c_void_p)), ('children', ctypes.c_void_p),
                ('dictionary', ctypes.c_void_p), ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Arrow:
    """An array as pyarrow and others hand it over: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html"""

    def __init__(self, form, length, *buffers, offset=0, nulls=0, dictionary=None):
        self.kept = [None if each is None else ctypes.create_string_buffer(bytes(each), max(1, len(bytes(each)))) for each in buffers]
        pointers = (ctypes.c_void_p * len(buffers))(*(None if each is None else ctypes.addressof(each) for each in self.kept))
        self.schema = ArrowSchema(form.encode(), None, None, 0, 0, None, dictionary, None, None)
        self.array = ArrowArray(length, nulls, offset, len(buffers), 0, pointers, None, dictionary, None, None)
        self.kept.append(pointers)

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b'arrow_schema', None),
                new_capsule(ctypes.addressof(self.array), b'arrow_array', None))


TEXTS = ['ann', '', 'bob', 'ü', 'carol\0x', 'x' * 100]


def packed(texts, code):
    offsets = array.array(code, [0])
    data = b''
    for text in texts:
        data += text.encode()
        offsets.append(len(data))
    return offsets, data


class Arrays(unittest.TestCase):
    def same(self, found, keys, seen):
        self.assertEqual([bool(each) for each in found], [key in seen for key in keys])

    def test_integers(self):
        for code in 'bBhHiIlLqQ':
            keys = list(range(100)) + ([-1, -100] if code.islower() else [200])
            batch = array.array(code, keys)
            seen = membrane.Filter(1000, 1e-6)
            seen.update(batch)
            self.assertTrue(all(key in seen for key in keys), code)
            self.assertEqual(list(seen.contains(batch)), [True] * len(keys))
            self.assertEqual(seen.insertions, len(keys))
            self.assertNotIn(101, seen)

    def test_strings(self):
        for code in 'iq':
            seen = membrane.Filter(100, 1e-6)
            seen.update(membrane.Strings(*packed(TEXTS, code)))
            self.same([True] * 6 + [False], [*TEXTS, 'nope'], seen)
            self.assertEqual(list(seen.contains(membrane.Strings(*packed(['nope', *TEXTS], code)))), [False] + [True] * 6)
            self.assertEqual(len(seen.contains(membrane.Strings(array.array(code, [0]), b''))), 0)
        for offsets, data, expected in (([0, 5, 3], b'abcdef', ValueError), ([0, 7], b'abcdef', ValueError), ([-1, 2], b'abc', ValueError),
                                        ([], b'abc', TypeError)):
            with self.assertRaises(expected):
                seen.contains(membrane.Strings(array.array('i', offsets), data))
        with self.assertRaises(TypeError):
            seen.contains(membrane.Strings(array.array('d', [0.0, 1.0]), b'abc'))
        with self.assertRaises(TypeError):
            seen.contains(membrane.Strings(array.array('i', [0, 1]), 'abc'))

    def test_arrow(self):
        seen = membrane.Filter(100, 1e-6)
        for form, code in (('u', 'i'), ('U', 'q'), ('z', 'i'), ('Z', 'q')):
            offsets, data = packed(TEXTS, code)
            seen.clear()
            seen.update(Arrow(form, 6, None, offsets, data))
            self.assertEqual(seen.insertions, 6)
            self.assertTrue(all(text in seen for text in TEXTS))
            self.assertEqual(list(seen.contains(Arrow(form, 2, None, offsets, data, offset=2))), [True, True])
            self.assertEqual(len(seen.contains(Arrow(form, 0, None, None, None))), 0)
        seen.clear()
        seen.update(Arrow('l', 3, None, array.array('q', [5, -5, 7]), offset=0))
        seen.update(Arrow('S', 1, None, array.array('H', [1, 2]), offset=1))
        seen.update(Arrow('w:3', 2, None, b'xxxabcdef', offset=1))
        self.same([True] * 6 + [False] * 2, [5, -5, 7, 2, 'abc', 'def', 1, 'xxx'], seen)
        offsets, data = packed(TEXTS, 'i')
        with self.assertRaisesRegex(ValueError, 'nulls'):
            seen.contains(Arrow('u', 6, b'\x3e', offsets, data, nulls=1))
        with self.assertRaisesRegex(ValueError, 'nulls'):
            seen.contains(Arrow('u', 6, b'\x3e', offsets, data, nulls=-1))
        self.assertEqual(len(seen.contains(Arrow('u', 6, b'\x3f', offsets, data, nulls=-1))), 6)
        self.assertEqual(len(seen.contains(Arrow('u', 5, b'\x3e', offsets, data, nulls=-1, offset=1))), 5)
        for form in ('g', 'b', 'vu', '+l', 'tdD'):
            with self.assertRaises(TypeError):
                seen.contains(Arrow(form, 1, None, b'12345678'))

    def test_counts_and_discards(self):
        seen = membrane.Filter(10000, 1e-6, erase=True)
        batch = array.array('q', list(range(5000)) * 2)
        seen.update(batch)
        self.assertEqual(list(seen.counts(array.array('q', [0, 4999, 5000]))), [2, 2, 0])
        self.assertEqual(seen.discard_many(array.array('q', range(5500))), 5000)
        self.assertEqual(list(seen.update_if_absent(array.array('q', [1, 6000, 6000]))), [False, True, False])
        counter = membrane.CountMin(1e-6, 0.001)
        counter.update(batch)
        self.assertEqual(counter[4999], 2)
        counter.update(membrane.Strings(*packed(TEXTS * 3, 'i')))
        self.assertEqual(counter['ann'], 3)

    def test_refused(self):
        seen = membrane.Filter(100, 0.1)
        for refused in (array.array('d', [1.0]), array.array('f', [1.0]), memoryview(array.array('d', [1.0]))):
            for call in (seen.update, seen.contains, seen.update_if_absent):
                with self.assertRaises(TypeError):
                    call(refused)
        with self.assertRaises(ValueError):
            seen.counts(array.array('q', [1]))


@unittest.skipIf(numpy is None, 'no numpy')
class Numpy(unittest.TestCase):
    def setUp(self):
        self.seen = membrane.Filter(10000, 1e-9)

    def test_answers_have_the_shape_of_the_keys(self):
        keys = numpy.arange(6000, dtype=numpy.uint64).reshape(10, 20, 30)
        self.seen.update(keys[:5])
        found = self.seen.contains(keys)
        self.assertEqual(found.dtype, numpy.bool_)
        self.assertEqual(found.shape, keys.shape)
        self.assertTrue(found[:5].all() and not found[5:].any())
        found[:] = False  # the caller's own array
        # Any strides.
        self.assertTrue((self.seen.contains(keys.T) == self.seen.contains(keys).T).all())
        self.assertTrue((self.seen.contains(keys[::2, ::-3]) == self.seen.contains(keys)[::2, ::-3]).all())
        self.assertEqual(self.seen.contains(keys[:0]).shape, (0, 20, 30))
        self.assertTrue(self.seen.contains(numpy.array(7)).shape == () and bool(self.seen.contains(numpy.array(7))))
        counting = membrane.Filter(10, 0.1, erase=True)
        self.assertEqual(counting.counts(keys[0]).dtype, numpy.uint64)

    def test_one_key_is_one_key_in_every_type(self):
        for kind in ('i1', 'i2', 'i4', 'i8'):
            self.seen.clear()
            self.seen.update(numpy.array([-3, 5], dtype=kind))
            self.assertTrue(-3 in self.seen and numpy.int16(-3) in self.seen and numpy.uint64(5) in self.seen)
            self.assertTrue(self.seen.contains(numpy.array([-3, 5])).all())
        self.seen.add(numpy.uint8(200))
        self.assertIn(200, self.seen)
        unaligned = numpy.frombuffer(b'x' + (77).to_bytes(8, 'little') * 3, dtype=numpy.uint8)[1:].view(numpy.uint64)
        self.seen.update(unaligned)
        self.assertIn(77, self.seen)

    def test_text(self):
        texts = ['ann', '', 'bob', 'ü', '\U0001f600', 'long' * 20]
        self.seen.update(numpy.array(texts))
        self.assertTrue(all(text in self.seen for text in texts))
        self.assertTrue(self.seen.contains(numpy.array([texts, texts[::-1]])).all())
        self.assertFalse(self.seen.contains(numpy.array(['Ann', 'an'])).any())
        self.assertTrue(self.seen.contains(numpy.array([text.encode() for text in texts])).all())  # S: without the zeros at the end
        self.assertTrue(self.seen.contains(numpy.array(texts, dtype=object)).__len__() == 6)
        with self.assertRaises(ValueError):
            self.seen.contains(numpy.array(['\ud800']))

    def test_fixed_width(self):
        digests = numpy.frombuffer(bytes(range(160)), dtype='V16')
        self.seen.update(digests)
        self.assertIn(bytes(range(16, 32)), self.seen)
        self.assertTrue(self.seen.contains(digests).all())
        zeros = numpy.zeros(1, 'V4')
        self.seen.update(zeros)
        self.assertIn(b'\0\0\0\0', self.seen)
        self.assertNotIn(b'', self.seen)
        for kind in ('V0', 'U0', 'S0'):  # keys without bytes
            empty = numpy.zeros((2, 3), kind)
            self.seen.clear()
            self.assertEqual(self.seen.contains(empty).tolist(), [[False] * 3] * 2)
            self.seen.update(empty)
            self.assertEqual(self.seen.insertions, 6, kind)
            self.assertIn(b'', self.seen)
            self.assertTrue(self.seen.contains(empty).all())

    def test_refused(self):
        for refused in (numpy.array([1.0]), numpy.array([True]), numpy.array([1j]), numpy.array(['2020-01-01'], dtype='M8[D]'),
                        numpy.array([1], dtype='>i4'), numpy.zeros(2, dtype=[('a', 'i4'), ('b', 'i4')])):
            for call in (self.seen.update, self.seen.contains):
                with self.assertRaises(TypeError, msg=refused.dtype):
                    call(refused)
        for refused in (numpy.float64(1), numpy.float32(1), numpy.bool_(True), numpy.array([1, 2]), numpy.datetime64('2020-01-01')):
            with self.assertRaises(TypeError):
                self.seen.add(refused)

    def test_arrow_buffers_as_numpy(self):
        self.seen.update(membrane.Strings(numpy.array([0, 3, 6]), numpy.frombuffer(b'annbob', dtype=numpy.uint8)))
        self.assertTrue('ann' in self.seen and 'bob' in self.seen)
        with self.assertRaises(ValueError):
            self.seen.update(membrane.Strings(numpy.array([0, 3, 6, 9])[::2], b'annbob'))

    def test_whatever_has_an_array(self):
        class Series:
            def __array__(self, dtype=None, copy=None):
                return numpy.array([1, 2, 3])
        self.seen.update(Series())
        self.assertIn(3, self.seen)
        self.assertTrue(self.seen.contains(Series()).all())

        class Column:
            def __array__(self, dtype=None, copy=None):
                return numpy.array(['ann', 'bob'], dtype=object)

            def __iter__(self):
                raise AssertionError('its own objects are no keys')
        seen = membrane.Filter(100, 1e-6, erase=True)
        seen.update(Column())
        self.assertEqual(seen.contains(Column()), [True, True])
        self.assertEqual(seen.counts(Column()), [1, 1])
        self.assertEqual(seen.update_if_absent(Column()), [False, False])
        self.assertEqual(seen.discard_many(Column()), 2)


if __name__ == '__main__':
    unittest.main()
