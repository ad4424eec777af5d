#!/usr/bin/env python3
"""BF.*: every command, its replies in RESP2 and RESP3, and the texts of its errors."""
import math

from support.resp import as_map
from support.server import served


def check_replies(client, yes, no):
    def expect(wanted, *words):
        got = client(*words)
        assert repr(got) == repr(wanted), (words, got)  # True is 1 otherwise

    expect('OK', 'BF.RESERVE', 'r', '0.01', '1000')
    expect(yes, 'BF.ADD', 'r', 'one')
    expect(no, 'BF.ADD', 'r', 'one')
    expect(yes, 'BF.EXISTS', 'r', 'one')
    expect(no, 'BF.EXISTS', 'r', 'two')
    expect(no, 'BF.EXISTS', 'nowhere', 'two')
    expect([no, yes, yes], 'BF.MADD', 'r', 'one', 'two', 'three')
    expect([yes, no, yes], 'BF.MEXISTS', 'r', 'one', 'four', 'three')
    expect([no, no], 'BF.MEXISTS', 'nowhere', 'a', 'b')
    expect(3, 'BF.CARD', 'r')
    expect(0, 'BF.CARD', 'nowhere')
    expect([yes, yes, no], 'BF.INSERT', 'i', 'CAPACITY', '50', 'ERROR', '0.001', 'EXPANSION', '3', 'ITEMS', 'a', 'b', 'a')
    expect([no, yes], 'BF.INSERT', 'i', 'NOCREATE', 'ITEMS', 'a', 'c')
    for key, item in (('', b'\x00\xff binary'), ('r', '')):
        expect(yes, 'BF.ADD', key, item)
        expect(yes, 'BF.EXISTS', key, item)


def check_info(client, protocol):
    def field(key, name, title):
        reply = client('BF.INFO', key, name)
        if protocol == 2:
            assert len(reply) == 1, reply
            return reply[0]
        assert list(reply) == [title], reply
        return reply[title]

    assert client('BF.RESERVE', 'info', '0.01', '70', 'EXPANSION', '4') == 'OK'
    client('BF.MADD', 'info', *range(50))
    info = as_map(client('BF.INFO', 'info'))
    size = info.pop(b'Size')
    assert info == {b'Capacity': 70, b'Number of filters': 1, b'Number of items inserted': client('BF.CARD', 'info'),
                    b'Expansion rate': 4}, info
    # Lower bound: log2(1/fpr) bits per key at the rate of the first link, which is half of the stack's. MEMORY USAGE also counts the key.
    assert 70 * math.log2(1 / 0.005) / 8 < size <= client('MEMORY', 'USAGE', 'info'), size
    assert field('info', 'CAPACITY', b'Capacity') == 70
    assert field('info', 'size', b'Size') == size
    assert field('info', 'FILTERS', b'Number of filters') == 1
    assert field('info', 'ITEMS', b'Number of items inserted') == client('BF.CARD', 'info')
    assert field('info', 'EXPANSION', b'Expansion rate') == 4
    assert client('BF.RESERVE', 'fixed', '0.01', '10', 'NONSCALING') == 'OK'
    assert as_map(client('BF.INFO', 'fixed'))[b'Expansion rate'] is None
    assert field('fixed', 'EXPANSION', b'Expansion rate') == None
    assert client('BF.RESERVE', 'fixed0', '0.01', '10', 'EXPANSION', '0') == 'OK'
    assert field('fixed0', 'EXPANSION', b'Expansion rate') == None


def check_many_links(client, yes):
    """A stack of a kind that does not grow, with more than 64 links; and options that INSERT takes together."""
    assert client('BF.RESERVE', 'many', '0.01', '4', 'EXPANSION', '1', 'KIND', 'bloom') == 'OK'
    for first in range(0, 400, 50):
        client('BF.MADD', 'many', *range(first, first + 50))
    assert as_map(client('BF.INFO', 'many'))[b'Number of filters'] > 90
    assert client('BF.MEXISTS', 'many', *range(400)) == [yes] * 400
    assert client('BF.INSERT', 'both', 'EXPANSION', '2', 'NONSCALING', 'ITEMS', 'a') == [yes]
    assert as_map(client('BF.INFO', 'both'))[b'Expansion rate'] is None
    client('COPY', 'many', 'many copy')
    assert client('BF.INFO', 'many copy') == client('BF.INFO', 'many')


