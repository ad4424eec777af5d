#!/usr/bin/env python3
"""A chain keeps the requested error rate after any number of growths and has no false negatives.

Link i (from 0) has the rate P / ((i + 1) (i + 2)). The measured rate is compared with the sum of these rates, and with the estimate of
the filters themselves (from the share of set bits), within five standard deviations.
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


def main():
    with served() as (_, client):
        size = 500
        client('BF.RESERVE', 'chain', RATE, size, 'EXPANSION', '2')
        added = 0
        for growths in range(9):
            wanted = size * (2 ** (growths + 1) - 1)
            # False positives among the keys are not stored: adds keys until the last link is full.
            while client('BF.CARD', 'chain') < wanted:
                count = min(1000, wanted - client('BF.CARD', 'chain'))
                client('BF.MADD', 'chain', *(f'member {i}' for i in range(added, added + count)))
                added += count
            links = client('BF.INFO', 'chain', 'FILTERS')[0]
            assert links == growths + 1, (links, growths)
            assert client('BF.INFO', 'chain', 'CAPACITY')[0] == wanted
            if growths not in (0, 1, 2, 4, 8):
                continue
            measured, predicted = stranger_rate(client, 'chain'), own_estimate(client, 'chain')
            bound = RATE * links / (links + 1)
            sigma = math.sqrt(max(measured, predicted) / STRANGERS)
            print(f'{growths} growths, {wanted} keys: measured {measured:.5f}, estimated {predicted:.5f}, bound {bound:.5f}')
            assert measured <= bound + 5 * sigma, (measured, bound)
            assert abs(measured - predicted) <= 5 * sigma, (measured, predicted)
        for first in range(0, added, 1000):
            assert all(client('BF.MEXISTS', 'chain', *(f'member {i}' for i in range(first, min(first + 1000, added)))))


main()
