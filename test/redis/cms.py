#!/usr/bin/env python3
"""CMS.*: every command, its replies in RESP2 and RESP3, and the texts of its errors."""
import os
import random

from support.resp import as_map
from support.server import served


def check_replies(client):
    assert client('CMS.INITBYDIM', 'd', '1000', '5') == 'OK'
    assert client('CMS.INITBYPROB', 'p', '0.001', '0.01') == 'OK'
    assert client('CMS.INCRBY', 'd', 'a', '3') == [3]
    assert client('CMS.INCRBY', 'd', 'a', '4', 'b', '5') == [7, 5]
    assert client('CMS.INCRBY', 'd', 'c', '0') == [0]
    assert client('CMS.QUERY', 'd', 'a', 'b', 'nobody') == [7, 5, 0]
    assert as_map(client('CMS.INFO', 'd')) == {b'width': 1000, b'depth': 5, b'count': 12}
    # The dimensions of RedisBloom.
    assert as_map(client('CMS.INFO', 'p')) == {b'width': 2000, b'depth': 7, b'count': 0}
    for error, probability, width, depth in (('0.01', '0.01', 200, 7), ('0.002', '0.002', 1000, 9), ('0.3', '0.5', 7, 1), ('1e-5', '1e-30', 200000, 100)):
        client('DEL', 'p')
        client('CMS.INITBYPROB', 'p', error, probability)
        assert as_map(client('CMS.INFO', 'p')) == {b'width': width, b'depth': depth, b'count': 0}, (error, probability)
    assert client('CMS.INITBYDIM', 'deep', '10', '100') == 'OK' and client('CMS.INCRBY', 'deep', 'a', '3') == [3]


def check_bound(client):
    """Counts are never too low, and at most a share delta of the keys is more than eps x total too high."""
    source = random.Random(5)
    truth, eps, delta = {}, 0.002, 0.01
    client('CMS.INITBYPROB', 'bound', eps, delta)
    for _ in range(40):
        counts = {f'k{int(source.paretovariate(0.8)) % 20000}': source.randint(1, 9) for _ in range(500)}
        for key, count in counts.items():
            truth[key] = truth.get(key, 0) + count
        client('CMS.INCRBY', 'bound', *(word for pair in counts.items() for word in pair))
    total = sum(truth.values())
    assert as_map(client('CMS.INFO', 'bound'))[b'count'] == total
    keys = list(truth)
    estimates = client('CMS.QUERY', 'bound', *keys)
    assert all(estimate >= truth[key] for key, estimate in zip(keys, estimates))
    over = sum(estimate > truth[key] + eps * total for key, estimate in zip(keys, estimates))
    assert over <= delta * len(keys), (over, len(keys))


def check_merge(client):
    for name in ('s1', 's2', 'target'):
        client('CMS.INITBYDIM', name, '500', '4')
    client('CMS.INCRBY', 's1', 'x', '5', 'y', '1')
    client('CMS.INCRBY', 's2', 'x', '7', 'z', '2')
    client('CMS.INCRBY', 'target', 'old', '9')
    assert client('CMS.MERGE', 'target', '2', 's1', 's2') == 'OK'
    assert client('CMS.QUERY', 'target', 'x', 'y', 'z', 'old') == [12, 1, 2, 0]
    assert client('CMS.MERGE', 'target', '2', 's1', 's2', 'WEIGHTS', '10', '3') == 'OK'
    assert client('CMS.QUERY', 'target', 'x', 'y', 'z') == [71, 10, 6]
    assert as_map(client('CMS.INFO', 'target'))[b'count'] == 87
    assert client('CMS.MERGE', 'target', '2', 'target', 's1', 'WEIGHTS', '2', '0') == 'OK'
    assert client('CMS.QUERY', 'target', 'x', 'y', 'z') == [142, 20, 12]
    assert client('COMMAND', 'GETKEYS', 'CMS.MERGE', 't', '2', 's1', 's2', 'WEIGHTS', '1', '1') == [b't', b's1', b's2']
    client('CMS.INITBYDIM', 'wider', '501', '4')
    assert client.error('CMS.MERGE', 'wider', '1', 's1') == 'CMS: width/depth is not equal'
    before = client('DEBUG', 'DIGEST-VALUE', 'target')
    assert client.error('CMS.MERGE', 'target', '2', 's1', 's2', 'WEIGHTS', '2000000000', '1') == 'CMS: MERGE overflow'
    assert client('DEBUG', 'DIGEST-VALUE', 'target') == before