def check_growing(client):
    """GROWTO, and what BF.INFO shows while a filter grows: the capacity of RedisBloom's stack, and one filter."""
    client('BF.RESERVE', 'g', '0.01', '100', 'EXPANSION', '3')
    client('BF.MADD', 'g', *range(100))
    for keys, capacity in ((100, 100), (101, 400), (400, 400), (401, 1300)):
        for i in range(1000, 2000):
            if client('BF.CARD', 'g') == keys:
                break
            client('BF.ADD', 'g', i)
        info = as_map(client('BF.INFO', 'g'))
        assert info[b'Number of filters'] == 1 and info[b'Capacity'] == capacity, (keys, info)
    assert 'fewer keys than the capacity' in client.error('BF.RESERVE', 'e', '0.01', '100', 'GROWTO', '99')
    assert 'Nonscaling' in client.error('BF.RESERVE', 'e', '0.01', '100', 'GROWTO', '200', 'NONSCALING')
    assert 'does not grow' in client.error('BF.RESERVE', 'e', '0.01', '100', 'GROWTO', '200', 'KIND', 'bloom')
    # What can become larger takes more memory: log2(64) bits for each key.
    for name, options in (('exact', ['NONSCALING']), ('more', ['GROWTO', str(64 * 100000)])):
        client('BF.RESERVE', name, '0.01', '100000', *options)
    sizes = [as_map(client('BF.INFO', name))[b'Size'] for name in ('exact', 'more')]
    assert 5 < 8 * (sizes[1] - sizes[0]) / 100000 < 8.5, sizes


def check_low_rates(client, yes):
    """Filters tell 2^54 numbers apart: up to keys / rate of them they grow; what can never have a thousand keys is refused at once."""
    for rate, capacity, keys in (('1e-9', 1000000, 3000), ('1e-9', 100, 20000), ('1e-12', 100, 12000)):
        assert client('BF.RESERVE', 'low', rate, capacity) == 'OK'
        for first in range(0, keys, 1000):
            assert client('BF.MADD', 'low', *range(first, first + 1000)) == [yes] * 1000, (rate, capacity, first)
        assert client('BF.MEXISTS', 'low', *range(keys)) == [yes] * keys
        assert sum(client('BF.MEXISTS', 'low', *range(-keys, 0))) == 0
        client('DEL', 'low')
    for words in (['1e-15', '1'], ['1e-12', '1000000'], ['1e-300', '10']):
        refusal = client.error('BF.RESERVE', 'low', *words)
        assert 'KIND bloom has no such limit' in refusal, refusal
    assert client('BF.RESERVE', 'low', '1e-15', '10', 'NONSCALING') == 'OK'
    assert client('BF.MADD', 'low', *range(10)) == [yes] * 10
    assert client('BF.RESERVE', 'low bloom', '1e-15', '10', 'KIND', 'bloom') == 'OK'
    assert client('BF.MADD', 'low bloom', *range(1000)) == [yes] * 1000
    client('DEL', 'low', 'low bloom')


def check_full(client, yes):
    """A filter that does not grow stores as many keys as its capacity; then the array of replies ends with an error."""
    assert client('BF.RESERVE', 'small', '0.0001', '8', 'NONSCALING') == 'OK'
    replies = client('BF.MADD', 'small', *(f'key {i}' for i in range(20)))
    assert replies[:8] == [yes] * 8 and len(replies) == 9, replies
    assert str(replies[8]) == 'ERR non scaling filter is full'
    assert client.error('BF.ADD', 'small', 'other') == 'ERR non scaling filter is full'
    assert client('BF.EXISTS', 'small', 'other') == (not yes)
    assert client('BF.CARD', 'small') == 8


