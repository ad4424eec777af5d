#!/usr/bin/env python3
"""CF.*: every command, its replies in RESP2 and RESP3, the texts of its errors, and churn in a stack that grew."""
import random

from support.resp import as_map
from support.server import served


def check_replies(client, yes, no):
    def expect(wanted, *words):
        got = client(*words)
        assert repr(got) == repr(wanted), (words, got)  # True is 1 otherwise

    expect('OK', 'CF.RESERVE', 'r', '1000')
    expect(yes, 'CF.ADD', 'r', 'a')
    expect(yes, 'CF.ADD', 'r', 'a')
    expect(2, 'CF.COUNT', 'r', 'a')
    expect(no, 'CF.ADDNX', 'r', 'a')
    expect(yes, 'CF.ADDNX', 'r', 'b')
    expect(yes, 'CF.EXISTS', 'r', 'b')
    expect(no, 'CF.EXISTS', 'r', 'c')
    expect(no, 'CF.EXISTS', 'nowhere', 'c')
    expect([yes, no], 'CF.MEXISTS', 'r', 'a', 'c')
    expect(yes, 'CF.DEL', 'r', 'a')
    expect(yes, 'CF.EXISTS', 'r', 'a')
    expect(yes, 'CF.DEL', 'r', 'a')
    expect(no, 'CF.DEL', 'r', 'a')
    expect(no, 'CF.EXISTS', 'r', 'a')
    expect(0, 'CF.COUNT', 'nowhere', 'a')
    expect([yes, yes], 'CF.INSERT', 'i', 'CAPACITY', '500', 'ITEMS', 'x', 'x')
    expect([0, 1], 'CF.INSERTNX', 'i', 'NOCREATE', 'ITEMS', 'x', 'y')
    expect(2, 'CF.COUNT', 'i', 'x')
    info = as_map(client('CF.INFO', 'r'))
    assert info.pop(b'Size') > 100 and info.pop(b'Number of buckets') == 1
    assert info == {b'Number of filters': 1, b'Number of items inserted': 1, b'Number of items deleted': 2,
                    b'Bucket size': 2, b'Expansion rate': 1, b'Max iterations': 20}, info
    client('CF.RESERVE', 'large', '100000')
    info = as_map(client('CF.INFO', 'large'))
    assert info[b'Size'] > 200000 and abs(info[b'Number of buckets'] - info[b'Size'] / 64) < 20, info
    assert client('CF.RESERVE', 'o', '100', 'BUCKETSIZE', '4', 'MAXITERATIONS', '7', 'EXPANSION', '2') == 'OK'
    info = as_map(client('CF.INFO', 'o'))
    assert (info[b'Bucket size'], info[b'Max iterations'], info[b'Expansion rate']) == (4, 7, 2)


def check_empty_dump(client):
    """As RedisBloom has it: nothing to dump. MBR.SCANDUMP dumps it."""
    client('CF.RESERVE', 'empty', '4')
    assert client('CF.SCANDUMP', 'empty', '0') == [0, None]
    for chunk in client.chunks('MBR.SCANDUMP', 'empty'):
        client('MBR.LOADCHUNK', 'empty copy', *chunk)
    assert client('DEBUG', 'DIGEST-VALUE', 'empty copy') == client('DEBUG', 'DIGEST-VALUE', 'empty')


def check_compact(client, yes):
    client('CF.RESERVE', 'shrinks', '1000')
    for first in range(0, 50000, 1000):
        client('CF.INSERT', 'shrinks', 'ITEMS', *range(first, first + 1000))
    client.pipeline([('CF.DEL', 'shrinks', i) for i in range(100, 50000)], 1000)
    before = as_map(client('CF.INFO', 'shrinks'))[b'Size'], client('DEBUG', 'DIGEST-VALUE', 'shrinks')
    assert client('CF.COMPACT', 'shrinks') == 'OK'
    assert as_map(client('CF.INFO', 'shrinks'))[b'Size'] < before[0] / 20 and client('DEBUG', 'DIGEST-VALUE', 'shrinks') == before[1]
    assert client('CF.MEXISTS', 'shrinks', *range(100)) == [yes] * 100
    assert client('MEMORY', 'USAGE', 'shrinks') < 8000


def check_full(client, yes, no):
    assert client('CF.RESERVE', 'full', '10', 'EXPANSION', '0') == 'OK'
    replies = client('CF.INSERT', 'full', 'ITEMS', *range(12))
    assert replies == [yes] * 10 + [no if yes is True else -1] * 2, replies
    assert client('CF.INSERTNX', 'full', 'ITEMS', '5', 'other') == [0, -1]
    assert client.error('CF.ADD', 'full', 'other') == 'Filter is full'
    assert client('CF.EXISTS', 'full', 'other') == no
    assert client('CF.DEL', 'full', '5') == yes and client('CF.ADD', 'full', 'other') == yes


