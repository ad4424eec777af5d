#!/usr/bin/env python3
"""rank_designs.py: bits per key of insert-only balanced_rank designs that were not implemented, by the model's formulas.

Buckets of one or two lines in the first and in the second table, and a third table of lines before the list. Used for decision 0009; not
part of the build. Takes three minutes. Neglects the false positives of a third table.
"""
import math
from typing import NamedTuple, Optional

LIST_BITS = 64 / 0.66  # a word of the list with its share of gaps


class Design(NamedTuple):
    bits: float
    fingerprint: int
    chains: int
    cells: int
    lines: float  # read by a negative lookup


def chances(mean: float, most: int) -> list[float]:
    """Poisson probabilities of 0 to `most` arrivals."""
    values = [math.exp(-mean)]
    for count in range(1, most + 1):
        values.append(values[-1] * mean / count)
    return values


def forwarded(mean: float, cells: int) -> float:
    """The share of the entries that a full bucket forwards."""
    below = chances(mean, cells)
    kept = sum(count * chance for count, chance in enumerate(below)) + cells * (1 - sum(below))
    return 1 - kept / mean


def going_on(mean: float, cells: int) -> float:
    """The share of negative lookups that continue: their chain is not below the last one of a full bucket."""
    most = int(mean + 12 * math.sqrt(mean) + 30)
    return sum((count - cells + 1) / (count + 1) * chance
               for count, chance in enumerate(chances(mean, most)) if count > cells)


def design(fpr: float, size: int, second_size: int, has_third: bool, fingerprint: int, chains: int,
           fill: float) -> Optional[Design]:
    cells = (size - 1 - chains) // (fingerprint + 1)
    second_chains = round(chains * second_size / size)
    second_cells = (second_size - 1 - second_chains) // (fingerprint + 1)
    if cells < 10:
        return None
    load = fill * second_cells
    mean = fpr * chains * 2**fingerprint
    for _ in range(6):  # false positives of the second table are part of the rate
        further = going_on(mean, cells)
        mean = (fpr - further * load / (second_chains * 2**fingerprint)) * chains * 2**fingerprint
        if mean <= 1:
            return None
    sent = forwarded(mean, cells)
    if sent > 0.2:
        return None
    left = sent * forwarded(load, second_cells)
    behind = left * LIST_BITS
    if has_third:
        thirds = [share * second_cells for share in (0.6, 0.7, 0.8, 0.9)]
        behind = min(left * (second_size / third + forwarded(third, second_cells) * LIST_BITS) for third in thirds)
    bits = size / mean + sent * second_size / load + behind
    return Design(bits, fingerprint, chains, cells, (1 + going_on(mean, cells)) * size / 512)


def best(fpr: float, size: int, second_size: int, has_third: bool) -> Design:
    found = (design(fpr, size, second_size, has_third, fingerprint, chains, fill / 100)
             for fingerprint in range(6, 15) for chains in range(20, 64 * size // 512)
             for fill in range(74, 96, 2))
    return min(filter(None, found))


def main() -> None:
    print('rate    first  second  third  bits/key  R   L    Z   lines')
    for fpr in (0.01, 0.004, 0.001):
        for size, second_size, has_third in ((512, 512, False), (512, 1024, False), (512, 512, True),
                                             (1024, 512, False), (1024, 1024, False)):
            at = best(fpr, size, second_size, has_third)
            print(f'{100 * fpr:<4g} %  {size:<5}  {second_size:<6}  {"yes" if has_third else "no":<5}  {at.bits:<8.2f}'
                  f'  {at.fingerprint:<2}  {at.chains:<3}  {at.cells:<3} {at.lines:.2f}')


if __name__ == '__main__':
    main()
