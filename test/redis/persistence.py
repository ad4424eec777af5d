#!/usr/bin/env python3
"""Acknowledged keys are present after a save and a restart, with every persistence method of the server, and on replicas.

Compares replies and bytes (DEBUG DIGEST), never the numbers of INFO alone. The values are one of each family, stacks of several
links, a loaded file, and a partially loaded value.
"""
import os
import subprocess

from support.server import Server, served
from support.waiting import wait_for

KEYS = 3000


def fill(client):
    """One value of each kind; the replies to QUESTIONS must never change."""
    client('BF.RESERVE', 'bf', '0.001', '10000', 'NONSCALING')
    client('BF.MADD', 'bf', *range(KEYS))
    client('BF.RESERVE', 'bf grown', '0.01', '100')
    client('BF.MADD', 'bf grown', *range(KEYS))
    client('CF.RESERVE', 'cf grown', '500')
    client('CF.INSERT', 'cf grown', 'ITEMS', *range(KEYS))
    client.pipeline([('CF.DEL', 'cf grown', i) for i in range(300)])  # in one pipeline, because each sync of the disk takes time
    client('CMS.INITBYDIM', 'cms', '2000', '5')
    client('CMS.INCRBY', 'cms', *(word for i in range(500) for word in (i, i + 1)))
    client('CMS.INITBYPROB', 'cms two', '0.01', '0.01')
    client('CMS.INCRBY', 'cms two', 'a', '5')
    client('BF.RESERVE', 'large', '0.0001', '1000000')
    client('BF.MADD', 'large', *range(KEYS))
    iterator, chunk = client('BF.SCANDUMP', 'large', '0')
    client('BF.LOADCHUNK', 'half', iterator, chunk)
    client('SET', 'text', 'beside')
    client('COPY', 'cf grown', 'cf copy')
    client('MBR.MERGE', 'merged', 'bf')


QUESTIONS = [
    *(('BF.MEXISTS', key, *range(KEYS)) for key in ('bf', 'bf grown', 'large', 'merged')),
    *(('CF.MEXISTS', key, *range(KEYS)) for key in ('cf grown', 'cf copy')),
    ('CMS.QUERY', 'cms', *range(500)), ('CMS.QUERY', 'cms two', 'a', 'b'), ('CMS.INFO', 'cms'),
    ('BF.INFO', 'bf grown', 'FILTERS'), ('CF.INFO', 'cf grown'), ('GET', 'text'),
    ('BF.MEXISTS', 'bf grown', *(f'stranger {i}' for i in range(1000))),
]


def state(client):
    return client('DEBUG', 'DIGEST'), [client(*words) for words in QUESTIONS]


def finish_half(client):
    """Loads the rest of the partially loaded value."""
    for chunk in client.chunks('BF.SCANDUMP', 'large')[1:]:
        assert client('BF.LOADCHUNK', 'half', *chunk) == 'OK'
    assert client('DEBUG', 'DIGEST-VALUE', 'half') == client('DEBUG', 'DIGEST-VALUE', 'large')


def check_state(before, after):
    assert after[1] == before[1]
    assert after[0] == before[0], 'the digests differ'


def check_save():
    with served() as (server, client):
        fill(client)
        before = state(client)
        assert before[1][0] == [1] * KEYS and sum(before[1][4][300:]) == KEYS - 300
        client('SAVE')
        server.restart()
        client = server.client()
        check_state(before, state(client))
        for key in ('bf grown', 'cf grown', 'cms', 'half', 'large'):
            dumped = client('DUMP', key)
            client('RESTORE', 'restored', '0', dumped)
            assert client('DEBUG', 'DIGEST-VALUE', 'restored') == client('DEBUG', 'DIGEST-VALUE', key), key
            assert client('COPY', key, 'copied') == 1
            assert client('DEBUG', 'DIGEST-VALUE', 'copied') == client('DEBUG', 'DIGEST-VALUE', key), key
            assert client('UNLINK', 'copied') == 1 and client('DEL', 'restored') == 1
        finish_half(client)


