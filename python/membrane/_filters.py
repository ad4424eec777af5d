"""Filters in memory and in mapped files."""
from __future__ import annotations

import json
import operator
import os
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._arrays import answers_of

_F = TypeVar('_F', bound='Filter')
if TYPE_CHECKING:
    from ._counting import CountMin

# As in membrane.h.
ABILITIES = {'erase': 1, 'count': 2, 'merge': 4, 'intersect': 8, 'fold': 16, 'grow': 32, 'fixed': 64, 'static': 128}


def whole_number(value: Any, name: str) -> int:
    """An int, or a float such as 1e6 that is one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    number = operator.index(value)
    if not 0 <= number < 2**64:
        raise ValueError(f'{name} lies between 0 and 2**64 - 1, not {number}')
    return number


def checked_rate(fpr: Any) -> float:
    """A false positive rate."""
    rate = float(fpr)
    if not 0 < rate < 1:
        raise ValueError(f'a rate lies between 0 and 1, not {fpr!r}')
    return rate


def request(keys: Any, fpr: Any, needs: dict[str, bool], sizes: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the compiled part. What is None is left out."""
    wanted: dict[str, Any] = {'keys': whole_number(keys or 0, 'keys')}
    if fpr is not None:
        wanted['fpr'] = checked_rate(fpr)
    for name, value in sizes.items():
        if value is not None:
            wanted[name] = whole_number(value, name) if name in ('max_bytes', 'grow_to') else value
    wanted['needs'] = sum(ABILITIES[name] for name, is_needed in needs.items() if is_needed)
    return wanted


class _Lookups(_core.Reader):
    """What every filter can: one docstring for Filter and MappedFilter."""

    __slots__ = ()

    def contains(self, keys: Any) -> Any:
        """One answer for each key: False, it is certainly not in the filter; True, it is, or this is one of the planned false positives.

        An array (numpy, array.array, Arrow) gives a numpy array of bool, without numpy a memoryview; other iterables give a list. Threads
        can run meanwhile: an array is looked up without the GIL.
        """
        return answers_of(self._contains(keys), '?')

    def counts(self, keys: Any) -> Any:
        """count() of each key, as an array of uint64 or a list."""
        return answers_of(self._count_many(keys), 'Q')

    def info(self, hash_key: bool = False) -> dict[str, Any]:
        """What `membrane info --json` prints: parameters, size, estimates. With hash_key=True also the hash key, which is secret."""
        found: dict[str, Any] = json.loads(self._info(hash_key))
        return found

    @property
    def can(self) -> frozenset[str]:
        """Names of what the filter can: 'erase', 'count', 'merge', 'intersect', 'fold', 'grow'."""
        able = self._abilities
        return frozenset(name for name, bit in ABILITIES.items() if bit < ABILITIES['fixed'] and able & bit)

    def save(self, path: Any, replace: bool = True) -> None:
        """Write the file in one step: after a crash there is the old file or the new one."""
        self._save(os.fspath(path), replace)

    def tobytes(self) -> bytes:
        """The bytes of the file."""
        return bytes(self)

    def patched(self, patch: bytes, max_bytes: int = 0) -> Filter:
        """The newer filter, from this one and the patch that newer.diff(this) made."""
        made = Filter.__new__(Filter)
        made._patched(self, patch, max_bytes)
        return made

    def copy(self) -> Any:
        """A copy in memory, which can be changed."""
        made = self._copied_type()
        made = made.__new__(made)
        made._copy_of(self)
        return made

    def _copied_type(self) -> Any:
        return Filter

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        return self._copied_type().frombytes, (bytes(self),)

    def __eq__(self, other: object) -> Any:
        """Equal parameters, hash keys and contents."""
        return self._is_equal(other) if isinstance(other, _core.Reader) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self.insertions != 0

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, _core.Reader):
            return NotImplemented
        made = self.copy()
        made.merge(other)
        return made

    def __and__(self, other: Any) -> Any:
        if not isinstance(other, _core.Reader):
            return NotImplemented
        made = self.copy()
        made.intersect(other)
        return made

    def __repr__(self) -> str:
        if self.closed:
            return f'<closed {type(self).__name__}>'
        return f'<{type(self).__name__} {self.kind}: about {self.approx_len:,.0f} keys, {self.nbytes:,} bytes, rate now {self.rate_now:.2g}>'


