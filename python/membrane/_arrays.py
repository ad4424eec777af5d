"""Answers of batches as arrays, and texts as a pair of buffers."""
from __future__ import annotations

import functools
from typing import Any


@functools.lru_cache(maxsize=None)
def _numpy() -> Any:
    """numpy, or None. Imported when it is first used: it takes four times as long as this package."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


class Strings:
    """Texts, or bytes, as Arrow keeps them: one buffer with all bytes, and where each text begins in it.

    `offsets` is an array of int32 or int64 with one number more than there are texts; text i is data[offsets[i]:offsets[i + 1]]. A pyarrow
    array can be passed as it is; this class is for buffers from elsewhere.

    >>> import array
    >>> names = Strings(array.array('i', [0, 3, 6]), b'annbob')
    >>> len(names)
    2
    >>> seen = membrane.Filter(100, 0.001)
    >>> seen.update(names)
    >>> 'ann' in seen, 'bob' in seen
    (True, True)
    """

    __slots__ = ('_offsets', '_data')

    def __init__(self, offsets: Any, data: Any) -> None:
        self._offsets = offsets
        self._data = data

    def __len__(self) -> int:
        return max(0, len(self._offsets) - 1)

    def __membrane_strings__(self) -> tuple[Any, Any]:
        return self._offsets, self._data


def answers_of(found: Any, code: str) -> Any:
    """What a batch returned: a list as it is; bytes with a shape as an array of booleans ('?') or of 64-bit counts ('Q')."""
    if isinstance(found, list):
        return found
    answers, shape = found
    numpy = _numpy()
    if numpy is not None:
        return numpy.frombuffer(answers, dtype=numpy.bool_ if code == '?' else numpy.uint64).reshape(shape)
    view = memoryview(answers).cast(code)
    return view if len(shape) == 1 or 0 in shape else view.cast('B').cast(code, shape)
