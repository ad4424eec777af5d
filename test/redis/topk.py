#!/usr/bin/env python3
"""TOPK.*: every command, its replies in RESP2 and RESP3, the texts of its errors, frequent items in a stream, saving and replicas."""
import collections
import random

from support.resp import as_map
from support.server import Server, served
from support.waiting import wait_for


def check_replies(client, yes, no):
    def expect(wanted, *words):
        got = client(*words)
        assert repr(got) == repr(wanted), (words, got)  # True is 1 otherwise

    expect('OK', 'TOPK.RESERVE', 'list', '3', '50', '4', '0.9')
    items = 'A B C D E A A B C G D B D A E E 1'.split()
    # Which item leaves among equally frequent ones is as RedisBloom has it.
    expect([None, None, None, b'A', b'C', b'D', None, None, b'E', None, b'B', b'C', None, None, None, b'D', None], 'TOPK.ADD', 'list', *items)
    expect([yes, yes, no, no, yes, no, no], 'TOPK.QUERY', 'list', *'ABCDEFG')
    expect([4, 3, 2, 3, 3, 0, 1], 'TOPK.COUNT', 'list', *'ABCDEFG')
    expect([b'A', b'B', b'E'], 'TOPK.LIST', 'list')
    expect([b'A', 4, b'B', 3, b'E', 3], 'TOPK.LIST', 'list', 'withcount')
    info = as_map(client('TOPK.INFO', 'list'))
    assert float(info.pop(b'decay')) == 0.9 and info == {b'k': 3, b'width': 50, b'depth': 4}, info
    expect('OK', 'TOPK.RESERVE', 'by', '3', '10', '3', '1')
    expect([None, None, None], 'TOPK.INCRBY', 'by', 'bar', '3', 'baz', '6', '42', '2')
    expect([None, b'bar'], 'TOPK.INCRBY', 'by', '42', '8', 'xyzzy', '4')
    expect([3, 6, 10, 4, 0], 'TOPK.COUNT', 'by', 'bar', 'baz', '42', 'xyzzy', '4')
    expect('OK', 'TOPK.RESERVE', 'words', '5', '20', '4', '0.9')
    client('TOPK.ADD', 'words', *'infinity B nan D -infinity infinity infinity B nan G D B D infinity -infinity -infinity'.split())
    expect([b'infinity', b'B', b'D', b'-infinity', b'nan'], 'TOPK.LIST', 'words')
    expect('OK', 'TOPK.RESERVE', 'usual', '10')
    info = as_map(client('TOPK.INFO', 'usual'))
    assert (info[b'width'], info[b'depth'], float(info[b'decay'])) == (8, 7, 0.9)
    expect([], 'TOPK.LIST', 'usual')
    expect([None, None], 'TOPK.ADD', 'usual', '', b'\x00\xff')
    expect([b'', b'\x00\xff'], 'TOPK.LIST', 'usual') if client('TOPK.LIST', 'usual')[0] == b'' else expect([b'\x00\xff', b''], 'TOPK.LIST', 'usual')


def check_errors(client):
    client('SET', 'text', 'x')
    client('BF.ADD', 'bloom', 'x')
    for key in ('text', 'bloom'):
        for words in (['TOPK.ADD', key, 'a'], ['TOPK.LIST', key], ['TOPK.INFO', key], ['TOPK.QUERY', key, 'a']):
            assert client.error(*words).startswith('WRONGTYPE'), words
    for words in (['BF.ADD', 'list', 'a'], ['CMS.QUERY', 'list', 'a'], ['MBR.STATS', 'list']):
        assert client.error(*words).startswith('WRONGTYPE'), words
    for words, wanted in (
            (['TOPK.RESERVE', 'list', '3'], 'TopK: key already exists'),
            (['TOPK.RESERVE', 'e', '0'], 'TopK: invalid k'),
            (['TOPK.RESERVE', 'e', 'x'], 'TopK: invalid k'),
            (['TOPK.RESERVE', 'e', '3', '0', '7', '0.9'], 'TopK: invalid width'),
            (['TOPK.RESERVE', 'e', '3', '8', '-1', '0.9'], 'TopK: invalid depth'),
            (['TOPK.RESERVE', 'e', '3', '8', '7', '0'], "TopK: invalid decay value. must be '<= 1' & '> 0'"),
            (['TOPK.RESERVE', 'e', '3', '8', '7', '1.1'], "TopK: invalid decay value. must be '<= 1' & '> 0'"),
            (['TOPK.RESERVE', 'e', '3', '8'], "ERR wrong number of arguments for 'topk.reserve' command"),
            (['TOPK.ADD', 'e', 'a'], 'TopK: key does not exist'),
            (['TOPK.INCRBY', 'list', 'a', '0'],
             'TopK: increment must be an integer greater or equal to 1 and smaller or equal to 100,000'),
            (['TOPK.INCRBY', 'list', 'a', '100001'],
             'TopK: increment must be an integer greater or equal to 1 and smaller or equal to 100,000'),
            (['TOPK.INCRBY', 'list', 'a', '1', 'b'], "ERR wrong number of arguments for 'topk.incrby' command"),
            (['TOPK.QUERY', 'e', 'a'], 'TopK: key does not exist'),
            (['TOPK.COUNT', 'e', 'a'], 'TopK: key does not exist'),
            (['TOPK.LIST', 'e'], 'TopK: key does not exist'),
            (['TOPK.INFO', 'e'], 'TopK: key does not exist')):
        got = client.error(*words)
        assert got.lower() == wanted.lower(), (words, got)
    assert client('EXISTS', 'e') == 0


