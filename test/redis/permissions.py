#!/usr/bin/env python3
"""What the server shows of the commands (COMMAND INFO, DOCS, GETKEYS, statistics), and permissions: users who may only read, and only write."""
from support.resp import ReplyError, as_map
from support.server import served

READS = [('BF.EXISTS', 'bf', 'a'), ('BF.MEXISTS', 'bf', 'a', 'b'), ('BF.INFO', 'bf'), ('BF.CARD', 'bf'), ('BF.SCANDUMP', 'bf', '0'), ('CF.EXISTS', 'cf', 'a'),
         ('CF.MEXISTS', 'cf', 'a'), ('CF.COUNT', 'cf', 'a'), ('CF.INFO', 'cf'), ('CF.SCANDUMP', 'cf', '0'), ('CMS.QUERY', 'cms', 'a'), ('CMS.INFO', 'cms'),
         ('TOPK.QUERY', 'topk', 'a'), ('TOPK.COUNT', 'topk', 'a'), ('TOPK.LIST', 'topk'), ('TOPK.INFO', 'topk'), ('MBR.STATS', 'bf'),
         ('MBR.MEXISTS', 'bf', 'a'), ('MBR.DUMP', 'bf', '0'), ('MBR.SCANDUMP', 'bf', '0')]
WRITES = [('BF.RESERVE', 'new bf', '0.01', '100'), ('BF.ADD', 'bf', 'c'), ('BF.MADD', 'bf', 'd', 'e'), ('BF.INSERT', 'bf', 'ITEMS', 'f'), ('CF.RESERVE', 'new cf', '100'),
          ('CF.ADD', 'cf', 'c'), ('CF.ADDNX', 'cf', 'd'), ('CF.INSERT', 'cf', 'ITEMS', 'e'), ('CF.INSERTNX', 'cf', 'ITEMS', 'f'), ('CF.DEL', 'cf', 'c'),
          ('CMS.INITBYDIM', 'new cms', '100', '4'), ('CMS.INITBYPROB', 'other cms', '0.1', '0.1'), ('TOPK.RESERVE', 'new topk', '5')]
BOTH = [('CMS.INCRBY', 'cms', 'a', '1'), ('TOPK.ADD', 'topk', 'a'), ('TOPK.INCRBY', 'topk', 'a', '2')]
PREFIXES = ('bf.', 'cf.', 'cms.', 'topk.', 'mbr.')


def text(reply):
    return reply if isinstance(reply, str) else reply.decode()


def allowed(client, words):
    client.send(*words)
    reply = client.read()
    if not isinstance(reply, ReplyError):
        return True
    assert str(reply).startswith('NOPERM'), (words, reply)
    return False


def check_permissions(server, client):
    for key, words in (('bf', ('BF.ADD',)), ('cf', ('CF.ADD',)), ('old', ('BF.ADD',))):
        client(*words, key, 'a')
    client('CMS.INITBYDIM', 'cms', '100', '4')
    client('CMS.INITBYDIM', 'sum', '100', '4')
    client('TOPK.RESERVE', 'topk', '5')
    users = {}
    for name, pattern in (('reader', '%R~*'), ('writer', '%W~*'), ('mixed', '%RW~*')):
        client('ACL', 'SETUSER', name, 'on', '>secret', '+@all', pattern)
        users[name] = server.client()
        users[name]('AUTH', name, 'secret')
    for words in READS:
        assert [allowed(users[name], words) for name in ('reader', 'writer', 'mixed')] == [True, False, True], words
    for words in WRITES:
        assert [allowed(users[name], words) for name in ('reader', 'writer')] == [False, True], words
    for words in BOTH:
        assert [allowed(users[name], words) for name in ('reader', 'writer', 'mixed')] == [False, False, True], words
    # The sources of a merge are read, the target is written.
    client('ACL', 'SETUSER', 'merger', 'on', '>secret', '+@all', '%W~sum', '%W~union', '%R~cms', '%R~bf')
    merger = server.client()
    merger('AUTH', 'merger', 'secret')
    assert allowed(merger, ('CMS.MERGE', 'sum', '1', 'cms')) and allowed(merger, ('MBR.MERGE', 'union', 'bf'))
    assert not allowed(merger, ('CMS.MERGE', 'cms', '1', 'cms')) and not allowed(merger, ('CMS.MERGE', 'sum', '2', 'cms', 'sum'))
    assert not allowed(merger, ('MBR.MERGE', 'bf', 'bf')) and not allowed(merger, ('MBR.MERGE', 'union', 'cf'))


def check_what_is_shown(client):
    names = sorted(name.decode() for name in client('COMMAND', 'LIST') if name.decode().lower().startswith(PREFIXES))
    assert len(names) == 45 and all(name == name.lower() for name in names), names
    client('BF.ADD', 'counted', 'x')
    assert b'cmdstat_bf.add' in client.info('commandstats')
    for name in names:
        told = client('COMMAND', 'INFO', name)[0]
        docs = as_map(as_map(client('COMMAND', 'DOCS', name))[name.encode()])
        arguments = [as_map(each) for each in docs[b'arguments']]
        assert docs[b'summary'] and docs[b'complexity'] and arguments, name
        keys = [each for each in arguments if text(each[b'type']) == 'key']
        specs = told[8]
        if name == 'mbr.plan':
            assert not keys and not specs
            continue
        assert told[3] == 1 and len(keys) == len(specs) == (2 if name.endswith('merge') else 1), (name, keys, specs)
        for spec in specs:
            assert {'RO', 'RW', 'OW'} & set(as_map(spec)[b'flags']), (name, spec)
        assert ('readonly' in told[2]) == ('RO' in as_map(specs[0])[b'flags']), name
    reserve = [as_map(each) for each in as_map(as_map(client('COMMAND', 'DOCS', 'bf.reserve'))[b'bf.reserve'])[b'arguments']]
    assert [each[b'name'] for each in reserve] == [b'key', b'error_rate', b'capacity', b'expansion', b'nonscaling', b'keys', b'kind', b'digits']
    assert [text(each[b'type']) for each in reserve][:5] == ['key', 'double', 'integer', 'integer', 'pure-token']
    assert reserve[3][b'token'] == b'EXPANSION' and reserve[3][b'flags'] == ['optional'] and reserve[4][b'token'] == b'NONSCALING'
    pairs = as_map(as_map(as_map(client('COMMAND', 'DOCS', 'cms.incrby'))[b'cms.incrby'])[b'arguments'][1])
    assert text(pairs[b'type']) == 'block' and pairs[b'flags'] == ['multiple'] and len(pairs[b'arguments']) == 2
    assert client('COMMAND', 'GETKEYS', 'CMS.MERGE', 't', '2', 's1', 's2', 'WEIGHTS', '1', '1') == [b't', b's1', b's2']
    assert client('COMMAND', 'GETKEYS', 'MBR.MERGE', 't', 's1', 's2') == [b't', b's1', b's2']
    assert client('COMMAND', 'GETKEYS', 'BF.INSERT', 'k', 'ITEMS', 'a') == [b'k']


def main():
    for protocol in (2, 3):
        with served(protocol=protocol) as (server, client):
            check_what_is_shown(client)
            if protocol == 2:
                check_permissions(server, client)


main()