def check_aof(preamble):
    options = ('--appendonly', 'yes', '--appendfsync', 'always', '--aof-use-rdb-preamble', preamble)
    with served(*options) as (server, client):
        fill(client)
        before = state(client)
        server.restart()  # replays the commands of the clients
        client = server.client()
        check_state(before, state(client))
        client('BGREWRITEAOF')
        wait_for(client, b'aof_rewrite_in_progress')
        info = wait_for(client, b'aof_rewrite_scheduled')
        assert info[b'aof_last_bgrewrite_status'] == b'ok'
        client('BF.ADD', 'bf', 'after the rewrite')
        before = state(client)
        server.restart()
        client = server.client()
        check_state(before, state(client))
        assert client('BF.EXISTS', 'bf', 'after the rewrite') == 1
        finish_half(client)


def check_replica():
    with served() as (_, primary), Server() as replica_server:
        primary('BF.ADD', 'before', 'the replica')
        replica = replica_server.client()
        port = primary.socket.getpeername()[1]
        replica('REPLICAOF', '127.0.0.1', port)
        wait_for(replica, b'master_link_status', b'up', 'replication')
        fill(primary)
        # Many small growths, also within a command and with refused keys.
        primary('BF.RESERVE', 'many links', '0.01', '5', 'GROWTO', '10')
        primary('BF.MADD', 'many links', *range(60))
        primary('BF.RESERVE', 'bloom links', '0.01', '5', 'EXPANSION', '1', 'KIND', 'bloom')
        primary('BF.MADD', 'bloom links', *range(60))
        primary('CF.RESERVE', 'cf links', '16', 'GROWTO', '20')
        primary('CF.INSERT', 'cf links', 'ITEMS', *range(100))
        primary('CF.INSERTNX', 'cf links', 'ITEMS', *range(70, 140))
        primary('BF.INSERT', 'created', 'CAPACITY', '10', 'ITEMS', *range(40))
        primary('BF.RESERVE', 'limited', '0.01', '10', 'NONSCALING')
        primary('BF.MADD', 'limited', *range(40))
        # In scripts and transactions too.
        primary('EVAL', "redis.call('BF.RESERVE', KEYS[1], '0.01', '10') for i = 1, 50 do redis.call('BF.ADD', KEYS[1], i) end", '1', 'by script')
        for words in (('MULTI',), ('CF.RESERVE', 'in multi', '8'), ('CF.INSERT', 'in multi', 'ITEMS', *range(30)), ('EXEC',)):
            primary(*words)
        assert primary('WAIT', '1', '5000') == 1
        before = state(primary)
        check_state(before, state(replica))
        assert replica('BF.MEXISTS', 'by script', *range(1, 51)) == [1] * 50
        assert replica('BF.INFO', 'many links', 'FILTERS')[0] > 1
        assert replica.error('BF.ADD', 'bf', 'x').startswith('READONLY')
        # Failover: the replica becomes the primary, and its stacks grow further.
        replica('REPLICAOF', 'NO', 'ONE')
        check_state(before, state(replica))
        replica('BF.MADD', 'bf grown', *range(KEYS, 2 * KEYS))
        assert replica('BF.MEXISTS', 'bf grown', *range(2 * KEYS)) == [1] * 2 * KEYS
        replica('CMS.INITBYDIM', 'cms later', '2000', '5')
        assert replica('CMS.MERGE', 'cms later', '1', 'cms') == 'OK'
        finish_half(replica)


SMALL = ('MAX-BYTES', '20kb')