def check_stream(client):
    """Every item that comes more often than the last of the list by more than the sketch errs is in the list."""
    source = random.Random(8)
    truth = collections.Counter()
    client('TOPK.RESERVE', 'stream', '20', '1000', '5', '0.9')
    for _ in range(100):
        items = [f'item {int(source.paretovariate(0.9))}' for _ in range(500)]
        truth.update(items)
        client('TOPK.ADD', 'stream', *items)
    listed = client('TOPK.LIST', 'stream', 'WITHCOUNT')
    counts = dict(zip((item.decode() for item in listed[::2]), listed[1::2]))
    assert len(counts) == 20 and list(counts.values()) == sorted(counts.values(), reverse=True)
    assert all(count >= truth[item] for item, count in counts.items())
    # An estimate is too high by 2 / width of the total with a chance of 2^-5 at most in all rows; conservative updates make it less.
    total = sum(truth.values())
    assert sum(count > truth[item] + 2 / 1000 * total for item, count in counts.items()) <= 2
    for item, count in truth.most_common(10):
        assert item in counts, (item, count, counts)


def check_saving():
    with served('--appendonly', 'yes', hash_key=None) as (server, client), Server(hash_key=None) as replica_server:
        replica = replica_server.client()
        replica('REPLICAOF', '127.0.0.1', server.port)
        wait_for(replica, b'master_link_status', b'up', 'replication')
        client('TOPK.RESERVE', 'list', '50', '100', '5', '0.9')
        client('TOPK.RESERVE', 'empty', '5')
        for step in range(20):
            client('TOPK.ADD', 'list', *(f'item {i % (step + 7)}' for i in range(200)))
        client('TOPK.INCRBY', 'list', 'x' * 1000, '70')
        assert client('WAIT', '1', '5000') == 1
        before = client('DEBUG', 'DIGEST'), client('TOPK.LIST', 'list', 'WITHCOUNT')
        assert (replica('DEBUG', 'DIGEST'), replica('TOPK.LIST', 'list', 'WITHCOUNT')) == before
        for prepare in ([], ['BGREWRITEAOF'], ['CONFIG', 'SET', 'aof-use-rdb-preamble', 'no'], ['BGREWRITEAOF']):
            if prepare:
                client(*prepare)
                wait_for(client, b'aof_rewrite_in_progress')
                if prepare[0] == 'CONFIG':
                    continue
            server.restart()
            client = server.client()
            assert (client('DEBUG', 'DIGEST'), client('TOPK.LIST', 'list', 'WITHCOUNT')) == before
        for key in ('list', 'empty'):
            digest = client('DEBUG', 'DIGEST-VALUE', key)
            client('RESTORE', 'restored', '0', client('DUMP', key))
            client('COPY', key, 'copied')
            for chunk in client.chunks('MBR.SCANDUMP', key):
                client('MBR.LOADCHUNK', 'loaded', *chunk)
            for copy in ('restored', 'copied', 'loaded'):
                assert client('DEBUG', 'DIGEST-VALUE', copy) == digest
            client('DEL', 'restored', 'copied', 'loaded')
        assert 16 * 50 * 5 * 8 < client('MEMORY', 'USAGE', 'list') < 1.25 * 16 * 50 * 5 * 8 + 10000
        # The copy of a replica goes on alike.
        client('TOPK.ADD', 'list', *range(100))
        assert client('WAIT', '1', '5000') == 1 and client('DEBUG', 'DIGEST') == replica('DEBUG', 'DIGEST')


def main():
    for protocol, yes, no in ((2, 1, 0), (3, True, False)):
        with served(protocol=protocol) as (_, client):
            check_replies(client, yes, no)
            check_errors(client)
            check_stream(client)
    check_saving()


main()