def check_negative_weights(client):
    """A sum with negative weights; refused whole if a counter would be below zero."""
    for cell in ('4', '8'):
        for name in ('plus', 'minus', 'signed'):
            client('DEL', name)
            client('CMS.INITBYDIM', name, '300', '4', 'CELL_SIZE', cell)
        client('CMS.INCRBY', 'plus', 'x', '10', 'y', '4')
        client('CMS.INCRBY', 'minus', 'x', '3', 'y', '1')
        assert client('CMS.MERGE', 'signed', '2', 'plus', 'minus', 'WEIGHTS', '2', '-3') == 'OK'
        assert client('CMS.QUERY', 'signed', 'x', 'y', 'z') == [11, 5, 0]
        assert as_map(client('CMS.INFO', 'signed'))[b'count'] == 16
        before = client('DEBUG', 'DIGEST-VALUE', 'signed')
        for weights in (('1', '-4'), ('-1', '1'), ('0', '-1')):
            assert client.error('CMS.MERGE', 'signed', '2', 'plus', 'minus', 'WEIGHTS', *weights) == 'CMS: MERGE overflow', weights
        assert client.error('CMS.MERGE', 'signed', '1', 'plus', 'WEIGHTS', '-9223372036854775808') == 'CMS: Cannot parse number'
        assert client('DEBUG', 'DIGEST-VALUE', 'signed') == before
        assert client('CMS.MERGE', 'signed', '3', 'plus', 'plus', 'minus', 'WEIGHTS', '5', '-4', '-1') == 'OK'
        assert client('CMS.QUERY', 'signed', 'x', 'y') == [7, 3]


def check_merge_of_equal_sources(client):
    """A source that is named many times is added once with the sum of its weights, and takes the time of one."""
    for name in ('one', 'sum'):
        client('CMS.INITBYDIM', name, '30', '2', 'CELL_SIZE', '8')
    client('CMS.INCRBY', 'one', 'x', '5')
    assert client('CMS.MERGE', 'sum', '4', 'one', 'one', 'sum', 'one', 'WEIGHTS', '1', '2', '7', '3') == 'OK'
    assert client('CMS.QUERY', 'sum', 'x') == [30] and as_map(client('CMS.INFO', 'sum'))[b'count'] == 30
    most = 2**63 - 1
    client('CMS.INITBYDIM', 'unit', '30', '2', 'CELL_SIZE', '8')
    client('CMS.INCRBY', 'unit', 'x', '1')
    assert client('CMS.MERGE', 'sum', '2', 'unit', 'unit', 'WEIGHTS', most, most) == 'OK'
    assert client.error('CMS.MERGE', 'sum', '3', *['unit'] * 3, 'WEIGHTS', most, most, '2') == 'CMS: MERGE overflow'
    for name in ('broad', 'into'):
        client('CMS.INITBYDIM', name, str(1 << 17), '1', 'CELL_SIZE', '8')
    assert client('CMS.MERGE', 'into', '2000', *['broad'] * 2000, 'WEIGHTS', *[most] * 2000) == 'OK'  # would take minutes with one addition per name


def check_overflow(client):
    client('CMS.INITBYDIM', 'narrow', '100', '3')
    assert client('CMS.INCRBY', 'narrow', 'a', '4294967295') == [4294967295]
    replies = client('CMS.INCRBY', 'narrow', 'a', '1', 'b', '2')
    assert str(replies[0]) == 'CMS: INCRBY overflow' and replies[1] >= 2, replies
    assert client('CMS.QUERY', 'narrow', 'a') == [4294967295]
    client('CMS.INITBYDIM', 'wide', '100', '3', 'CELL_SIZE', '8')
    assert client('CMS.INCRBY', 'wide', 'a', '4294967295', 'a', '10') == [4294967295, 4294967305]