class MappedFilter(_Lookups):
    """A filter in a mapped file, made by membrane.open: nothing is copied, and processes that open one file share its memory.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'seen.mbr')
    >>> seen = membrane.Filter(1000, 0.001)
    >>> seen.add('alice')
    >>> seen.save(path)
    >>> with membrane.open(path) as mapped:
    ...     'alice' in mapped, mapped == seen
    (True, True)
    """

    __slots__ = ()

    def _copied_type(self) -> Any:
        from ._counting import CountMin
        return CountMin if self.kind == 'count_min' else Filter

    def top(self, n: int = 10, type: Any = bytes) -> list[tuple[Any, int]]:
        """Of counters: the most frequent keys, as CountMin.top."""
        from ._counting import top_of
        return top_of(self, n, type)

    def __enter__(self) -> MappedFilter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Filter(_Lookups, _core.Writer):
    """A set of keys that answers "certainly not" or "probably": Filter(keys, fpr).

    It grows beyond `keys`. The rate is kept up to `grow_to` keys, which is not less than `keys` and without which it is `keys`.

    erase=True      keys can be discarded and counted
    fixed=True      no more keys than planned: fewer bits
    kind='...'      a kind of its own, such as 'blocked_bloom' or 'bloom:k=5'; `membrane kinds` lists them. What contradicts it is refused
    count, merge, intersect, fold, grow, static, bits_per_key, max_bytes, reads, worst_reads: as in membrane.plan
    like=other      the parameters and the hash key of another filter, so that both can be merged
    hash='...'      the default, 'fold', resists chosen texts but not chosen integers; 'siphash13' resists both; 'xxh3' neither
    hash_key=bytes  16 bytes instead of random ones; whoever knows them can choose keys that collide

    >>> seen = Filter(10_000, 0.01, erase=True)
    >>> seen.update(['ann', 'bob', 'ann'])
    >>> seen.count('ann'), seen.discard('bob'), 'bob' in seen
    (2, True, False)
    >>> other = Filter(like=seen)
    >>> other.add('carol')
    >>> 'carol' in seen | other
    True
    """

    __slots__ = ()

    def __init__(self, keys: Any = None, fpr: Any = None, *, like: Any = None, erase: bool = False, count: bool = False,
                 merge: bool = False, intersect: bool = False, fold: bool = False, grow: bool = False, fixed: bool = False,
                 static: bool = False, bits_per_key: Any = None, max_bytes: Any = None, reads: Any = None, worst_reads: Any = None,
                 grow_to: Any = None, kind: Any = None, hash: Any = None, hash_key: Any = None) -> None:
        needs = {'erase': erase, 'count': count, 'merge': merge, 'intersect': intersect, 'fold': fold, 'grow': grow,
                 'fixed': fixed, 'static': static}
        sizes = {'bits_per_key': bits_per_key, 'max_bytes': max_bytes, 'reads': reads, 'worst_reads': worst_reads,
                 'grow_to': grow_to, 'kind': kind, 'hash': hash, 'hash_key': hash_key}
        if like is not None:
            if keys is not None or fpr is not None or any(needs.values()) or any(value is not None for value in sizes.values()):
                raise TypeError('like= takes everything from the other filter')
            self._like(like)
            return
        if keys is None and max_bytes is None:
            raise TypeError('Filter() takes the number of keys, and a false positive rate: Filter(1_000_000, 0.001)')
        self._create(**request(keys, fpr, needs, sizes))

    if TYPE_CHECKING:
        def copy(self: _F) -> _F: ...
        def __or__(self: _F, other: _core.Reader) -> _F: ...
        def __and__(self: _F, other: _core.Reader) -> _F: ...

    @classmethod
    def load(cls: type[_F], path: Any) -> _F:
        """Read a file into memory. membrane.open maps it instead."""
        made = cls.__new__(cls)
        made._open(os.fspath(path))
        return made

    @classmethod
    def frombytes(cls: type[_F], file: Any) -> _F:
        """From the bytes of a file."""
        made = cls.__new__(cls)
        made._from_bytes(file)
        return made

    @classmethod
    def unpack(cls: type[_F], packed: Any, max_bytes: int = 0) -> _F:
        """From the bytes that pack() made. `max_bytes`: a larger filter is refused; 0: any size."""
        made = cls.__new__(cls)
        made._unpack(packed, max_bytes)
        return made

    def _copied_type(self) -> Any:
        return type(self)

    def update(self, *others: Any) -> None:
        """Add all keys of arrays or other iterables. Arrays are added without the GIL.

        A single str or bytes is refused: it is one key. If a key is refused, those before it are in.
        """
        for keys in others:
            self._update(keys)

    def update_if_absent(self, keys: Any) -> Any:
        """add_if_absent() of each key: an array of bool, or a list."""
        return answers_of(self._update_if_absent(keys), '?')

    def discard_many(self, keys: Any) -> int:
        """discard() of each key; how many were there."""
        return self._discard_many(keys)

    def remove(self, key: Any) -> None:
        """As discard(), but KeyError if the key is certainly absent."""
        if not self.discard(key):
            raise KeyError(key)

    def reserve(self, keys: int) -> None:
        """Room for so many keys in all without growth."""
        self._reserve(whole_number(keys, 'keys'))

    def lower_rate(self, fpr: float) -> int:
        """The smallest filter whose rate for the present keys stays at or below `fpr`. Returns how often it was made smaller."""
        return self._lower_rate(checked_rate(fpr))

    def __ior__(self: _F, other: _core.Reader) -> _F:
        if not isinstance(other, _core.Reader):
            return NotImplemented
        self.merge(other)
        return self

    def __iand__(self: _F, other: _core.Reader) -> _F:
        if not isinstance(other, _core.Reader):
            return NotImplemented
        self.intersect(other)
        return self


def open(path: Any, *, check: bool = True) -> MappedFilter:
    """Map a file: processes that open it share its memory. check=False: do not read all of it to compare its checksum."""
    made = MappedFilter.__new__(MappedFilter)
    made._map(os.fspath(path), check)
    return made


def load(path: Any) -> Filter | CountMin:
    """Read a file into memory: a Filter, or a CountMin if it holds counts."""
    with open(path) as mapped:
        made: Filter | CountMin = mapped.copy()
        return made