def check_errors(client):
    client('SET', 'text', 'x')
    wrong_type = 'WRONGTYPE Operation against a key holding the wrong kind of value'
    for words in (['BF.ADD', 'text', 'a'], ['BF.EXISTS', 'text', 'a'], ['BF.MEXISTS', 'text', 'a'], ['BF.CARD', 'text'],
                  ['BF.INFO', 'text'], ['BF.RESERVE', 'text', '0.1', '10'], ['BF.SCANDUMP', 'text', '0'],
                  ['BF.LOADCHUNK', 'text', '2', 'x'], ['MBR.STATS', 'text'], ['MBR.MERGE', 'text', 'text']):
        assert client.error(*words) == wrong_type, words
    client('BF.ADD', 'there', 'a')
    for words, wanted in (
            (['BF.RESERVE', 'there', '0.1', '10'], 'ERR item exists'),
            (['BF.RESERVE', 'e', 'x', '10'], 'ERR bad error rate'),
            (['BF.RESERVE', 'e', '0', '10'], 'ERR error rate must be in the range (0.000000, 1.000000)'),
            (['BF.RESERVE', 'e', '1', '10'], 'ERR error rate must be in the range (0.000000, 1.000000)'),
            (['BF.RESERVE', 'e', '0.1', 'x'], 'ERR bad capacity'),
            (['BF.RESERVE', 'e', '0.1', '0'], 'ERR capacity must be in the range [1, 1099511627776]'),
            (['BF.RESERVE', 'e', '0.1', '-5'], 'ERR capacity must be in the range [1, 1099511627776]'),
            (['BF.RESERVE', 'e', '0.1', '10', 'EXPANSION', 'x'], 'ERR bad expansion'),
            (['BF.RESERVE', 'e', '0.1', '10', 'EXPANSION'], 'ERR no expansion'),
            (['BF.RESERVE', 'e', '0.1', '10', 'EXPANSION', '-1'], 'ERR expansion must be in the range [0, 32768]'),
            (['BF.RESERVE', 'e', '0.1', '10', 'NONSCALING', 'EXPANSION', '2'], 'Nonscaling filters cannot expand'),
            (['BF.RESERVE', 'e', '0.1', '10', 'KIND', 'nothing'], "ERR bad kind: no kind 'nothing'"),
            (['BF.RESERVE', 'e', '0.1', '10', 'HASHKEY', 'zz'], 'ERR bad hash key: 32 hexadecimal digits'),
            (['BF.RESERVE', 'e', '0.1', '10', 'COLOUR'], 'ERR unknown argument received'),
            (['BF.INSERT', 'e', 'NOCREATE', 'ITEMS', 'a'], 'ERR not found'),
            (['BF.INSERT', 'e', 'CAPACITY', 'x', 'ITEMS', 'a'], 'Bad capacity'),
            (['BF.INSERT', 'e', 'ERROR', 'x', 'ITEMS', 'a'], 'Bad error rate'),
            (['BF.INSERT', 'e', 'EXPANSION', 'x', 'ITEMS', 'a'], 'Bad expansion'),
            (['BF.INSERT', 'e', 'COLOUR', 'ITEMS', 'a'], 'Unknown argument received'),
            (['BF.INSERT', 'e', 'CAPACITY', '10'], "ERR wrong number of arguments for 'bf.insert' command"),
            (['BF.INSERT', 'e', 'NOCREATE', 'ITEMS'], "ERR wrong number of arguments for 'bf.insert' command"),
            (['BF.ADD', 'e'], "ERR wrong number of arguments for 'BF.ADD' command"),
            (['BF.INFO', 'e'], 'ERR not found'),
            (['BF.INFO', 'there', 'COLOUR'], 'Invalid information value'),
            (['BF.SCANDUMP', 'e', '0'], 'ERR not found'),
            (['BF.SCANDUMP', 'there', 'x'], 'Second argument must be numeric'),
            (['BF.LOADCHUNK', 'e', 'x', 'data'], 'ERR Second argument must be numeric')):
        got = client.error(*words)
        assert got.lower() == wanted.lower(), (words, got)
    assert client('EXISTS', 'e') == 0


def check_kinds(client, yes):
    """KIND selects the structure, HASHKEY sets the hash key."""
    key = '00112233445566778899aabbccddeeff'
    for kind in ('bloom:k=5', 'blocked_bloom', 'counting_bloom'):
        assert client('BF.RESERVE', kind, '0.01', '100', 'KIND', kind, 'HASHKEY', key) == 'OK'
        assert client('BF.ADD', kind, 'a') == yes
        assert kind.split(':')[0].encode() in str(client('MBR.STATS', kind)).encode()
    for kind in ('choice_bloom', 'balanced_bloom', 'blocked_bloom:k=6', 'bloom:probes=enhanced,k=64', 'rank:mode=counting', 'balanced_rank:lines=20'):
        assert 'would keep all clients waiting' in client.error('BF.RESERVE', 'e', '0.01', '100', 'KIND', kind), kind
    assert client('EXISTS', 'e') == 0


def check_chunks(client, yes):
    client('BF.RESERVE', 'big', '0.0001', '1000000', 'EXPANSION', '1')
    client('BF.MADD', 'big', *range(1000))
    chunks = client.chunks('BF.SCANDUMP', 'big')
    assert len(chunks) > 1
    for number, data in chunks[:-1]:
        assert client('BF.LOADCHUNK', 'loaded', number, data) == 'OK'
    assert 'being loaded' in client.error('BF.EXISTS', 'loaded', '1')
    assert 'next chunk begins' in client.error('BF.LOADCHUNK', 'loaded', *chunks[0])
    number, data = chunks[-1]
    assert 'received bad data' in client.error('BF.LOADCHUNK', 'loaded', number, data[:-1] + bytes([data[-1] ^ 1]))
    assert client('BF.LOADCHUNK', 'loaded', number, data) == 'OK'
    assert client('DEBUG', 'DIGEST-VALUE', 'loaded') == client('DEBUG', 'DIGEST-VALUE', 'big')
    assert client('BF.MEXISTS', 'loaded', *range(1000)) == [yes] * 1000
    assert client.error('BF.LOADCHUNK', 'loaded', *chunks[0]) == 'ERR item exists'
    assert client.error('BF.LOADCHUNK', 'empty', *chunks[1]) == 'ERR invalid offset - no link found'


