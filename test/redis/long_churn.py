#!/usr/bin/env python3
"""A million keys are added to and erased from erasable filters beyond their promise, stacks of two links, at error rates from 1 to 30 %: no false negatives,
and erased keys make room for new ones."""
import random

from support.resp import as_map
from support.server import served


def churn(client, name, rate, turns):
    source = random.Random(name)
    client('CF.RESERVE', name, '500', 'GROWTO', '600', 'ERROR', rate)
    present, made = [], 0
    for turn in range(turns):
        fresh = [f'{made + i}' for i in range(1000)]
        made += 1000
        client('CF.INSERT', name, 'ITEMS', *fresh)
        present += fresh
        source.shuffle(present)
        if len(present) > 4000:
            gone, present = present[:1000], present[1000:]
            assert client.pipeline([('CF.DEL', name, key) for key in gone]) == [1] * 1000
        answers = client('CF.MEXISTS', name, *present)
        assert all(answers), f'turn {turn}: {answers.count(0)} present keys are hidden'
        counts = client.pipeline([('CF.COUNT', name, key) for key in present[:200]])
        assert min(counts) >= 1
    info = as_map(client('CF.INFO', name))
    assert info[b'Number of items inserted'] == len(present)
    assert info[b'Number of filters'] <= 12, info
    return made, info[b'Number of filters']


def main():
    with served() as (_, client):
        for rate in ('0.01', '0.1', '0.2', '0.3'):
            made, links = churn(client, f'churn {rate}', rate, 250)
            print(f'error {rate}: {made} keys through {links} filters')


main()