def check_refused_are_not_repeated():
    """The AOF and replicas receive the counted pairs and not the refused ones."""
    with served('--appendonly', 'yes', '--appendfsync', 'always') as (server, client):
        client('CMS.INITBYDIM', 'narrow', '1', '1')
        client('CMS.INCRBY', 'narrow', 'counted', '4294967290')
        assert 'overflow' in str(client('CMS.INCRBY', 'narrow', 'refused alone', '6')[0])
        replies = client('CMS.INCRBY', 'narrow', 'refused first', '6', 'counted later', '5', 'refused last', '1')
        assert replies[1] == 4294967295, replies
        folder = os.path.join(server.folder, 'appendonlydir')
        written = b''.join(open(os.path.join(folder, name), 'rb').read() for name in os.listdir(folder))
        assert b'refused' not in written and b'counted later' in written, written
        before = client('DEBUG', 'DIGEST-VALUE', 'narrow')
        server.restart()
        assert server.client()('DEBUG', 'DIGEST-VALUE', 'narrow') == before


def check_errors(client):
    for words, wanted in (
            (['CMS.INITBYDIM', 'd', '1', '1'], 'CMS: key already exists'),
            (['CMS.INITBYDIM', 'e', '0', '1'], 'CMS: invalid width'),
            (['CMS.INITBYDIM', 'e', 'x', '1'], 'CMS: invalid width'),
            (['CMS.INITBYDIM', 'e', '10', '-1'], 'CMS: invalid depth'),
            (['CMS.INITBYPROB', 'e', '0', '0.1'], 'CMS: invalid overestimation value'),
            (['CMS.INITBYPROB', 'e', '0.1', '1'], 'CMS: invalid prob value'),
            (['CMS.INITBYDIM', 'e', '10', '1', 'CELL_SIZE', '5'], 'CMS: invalid cell size'),
            (['CMS.INCRBY', 'e', 'a', '1'], 'CMS: key does not exist'),
            (['CMS.INCRBY', 'd', 'a', 'x'], 'CMS: Cannot parse number'),
            (['CMS.INCRBY', 'd', 'a', '-1'], 'CMS: Number cannot be negative'),
            (['CMS.INCRBY', 'd', 'a', '1', 'b'], "ERR wrong number of arguments for 'cms.incrby' command"),
            (['CMS.QUERY', 'e', 'a'], 'CMS: key does not exist'),
            (['CMS.INFO', 'e'], 'CMS: key does not exist'),
            (['CMS.MERGE', 'e', '1', 'd'], 'CMS: key does not exist'),
            (['CMS.MERGE', 'd', '1', 'e'], 'CMS: key does not exist'),
            (['CMS.MERGE', 'd', '2', 'd'], 'CMS: wrong number of keys'),
            (['CMS.MERGE', 'd', '-1', 'd'], 'CMS: Number of keys must be positive'),
            (['CMS.MERGE', 'd', '1', 'd', 'WEIGHTS'], 'CMS: wrong number of keys/weights'),
            (['CMS.MERGE', 'd', '1', 'd', 'WEIGHTS', '1', '2'], 'CMS: wrong number of keys/weights'),
            (['CMS.MERGE', 'd', '1', 'd', 'WEIGHTS', 'x'], 'CMS: Cannot parse number'),
            (['BF.ADD', 'd', 'x'], 'WRONGTYPE Operation against a key holding the wrong kind of value')):
        got = client.error(*words)
        assert got.lower() == wanted.lower(), (words, got)
    assert client('EXISTS', 'e') == 0
    # If one number cannot be parsed, no key is counted.
    before = client('CMS.QUERY', 'd', 'a')
    client.error('CMS.INCRBY', 'd', 'a', '1', 'b', 'x')
    assert client('CMS.QUERY', 'd', 'a') == before


def check_restart(server):
    """Sketches created before and after a restart have the same hash key and can be merged."""
    client = server.client()
    client('CMS.INITBYDIM', 'before', '50', '3')
    client('CMS.INCRBY', 'before', 'x', '1')
    client('SAVE')
    server.restart()
    client = server.client()
    client('CMS.INITBYDIM', 'after', '50', '3')
    client('CMS.INCRBY', 'after', 'x', '2')
    assert client('CMS.MERGE', 'after', '2', 'before', 'after') == 'OK'
    assert client('CMS.QUERY', 'after', 'x') == [3]


def main():
    for protocol in (2, 3):
        with served(protocol=protocol) as (server, client):
            check_replies(client)
            check_bound(client)
            check_merge(client)
            check_negative_weights(client)
            check_merge_of_equal_sources(client)
            check_overflow(client)
            check_errors(client)
            if protocol == 2:
                check_restart(server)
    check_refused_are_not_repeated()


main()