def check_chunks_while_growing(client, yes, add, family, words):
    """A growth is ended in steps: empty chunks until it has ended, which the usual loop passes on; DUMP ends it at once."""
    key = f'{family} growing'
    client(f'{family}.RESERVE', key, *(('0.01', '1000') if family == 'BF' else ('1000',)))
    keys = 100_000
    for first in range(0, keys, 1000):
        client(f'{family}.{"MADD" if family == "BF" else "INSERT"}', key, *words, *range(first, first + 1000))
    for command, load in ((f'{family}.SCANDUMP', f'{family}.LOADCHUNK'), ('MBR.DUMP', 'MBR.LOAD')):
        keys = client.add_until_growing(add, key, keys)
        chunks = client.chunks(command, key)
        empty = [chunk for chunk in chunks if chunk == (1, b'')]
        assert len(empty) >= 2 and chunks[len(empty)][1], (command, len(empty))
        for chunk in chunks:
            assert client(load, 'copy', *chunk) == 'OK', (load, chunk[0], len(chunk[1]))
        assert client('MBR.MEXISTS', 'copy', *range(keys)) == [yes] * keys
        if command != 'MBR.DUMP':
            assert client('DEBUG', 'DIGEST-VALUE', 'copy') == client('DEBUG', 'DIGEST-VALUE', key)
        assert client.error(load, 'copy', 1, b'') == 'ERR item exists'
        client('DEL', 'copy')
    # A chunk that is empty makes no key, and must be for the place where the next bytes belong.
    assert client('BF.LOADCHUNK', 'copy', 1, b'') == 'OK' and client('EXISTS', 'copy') == 0
    assert client.error('BF.LOADCHUNK', 'copy', 9, b'') == 'ERR invalid offset - no link found'
    assert 'do not fit' in client.error('BF.LOADCHUNK', 'copy', 0, b'')
    keys = client.add_until_growing(add, key, keys)
    assert client('RESTORE', 'copy', 0, client('DUMP', key)) == 'OK'
    assert client('DEBUG', 'DIGEST-VALUE', 'copy') == client('DEBUG', 'DIGEST-VALUE', key)
    client('DEL', 'copy')


def check_plan(client):
    """What MBR.PLAN says is so: the filter that it names has that size."""
    for needs in ((), ('ERASE', 'COUNT'), ('MERGE',)):
        rows = [as_map(row) for row in client('MBR.PLAN', '50000', '0.002', *needs)]
        sizes = [row[b'bytes'] for row in rows]
        assert len(rows) >= 2 and sizes == sorted(sizes), rows
        for row in rows:
            assert abs(float(row[b'bits per key']) - 8 * row[b'bytes'] / 50000) < 1e-6 and float(row[b'error rate']) == 0.002
            assert 1 <= float(row[b'reads']) < 3 and row[b'why'], row
            kind = row[b'kind'].decode()
            if '.' in kind:
                continue
            client('BF.RESERVE', 'planned', '0.002', '50000', 'NONSCALING', 'KIND', kind)
            link = as_map(as_map(client('MBR.STATS', 'planned'))[b'links'][0])
            assert abs(link[b'bytes'] - row[b'bytes']) <= 0.01 * row[b'bytes'], (kind, link, row)
            client('DEL', 'planned')


def check_events(server):
    """Keyspace notifications have the names of Valkey."""
    listener, client = server.client(), server.client()
    client('CONFIG', 'SET', 'notify-keyspace-events', 'KEA')
    listener('PSUBSCRIBE', '__keyevent@0__:*')
    client('BF.RESERVE', 'watched', '0.01', '100')
    client('BF.ADD', 'watched', 'x')
    client('BF.ADD', 'watched', 'x')  # changes nothing: no notification
    client('CF.ADD', 'watched cf', 'x')
    client('CF.DEL', 'watched cf', 'x')
    client('DEL', 'watched', 'watched cf')
    seen = [listener.read()[2].decode().split(':')[1] for _ in range(7)]
    assert seen == ['bloom.reserve', 'bloom.add', 'cuckoo.reserve', 'cuckoo.add', 'cuckoo.del', 'del', 'del'], seen


def main():
    for protocol, yes, no in ((2, 1, 0), (3, True, False)):
        with served(protocol=protocol) as (server, client):
            check_events(server)
            check_replies(client, yes, no)
            check_info(client, protocol)
            check_full(client, yes)
            check_many_links(client, yes)
            check_growing(client)
            check_low_rates(client, yes)
            check_errors(client)
            check_kinds(client, yes)
            check_chunks(client, yes)
            check_chunks_while_growing(client, yes, 'BF.ADD', 'BF', ())
            check_chunks_while_growing(client, yes, 'CF.ADD', 'CF', ('ITEMS',))
            check_plan(client)


main()
