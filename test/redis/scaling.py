#!/usr/bin/env python3
"""A filter keeps the requested error rate however far it grows, and has no false negatives.

The measured rate is compared with what the links promise, and with the estimate of the filters themselves, within five standard
deviations. A filter that grows has links only beyond its promise (GROWTO); a stack of a given kind gets a link for each EXPANSION, with
the rates P / ((i + 1) (i + 2)).
"""
import math

from support.resp import as_map
from support.server import served

STRANGERS = 100000
RATE = 0.01


def stranger_rate(client, key):
    yes = 0
    for first in range(0, STRANGERS, 1000):
        yes += sum(client('BF.MEXISTS', key, *(f'stranger {i}' for i in range(first, first + 1000))))
    return yes / STRANGERS


def own_estimate(client, key):
    return float(as_map(client('MBR.STATS', key))[b'error rate now'])


def check_rate(client, key, bound, what):
    measured, predicted = stranger_rate(client, key), own_estimate(client, key)
    sigma = math.sqrt(max(measured, predicted) / STRANGERS)
    print(f'{what}: measured {measured:.5f}, estimated {predicted:.5f}, bound {bound:.5f}')
    assert measured <= bound + 5 * sigma, (measured, bound)
    assert abs(measured - predicted) <= 5 * sigma, (measured, predicted)


def add_until(client, key, added, wanted):
    """False positives among the keys are not stored: adds keys until so many are."""
    while client('BF.CARD', key) < wanted:
        count = min(1000, wanted - client('BF.CARD', key))
        client('BF.MADD', key, *(f'member {i}' for i in range(added, added + count)))
        added += count
    return added


def check_members(client, key, added):
    for first in range(0, added, 1000):
        assert all(client('BF.MEXISTS', key, *(f'member {i}' for i in range(first, min(first + 1000, added)))))


def check_growth(client):
    """From 100 to 400,000 keys with a promise of 1,000: one filter, two, three."""
    client('BF.RESERVE', 'grown', RATE, 100, 'GROWTO', '1000')
    added = 0
    for keys, filters, share in ((1000, 1, 3 / 4), (1200, 2, 7 / 8), (17000, 2, 7 / 8), (30000, 3, 15 / 16), (280000, 3, 15 / 16)):
        added = add_until(client, 'grown', added, keys)
        assert client('BF.INFO', 'grown', 'FILTERS')[0] == filters, (keys, client('BF.INFO', 'grown'))
        check_rate(client, 'grown', RATE * share, f'{keys} keys')
    check_members(client, 'grown', added)


def check_one_filter(client):
    """From BF.RESERVE k 0.01 1000 to a million keys: one filter of few bits for each key."""
    client('BF.RESERVE', 'k', RATE, 1000)
    added = add_until(client, 'k', 0, 1_000_000)
    assert client('BF.INFO', 'k', 'FILTERS') == [1]
    bits = client('MEMORY', 'USAGE', 'k') * 8 / 1_000_000
    print(f'a million keys from BF.RESERVE k 0.01 1000: {bits:.2f} bits for each, {own_estimate(client, "k"):.5f} of strangers')
    # log2(U / n) with U = 1000 * 1024 / 0.0075 are 7.1; the rest is the goal.
    assert math.log2(1000 * 1024 / 0.0075 / 1e6) < bits <= 11, bits
    check_rate(client, 'k', RATE * 3 / 4, 'a million keys')
    check_members(client, 'k', added)


def check_given_kind(client):
    size, added = 500, 0
    client('BF.RESERVE', 'stack', RATE, size, 'EXPANSION', '2', 'KIND', 'bloom')
    for growths in range(9):
        wanted = size * (2 ** (growths + 1) - 1)
        added = add_until(client, 'stack', added, wanted)
        links = client('BF.INFO', 'stack', 'FILTERS')[0]
        assert links == growths + 1, (links, growths)
        assert client('BF.INFO', 'stack', 'CAPACITY')[0] == wanted
        if growths in (0, 1, 2, 4, 8):
            check_rate(client, 'stack', RATE * links / (links + 1), f'bloom, {growths} growths, {wanted} keys')
    check_members(client, 'stack', added)


def main():
    with served() as (_, client):
        check_growth(client)
        check_one_filter(client)
        check_given_kind(client)


main()
