"""The planner: which filters fit, and what they cost."""
from __future__ import annotations

import html
import json
import math
from typing import Any

from . import _core
from ._filters import Filter, request


def _size(value: float) -> str:
    for unit, factor in (('GB', 1e9), ('MB', 1e6), ('kB', 1e3)):
        if value >= factor:
            return f'{value / factor:.2f} {unit}'
    return f'{value:.0f} bytes'


class Candidate:
    """One kind in a plan: kind, fits, why; and if it can be sized at all, keys, fpr, bits_per_key, size_bytes, file_bytes, reads, can,
    parameters. `json` has everything that `membrane plan --json` says (doc/json.md)."""

    __slots__ = ('json',)

    def __init__(self, candidate: dict[str, Any]) -> None:
        self.json = candidate

    def __getattr__(self, name: str) -> Any:
        if name in ('kind', 'fits', 'why'):
            return self.json[name]
        sized = self.json['filter']
        if sized is not None and name in sized:
            return sized[name]
        raise AttributeError(f'Candidate has no {name!r}' + (': the kind cannot be sized for this' if sized is None else ''))

    def __repr__(self) -> str:
        if self.json['filter'] is None:
            return f'<Candidate {self.kind}: {self.why}>'
        return f'<Candidate {self.kind}: {self.bits_per_key:.2f} bits/key at {self.fpr:.3g}, {_size(self.file_bytes)}>'


class Plan:
    """What membrane.plan found: a table where it is printed, with a chart in notebooks.

    chosen       the best Candidate, or None
    candidates   all of them, best first; plan['bloom'] is the one of that kind
    json         everything that `membrane plan --json` says
    make()       the chosen filter
    """

    __slots__ = ('json', 'candidates', '_request')

    def __init__(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        self.json = found
        self.candidates = [Candidate(each) for each in found['candidates']]
        self._request = wanted

    @property
    def chosen(self) -> Candidate | None:
        """The best candidate; None if nothing fits."""
        return self[self.json['chosen']] if self.json['chosen'] else None

    def __getitem__(self, kind: str) -> Candidate:
        for each in self.candidates:
            if each.kind == kind:
                return each
        raise KeyError(kind)

    def make(self) -> Filter:
        """The chosen filter, empty.

        Filter(keys, fpr) is another question: it always grows. The planner's choice for few keys does not; ask for it with grow=True.

        >>> membrane.plan(1000, 0.01).make().kind, membrane.plan(1000, 0.01, grow=True).make().kind, membrane.Filter(1000, 0.01).kind
        ('blocked_bloom', 'balanced_rank', 'balanced_rank')
        """
        if self.chosen is None:
            raise ValueError(self.json['advice'])
        made = Filter.__new__(Filter)
        kind = self._request.get('kind', self.json['chosen'])
        made._create(**{**self._request, 'kind': kind, 'keys': self.chosen.keys})
        return made

    def _rows(self) -> list[list[str]]:
        rows = [['kind', 'rate', 'bits/key', 'file', 'absent', 'present', 'beyond', 'can']]
        for each in self.candidates:
            if not each.fits:
                continue
            reads = each.reads or {}
            mark = '*' if each.kind == self.json['chosen'] else ' '
            rows.append([f'{mark} {each.kind}', f'{each.fpr:.3g}', f'{each.bits_per_key:.2f}', _size(each.file_bytes),
                         *(f'{reads[side]:.2f}' if side in reads else '?' for side in ('negative', 'positive')),
                         each.beyond_plan, ', '.join(name for name, can in each.can.items() if can and name != 'grow')])
        return rows

    def __repr__(self) -> str:
        rows = self._rows()
        if len(rows) == 1:
            return f'<Plan: {self.json["advice"]}>'
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = []
        for row in rows:
            cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:6], widths[1:6])),
                     ' ' + row[6].ljust(widths[6]), row[7]]
            lines.append('  '.join(cells).rstrip())
        return '\n'.join(lines)

    def _repr_html_(self) -> str:
        rows = self._rows()
        if len(rows) == 1:
            return f'<p>{html.escape(self.json["advice"])}</p>'
        cells = [''.join(f'<th>{html.escape(cell)}</th>' for cell in rows[0])]
        for row in rows[1:]:
            best = ' style="font-weight:bold"' if row[0].startswith('*') else ''
            kind, *others = row
            cells.append(f'<td{best}>{html.escape(kind.strip("* "))}</td>' + ''.join(
                f'<td style="text-align:{"right" if i < 5 else "left"};white-space:nowrap">{html.escape(each)}</td>' for i, each in enumerate(others)))
        return self.chart() + '<table>' + ''.join(f'<tr>{row}</tr>' for row in cells) + '</table>'

    def chart(self) -> str:
        """An SVG picture: bits per key of the kinds that fit, and the least that any filter of this rate needs."""
        fitting = [each for each in self.candidates if each.fits]
        least = self.json['least_bits_per_key']
        # A kind that takes many times as much would leave nothing of the others: its bar is cut off.
        most = min(max([least, *(each.bits_per_key for each in fitting)]), 2 * min((each.bits_per_key for each in fitting), default=least))
        left, width, row = 130, 380, 24
        parts = []
        for i, each in enumerate(fitting):
            is_cut = each.bits_per_key > most
            length = width * min(1, each.bits_per_key / most)
            colour = '#1f6feb' if each.kind == self.json['chosen'] else '#9aa7b5'
            parts.append(f'<text x="{left - 8}" y="{i * row + 17}" text-anchor="end">{html.escape(each.kind)}</text>'
                         f'<rect x="{left}" y="{i * row + 4}" width="{length:.1f}" height="{row - 8}" fill="{colour}"/>'
                         f'<text x="{left + length + 6:.1f}" y="{i * row + 17}">{"... " * is_cut}{each.bits_per_key:.2f}</text>')
        height = row * len(fitting)
        if math.isfinite(least) and least > 0:
            x = left + width * least / most
            parts.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{height}" stroke="#c0392b" stroke-dasharray="4 3"/>')
        parts.append(f'<text x="{left}" y="{height + 16}">bits per key; dashed: the least that any filter of this rate needs</text>')
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{height + 24}" '
                f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>')