def check_errors(client):
    client('SET', 'text', 'x')
    client('BF.ADD', 'bloom', 'x')
    for key in ('text', 'bloom'):
        for words in (['CF.ADD', key, 'a'], ['CF.DEL', key, 'a'], ['CF.COUNT', key, 'a'], ['CF.INFO', key]):
            assert client.error(*words).startswith('WRONGTYPE'), words
    for words, wanted in (
            (['CF.RESERVE', 'r', '100'], 'ERR item exists'),
            (['CF.RESERVE', 'e', 'x'], 'Bad capacity'),
            (['CF.RESERVE', 'e', '1'], 'Capacity must be in the range [2 * BUCKETSIZE, 1099511627776]'),
            (['CF.RESERVE', 'e', '-7'], 'Capacity must be in the range [2 * BUCKETSIZE, 1099511627776]'),
            (['CF.RESERVE', 'e', '1099511627777'], 'Capacity must be in the range [2 * BUCKETSIZE, 1099511627776]'),
            (['CF.RESERVE', 'e', '7', 'BUCKETSIZE', '4'], 'Capacity must be in the range [2 * BUCKETSIZE, 1099511627776]'),
            (['CF.RESERVE', 'e', '100', 'BUCKETSIZE', 'x'], "Couldn't parse BUCKETSIZE"),
            (['CF.RESERVE', 'e', '100', 'BUCKETSIZE', '0'], 'BUCKETSIZE: value must be in the range [1, 255]'),
            (['CF.RESERVE', 'e', '100', 'MAXITERATIONS'], "ERR wrong number of arguments for 'cf.reserve' command"),
            (['CF.RESERVE', 'e', '100', 'EXPANSION', '40000'], 'EXPANSION: value must be in the range [0, 32768]'),
            (['CF.INSERT', 'e', 'NOCREATE', 'ITEMS', 'a'], 'ERR not found'),
            (['CF.INSERT', 'e', 'CAPACITY', '3', 'ITEMS', 'a'], 'Capacity must be in the range [cf-bucket-size * 2, 1099511627776]'),
            (['CF.INSERT', 'e', 'COLOUR', 'ITEMS', 'a'], 'Unknown argument received'),
            (['CF.INSERT', 'e', 'NOCREATE', 'ITEMS'], "ERR wrong number of arguments for 'cf.insert' command"),
            (['CF.DEL', 'e', 'a'], 'Not found'),
            (['CF.INFO', 'e'], 'ERR not found'),
            (['CF.SCANDUMP', 'e', '0'], 'ERR not found'),
            (['CF.SCANDUMP', 'bloom', '0'], 'WRONGTYPE Operation against a key holding the wrong kind of value')):
        got = client.error(*words)
        assert got.lower() == wanted.lower(), (words, got)
    assert client('EXISTS', 'e') == 0


def check_churn(client, yes):
    """Two links with a high error rate, so that erasing often removes the entry of another key: no false negative may follow."""
    source = random.Random(3)
    assert client('CF.RESERVE', 'churn', '300', 'GROWTO', '500', 'ERROR', '0.2') == 'OK'
    present = []
    for step in range(25):
        fresh = [f'{step} {i}' for i in range(300)]
        client('CF.INSERT', 'churn', 'ITEMS', *fresh)
        present += fresh
        source.shuffle(present)
        while len(present) > 1500:
            gone = [present.pop() for _ in range(300)]
            assert client.pipeline([('CF.DEL', 'churn', key) for key in gone]) == [yes] * 300
        assert client('CF.MEXISTS', 'churn', *present) == [yes] * len(present), step
    info = as_map(client('CF.INFO', 'churn'))
    assert info[b'Number of items inserted'] == len(present) == 1500
    assert info[b'Number of filters'] == 2, info  # erased keys make room for new ones
    client.pipeline([('CF.DEL', 'churn', key) for key in present])
    assert as_map(client('CF.INFO', 'churn'))[b'Number of items inserted'] == 0
    assert client('CF.MEXISTS', 'churn', *present) == [not yes] * len(present)


def check_rate(client, yes):
    keys, strangers = 31000, 50000
    client('CF.RESERVE', 'rate', '1000', 'GROWTO', keys)
    for first in range(0, keys, 1000):
        client('CF.INSERT', 'rate', 'ITEMS', *range(first, first + 1000))
    assert as_map(client('CF.INFO', 'rate'))[b'Number of filters'] == 1
    wrong = sum(sum(client('CF.MEXISTS', 'rate', *(f's{i}' for i in range(first, first + 1000))))
                for first in range(0, strangers, 1000))
    # The first link gets three quarters of the rate, and has used up its promise. Five standard deviations.
    wanted = 0.0075 * strangers
    assert abs(wrong - wanted) <= 5 * wanted ** 0.5, (wrong, wanted)
    for chunk in client.chunks('CF.SCANDUMP', 'rate'):
        assert client('CF.LOADCHUNK', 'rate copy', *chunk) == 'OK'
    assert client('DEBUG', 'DIGEST-VALUE', 'rate') == client('DEBUG', 'DIGEST-VALUE', 'rate copy')
    assert client('CF.DEL', 'rate copy', '17') == yes


def main():
    for protocol, yes, no in ((2, 1, 0), (3, True, False)):
        with served(protocol=protocol) as (_, client):
            check_replies(client, yes, no)
            check_empty_dump(client)
            check_compact(client, yes)
            check_full(client, yes, no)
            check_errors(client)
            check_churn(client, yes)
            check_rate(client, yes)


main()
