"""Filters that answer whether a key was seen, from a few bits per key: never a false no, a false yes only as often as planned.

>>> import membrane
>>> seen = membrane.Filter(1_000_000, 0.001)     # keys, false positive rate; it grows when more come
>>> seen.add("alice")
>>> "alice" in seen
True
>>> seen.update(range(1000))
>>> seen.add_if_absent("bob")                    # True if it looked new
True
>>> round(seen.approx_len)
1002

Keys are str, bytes, bytearray, memoryview, int and tuples of them. A str is its UTF-8 bytes, so that "a" and b"a" are one key; 1 and "1" are
two; True and 1.0 are refused. Python's own hash() is never used: files answer the same in every process and every language.
"""
from ._arrays import Strings
from ._core import FormatError, FullError, version as __version__
from ._counting import CountMin
from ._filters import Filter, MappedFilter, load, open
from ._plans import Candidate, Plan, plan

__all__ = ['CountMin', 'Candidate', 'Filter', 'FormatError', 'FullError', 'MappedFilter', 'Plan', 'Strings', 'load', 'open', 'plan']