def fill_large(client):
    """Values beyond the limit of the other server, made in every way."""
    client('BF.RESERVE', 'large', '0.01', '1000000')
    client('BF.MADD', 'large', *range(100))
    client('BF.RESERVE', 'grown', '0.01', '100')
    for first in range(0, 100000, 1000):
        client('BF.MADD', 'grown', *range(first, first + 1000))
    client('CMS.INITBYDIM', 'sketch', '10000', '4')
    client('CMS.INCRBY', 'sketch', 'a', '3')
    dumped = client('DUMP', 'grown')
    client('RESTORE', 'restored', '0', dumped)
    for chunk in client.chunks('MBR.SCANDUMP', 'grown'):
        client('MBR.LOADCHUNK', 'loaded', *chunk)
    client('MBR.MERGE', 'merged', 'grown')
    client('COPY', 'grown', 'copied')


def check_large(client):
    for key in ('grown', 'restored', 'loaded', 'merged', 'copied'):
        for first in range(0, 100000, 10000):
            assert client('BF.MEXISTS', key, *range(first, first + 10000)) == [1] * 10000, key
    assert client('BF.MEXISTS', 'large', *range(100)) == [1] * 100 and client('CMS.QUERY', 'sketch', 'a') == [3]


def check_smaller_limits():
    """What a primary accepted, replicas with a smaller max-bytes accept, also after a failover, and restarts, and MIGRATE."""
    with served('--appendonly', 'yes') as (server, primary), Server(module_arguments=SMALL) as small:
        replica = small.client()
        replica('REPLICAOF', '127.0.0.1', server.port)
        wait_for(replica, b'master_link_status', b'up', 'replication')
        fill_large(primary)
        assert primary('WAIT', '1', '5000') == 1
        digest = primary('DEBUG', 'DIGEST')
        assert replica('DEBUG', 'DIGEST') == digest
        # A replica that comes later gets a file.
        with Server(module_arguments=SMALL) as late_server:
            late = late_server.client()
            late('REPLICAOF', '127.0.0.1', server.port)
            wait_for(late, b'master_link_status', b'up', 'replication')
            assert late('DEBUG', 'DIGEST') == digest
        replica('REPLICAOF', 'NO', 'ONE')
        check_large(replica)
        assert 'Insufficient memory' in replica.error('BF.RESERVE', 'new', '0.01', '1000000')
        # It is over the limit already: it takes keys where there is room, and does not grow.
        assert isinstance(replica('BF.ADD', 'large', 'one more'), int)
        # Restarts with a smaller limit, from the AOF and from a saved file.
        server.module_arguments += SMALL
        server.restart()
        primary = server.client()
        assert primary('DEBUG', 'DIGEST') == digest
        check_large(primary)
        primary('BGREWRITEAOF')
        wait_for(primary, b'aof_rewrite_in_progress')
        server.restart()
        primary = server.client()
        assert primary('DEBUG', 'DIGEST') == digest
    with served() as (server, source), Server(module_arguments=SMALL) as target:
        fill_large(source)
        before = {key: source('DEBUG', 'DIGEST-VALUE', key) for key in source('KEYS', '*')}
        for key in before:
            assert source('MIGRATE', '127.0.0.1', target.port, key, '0', '10000') == 'OK'
        moved = target.client()
        assert {key: moved('DEBUG', 'DIGEST-VALUE', key) for key in moved('KEYS', '*')} == before
        check_large(moved)