def plan(keys: Any = None, fpr: Any = None, *, bits_per_key: Any = None, max_bytes: Any = None, reads: Any = None,
         worst_reads: Any = None, grow_to: Any = None, kind: Any = None, erase: bool = False, count: bool = False, merge: bool = False,
         intersect: bool = False, fold: bool = False, grow: bool = False, fixed: bool = False, static: bool = False) -> Plan:
    """Which filters fit, and what they cost.

    keys and fpr                  the smallest filter
    keys and bits_per_key         the best rate of this size; also keys and max_bytes
    max_bytes and fpr             as many keys as fit
    grow_to                       up to how many keys the rate is kept
    reads, worst_reads            cache lines of a lookup of an absent key, at most: on average, and at worst
    erase, count, merge, ...      what the filter must be able to do
    fixed, static                 no key is added beyond the planned number; all keys are known in advance

    >>> found = membrane.plan(keys=10_000_000, fpr=0.001)
    >>> found.chosen.kind
    'balanced_rank'
    >>> found['bloom'].bits_per_key > found.chosen.bits_per_key
    True
    """
    needs = {'erase': erase, 'count': count, 'merge': merge, 'intersect': intersect, 'fold': fold, 'grow': grow,
             'fixed': fixed, 'static': static}
    wanted = request(keys, fpr, needs, {'bits_per_key': bits_per_key, 'max_bytes': max_bytes, 'reads': reads,
                                        'worst_reads': worst_reads, 'grow_to': grow_to, 'kind': kind})
    return Plan(json.loads(_core.plan(**wanted)), wanted)
