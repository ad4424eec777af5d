"""How often each key came."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._filters import _Lookups, whole_number

_C = TypeVar('_C', bound='CountMin')


def top_of(counter: Any, n: int, type: Any) -> list[tuple[Any, int]]:
    """The most frequent keys with their counts."""
    if not callable(type):
        raise TypeError(f'type is bytes, str, int or a function of the bytes of a key, not {type!r}')
    read = {str: _text_of, int: _integer_of}.get(type, type)
    found: list[tuple[bytes, int]] = counter._top(whole_number(n, 'n'))
    return [(read(key), count) for key, count in found]


def _text_of(key: bytes) -> str:
    return key.decode('utf-8', 'backslashreplace')


def _integer_of(key: bytes) -> int:
    if len(key) != 8:
        raise ValueError(f'{key!r} is no integer, which is remembered as 8 bytes; leave out type=int')
    return int.from_bytes(key, 'little')


class CountMin(_Lookups, _core.Writer):
    """How often each key came, in a fixed amount of memory, and the most frequent keys.

    A count is never too low, and too high by at most `error` times the number of all occurrences, except with a chance of `failure`.
    The `top` most frequent keys are remembered, with at most `top_key_bytes` bytes of each. hash and hash_key: as of Filter.

    >>> words = CountMin(0.001, 0.001)
    >>> words.update('the cat and the dog and the bird'.split())
    >>> words['the'], words['fish']
    (3, 0)
    >>> words.top(2, str)
    [('the', 3), ('and', 2)]
    >>> words.add('fish', 10)
    >>> words.total
    18
    """

    __slots__ = ()

    def __init__(self, error: float = 0.001, failure: float = 0.001, *, top: int = 100, top_key_bytes: int = 64,
                 like: Any = None, hash: Any = None, hash_key: Any = None) -> None:
        if like is not None:
            if hash is not None or hash_key is not None:
                raise TypeError('like= takes everything from the other counter')
            self._like(like)
        else:
            self._create_counter(error, failure, whole_number(top, 'top'), whole_number(top_key_bytes, 'top_key_bytes'), hash, hash_key)

    # add(key, n=1)
    add = _core.Writer.add_weight

    def update(self, *others: Any) -> None:
        """Count every key of arrays or other iterables; of a mapping such as a collections.Counter, each key as often as it says."""
        for keys in others:
            if isinstance(keys, Mapping):
                for key, n in keys.items():
                    self.add(key, n)
            else:
                self._update(keys)

    def __getitem__(self, key: Any) -> int:
        return self.count(key)

    @property
    def total(self) -> int:
        """All occurrences counted."""
        return self.insertions

    def top(self, n: int = 10, type: Any = bytes) -> list[tuple[Any, int]]:
        """The n most frequent keys with their counts, largest first.

        The counter remembers bytes: of a str its UTF-8, of an int 8 bytes, the lowest first. `type` says what they are returned as: bytes,
        str, int, or what a function of the bytes returns. An int comes as 0 to 2**64 - 1, for -1 and 2**64 - 1 are one key.

        >>> visits = CountMin()
        >>> visits.update([2**63, 2**63, 7])
        >>> visits.top(2, int)
        [(9223372036854775808, 2), (7, 1)]
        """
        return top_of(self, n, type)

    def _copied_type(self) -> Any:
        return type(self)

    if TYPE_CHECKING:
        def copy(self: _C) -> _C: ...
        def __or__(self: _C, other: _core.Reader) -> _C: ...

    @classmethod
    def load(cls: type[_C], path: Any) -> _C:
        """Read a file into memory."""
        return cls._checked(lambda made: made._open(os.fspath(path)))

    @classmethod
    def frombytes(cls: type[_C], file: Any) -> _C:
        """From the bytes of a file."""
        return cls._checked(lambda made: made._from_bytes(file))

    @classmethod
    def _checked(cls: type[_C], fill: Any) -> _C:
        made = cls.__new__(cls)
        fill(made)
        if made.kind != 'count_min':
            raise ValueError(f'not a counter: the file has a filter of the kind {made.kind}')
        return made

    def __add__(self: _C, other: _core.Reader) -> _C:
        return self.__or__(other)

    def __iadd__(self: _C, other: _core.Reader) -> _C:
        if not isinstance(other, _core.Reader):
            return NotImplemented
        self.merge(other)
        return self

    __ior__ = __iadd__

    def __repr__(self) -> str:
        return '<closed CountMin>' if self.closed else f'<CountMin: {self.total:,} occurrences, {self.nbytes:,} bytes>'
