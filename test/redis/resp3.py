#!/usr/bin/env python3
"""Every BF, CF, CMS and TOPK command in RESP3: the very types that npm's redis client takes without conversion (test/redis/support/
node_client.mjs has the same requests). python3-redis 4.3.4 knows RESP2 alone, so that these are asked by the tests' own client."""
from support.server import served


class Chunk:
    """A chunk of SCANDUMP: an iterator and bytes."""


def same(got, wanted):
    """Equal, and of equal types: 1 is not true, and a map not a list."""
    if wanted is Chunk:
        return isinstance(got, list) and len(got) == 2 and type(got[0]) is int and isinstance(got[1], bytes)
    if isinstance(wanted, type):
        return type(got) is wanted
    if type(got) is not type(wanted):
        return False
    if isinstance(wanted, list):
        return len(got) == len(wanted) and all(same(a, b) for a, b in zip(got, wanted))
    if isinstance(wanted, dict):
        return list(got) == list(wanted) and all(same(got[name], wanted[name]) for name in wanted)
    return got == wanted


REQUESTS = [
    ('BF.RESERVE bf 0.01 1000 EXPANSION 2', 'OK'),
    ('BF.ADD bf a', True),
    ('BF.ADD bf a', False),
    ('BF.MADD bf a b c', [False, True, True]),
    ('BF.EXISTS bf b', True),
    ('BF.EXISTS bf z', False),
    ('BF.MEXISTS bf a z', [True, False]),
    ('BF.INSERT bf2 CAPACITY 100 ERROR 0.01 ITEMS x y', [True, True]),
    ('BF.CARD bf', 3),
    ('BF.INFO bf', {b'Capacity': 1000, b'Size': int, b'Number of filters': 1, b'Number of items inserted': 3, b'Expansion rate': 2}),
    ('BF.INFO bf CAPACITY', {b'Capacity': 1000}),
    ('BF.RESERVE fixed 0.01 10 NONSCALING', 'OK'),
    ('BF.INFO fixed EXPANSION', {b'Expansion rate': None}),
    ('BF.SCANDUMP bf 0', Chunk),
    ('CF.RESERVE cf 1000 BUCKETSIZE 4 MAXITERATIONS 10 EXPANSION 1', 'OK'),
    ('CF.ADD cf a', True),
    ('CF.ADDNX cf a', False),
    ('CF.COUNT cf a', 1),
    ('CF.EXISTS cf a', True),
    ('CF.MEXISTS cf a z', [True, False]),
    ('CF.INSERT cf ITEMS b b', [True, True]),
    ('CF.INSERTNX cf ITEMS b c', [0, 1]),
    ('CF.DEL cf b', True),
    ('CF.DEL cf nobody', False),
    ('CF.INFO cf', {b'Size': int, b'Number of buckets': int, b'Number of filters': 1, b'Number of items inserted': 3,
                    b'Number of items deleted': 1, b'Bucket size': 4, b'Expansion rate': 1, b'Max iterations': 10}),
    ('CF.COMPACT cf', 'OK'),
    ('CF.SCANDUMP cf 0', Chunk),
    ('CF.RESERVE empty 4', 'OK'),
    ('CF.SCANDUMP empty 0', [0, None]),
    ('CMS.INITBYDIM cms 1000 5', 'OK'),
    ('CMS.INITBYPROB cmsp 0.01 0.01', 'OK'),
    ('CMS.INCRBY cms a 3 b 4', [3, 4]),
    ('CMS.QUERY cms a z', [3, 0]),
    ('CMS.INITBYDIM sum 1000 5', 'OK'),
    ('CMS.MERGE sum 1 cms WEIGHTS 2', 'OK'),
    ('CMS.QUERY sum a', [6]),
    ('CMS.INFO cms', {b'width': 1000, b'depth': 5, b'count': 7}),
    ('CMS.MERGE sum 2 cms sum', 'OK'),
    ('TOPK.RESERVE topk 3 50 4 0.9', 'OK'),
    ('TOPK.ADD topk a b a', [None, None, None]),
    ('TOPK.INCRBY topk c 7 d 8', [None, b'b']),
    ('TOPK.QUERY topk a b', [True, False]),
    ('TOPK.COUNT topk a c', [2, 7]),
    ('TOPK.LIST topk', [b'd', b'c', b'a']),
    ('TOPK.LIST topk WITHCOUNT', [b'd', 8, b'c', 7, b'a', 2]),
    ('TOPK.INFO topk', {b'k': 3, b'width': 50, b'depth': 4, b'decay': 0.9}),
]


def main():
    with served(protocol=3) as (_, client):
        wrong = []
        for request, wanted in REQUESTS:
            client.send(*request.split())
            got = client.read()
            if not same(got, wanted):
                wrong.append(f'{request}: {got!r}, expected {wanted!r}')
        assert not wrong, '\n'.join(wrong)
        for family, key in (('BF', 'bf'), ('CF', 'cf')):
            for iterator, data in client.chunks(f'{family}.SCANDUMP', key):
                assert client(f'{family}.LOADCHUNK', key + '3', iterator, data) == 'OK'
            assert client(f'{family}.EXISTS', key + '3', 'a') is True
        asked = {request.split()[0] for request, _ in REQUESTS} | {'BF.LOADCHUNK', 'CF.LOADCHUNK'}
        served_here = {name.decode().upper() for name in client('COMMAND', 'LIST')}
        missing = {name for name in served_here if name.startswith(('BF.', 'CF.', 'CMS.', 'TOPK.'))} - asked
        assert not missing, missing


main()
