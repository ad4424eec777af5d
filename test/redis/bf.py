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


def check_info(client):
    assert client('BF.RESERVE', 'info', '0.01', '70', 'EXPANSION', '4') == 'OK'
    client('BF.MADD', 'info', *range(50))
    info = as_map(client('BF.INFO', 'info'))
    size = info.pop(b'Size')
    assert info == {b'Capacity': 70, b'Number of filters': 1, b'Number of items inserted': client('BF.CARD', 'info'),
                    b'Expansion rate': 4}, info
    # Lower bound: log2(1/fpr) bits per key at the rate of the first link, which is half of the chain's. MEMORY USAGE also counts the key.
    assert 70 * math.log2(1 / 0.005) / 8 < size <= client('MEMORY', 'USAGE', 'info'), size
    assert client('BF.INFO', 'info', 'CAPACITY') == [70]
    assert client('BF.INFO', 'info', 'size') == [size]
    assert client('BF.INFO', 'info', 'FILTERS') == [1]
    assert client('BF.INFO', 'info', 'ITEMS') == [client('BF.CARD', 'info')]
    assert client('BF.INFO', 'info', 'EXPANSION') == [4]
    assert client('BF.RESERVE', 'fixed', '0.01', '10', 'NONSCALING') == 'OK'
    assert as_map(client('BF.INFO', 'fixed'))[b'Expansion rate'] is None
    assert client('BF.INFO', 'fixed', 'EXPANSION') == [None]
    assert client('BF.RESERVE', 'fixed0', '0.01', '10', 'EXPANSION', '0') == 'OK'
    assert client('BF.INFO', 'fixed0', 'EXPANSION') == [None]


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
            (['BF.RESERVE', 'e', '0.1', '10', 'EXPANSION'], 'ERR bad expansion'),
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
            (['BF.LOADCHUNK', 'e', 'x', 'data'], 'Second argument must be numeric')):
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
            check_info(client)
            check_full(client, yes)
            check_errors(client)
            check_kinds(client, yes)
            check_chunks(client, yes)


main()