def check_growth_under_way():
    """Everything that saves or copies a filter, at many steps of its growth."""
    with served('--appendonly', 'yes', '--appendfsync', 'no') as (server, client), Server() as replica_server:
        replica = replica_server.client()
        replica('REPLICAOF', '127.0.0.1', server.port)
        wait_for(replica, b'master_link_status', b'up', 'replication')
        client('BF.RESERVE', 'bf', '0.01', '20000')
        client('CF.RESERVE', 'cf', '20000')
        seen = added = 0
        while seen < 12:
            assert added < 400000, 'no growth was seen'
            client.pipeline([(command, key, added + i) for i in range(5) for command, key in (('BF.ADD', 'bf'), ('CF.ADD', 'cf'))])
            added += 5
            is_growing = client('MEMORY', 'USAGE', 'bf') > 1.5 * client('BF.INFO', 'bf', 'SIZE')[0]
            if not is_growing:
                if added > 18000:
                    continue
                client.pipeline([(command, key, added + i) for i in range(500) for command, key in (('BF.ADD', 'bf'), ('CF.ADD', 'cf'))])
                added += 500
                continue
            seen += 1
            digest = client('DEBUG', 'DIGEST-VALUE', 'bf', 'cf')
            if seen % 3 == 0:
                assert client('WAIT', '1', '5000') == 1
                assert replica('DEBUG', 'DIGEST-VALUE', 'bf', 'cf') == digest
                server.restart()
                client = server.client()
                wait_for(replica, b'master_link_status', b'up', 'replication')
            elif seen % 3 == 1:
                client('COPY', 'bf', 'copy')
                assert client('DEBUG', 'DIGEST-VALUE', 'copy') == digest[:1]
                assert client('BF.INFO', 'copy', 'SIZE') == client('BF.INFO', 'bf', 'SIZE')
                client('RESTORE', 'other', '0', client('DUMP', 'cf'))
                assert client('DEBUG', 'DIGEST-VALUE', 'other') == digest[1:]
                client('DEL', 'copy', 'other')
            else:
                client('BGREWRITEAOF')
                wait_for(client, b'aof_rewrite_in_progress')
                for chunk in client.chunks('BF.SCANDUMP', 'bf'):
                    client('BF.LOADCHUNK', 'loaded', *chunk)
                assert client('DEBUG', 'DIGEST-VALUE', 'loaded') == digest[:1]
                client('DEL', 'loaded')
            assert client('DEBUG', 'DIGEST-VALUE', 'bf', 'cf') == digest
        for first in range(0, added, 10000):
            keys = range(first, min(added, first + 10000))
            for command, key in (('BF.MEXISTS', 'bf'), ('CF.MEXISTS', 'cf')):
                assert client(command, key, *keys) == [1] * len(keys)


def check_file_tool():
    """The server loads a file of the tool, and the tool reads a file from the server."""
    tool = os.environ['MEMBRANE']
    with served() as (server, client):
        path, back = os.path.join(server.folder, 'tool.mbr'), os.path.join(server.folder, 'back.mbr')
        keys = '\n'.join(f'key {i}' for i in range(200000)) + '\n'
        subprocess.run([tool, 'build', '-q', '--fpr', '1e-4', '--key', '000102030405060708090a0b0c0d0e0f', '-o', path], input=keys.encode(), check=True)
        with open(path, 'rb') as file:
            content = file.read()
        cut = 100000
        for first in range(0, len(content), cut):
            part = content[first:first + cut]
            assert client('MBR.LOAD', 'tool', first + len(part) + 1, part) == 'OK'
        assert client('BF.MEXISTS', 'tool', *(f'key {i}' for i in range(1000))) == [1] * 1000
        # Expected: 0.1; five standard deviations are 1.6.
        assert sum(client('BF.MEXISTS', 'tool', *(f'other {i}' for i in range(1000)))) <= 1
        assert b''.join(data for _, data in client.chunks('MBR.DUMP', 'tool')) == content
        client('BF.RESERVE', 'served', '0.001', '1000', 'NONSCALING')
        client('BF.MADD', 'served', 'alpha', 'beta')
        with open(back, 'wb') as file:
            file.write(client('MBR.DUMP', 'served', '0')[1])
        found = subprocess.run([tool, 'query', back], input=b'alpha\ngamma\nbeta\n', capture_output=True, check=True)
        assert found.stdout == b'alpha\nbeta\n', found


def main():
    check_save()
    for preamble in ('yes', 'no'):
        check_aof(preamble)
    check_replica()
    check_smaller_limits()
    check_growth_under_way()
    check_file_tool()


main()
