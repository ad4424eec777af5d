#!/usr/bin/env python3
"""Acknowledged keys are present after a save and a restart, with every persistence method of the server, and on replicas.

Compares replies and bytes (DEBUG DIGEST), never the numbers of INFO alone. The values are one of each family, chains of several
links, a loaded file, and a partially loaded value.
"""
import os
import subprocess
import time

from support.server import Server, served

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


def wait_for(client, field, wanted=b'0', section='persistence'):
    for _ in range(1000):
        info = client.info(section)
        if info[field] == wanted:
            return info
        time.sleep(0.02)
    raise AssertionError(f'{field} did not become {wanted}')


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
        primary('BF.RESERVE', 'many links', '0.01', '5', 'EXPANSION', '1')
        primary('BF.MADD', 'many links', *range(60))
        primary('CF.RESERVE', 'cf links', '16', 'EXPANSION', '1')
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
        assert replica('BF.MEXISTS', 'by script', *range(1, 51)) == [1] * 50 and replica('BF.INFO', 'by script', 'FILTERS')[0] > 2
        assert replica.error('BF.ADD', 'bf', 'x').startswith('READONLY')
        # Failover: the replica becomes the primary, and its chains grow further.
        replica('REPLICAOF', 'NO', 'ONE')
        check_state(before, state(replica))
        replica('BF.MADD', 'bf grown', *range(KEYS, 2 * KEYS))
        assert replica('BF.MEXISTS', 'bf grown', *range(2 * KEYS)) == [1] * 2 * KEYS
        replica('CMS.INITBYDIM', 'cms later', '2000', '5')
        assert replica('CMS.MERGE', 'cms later', '1', 'cms') == 'OK'
        finish_half(replica)


def check_limits_of_replicas():
    """A replica with a smaller max-bytes accepts filters that the primary allowed."""
    with served() as (_, primary), Server(module_arguments=('MAX-BYTES', '100kb')) as small:
        replica = small.client()
        replica('REPLICAOF', '127.0.0.1', primary.socket.getpeername()[1])
        wait_for(replica, b'master_link_status', b'up', 'replication')
        primary('BF.RESERVE', 'large', '0.01', '1000000')
        primary('BF.ADD', 'large', 'x')
        assert primary('WAIT', '1', '5000') == 1
        assert replica('DEBUG', 'DIGEST') == primary('DEBUG', 'DIGEST')


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
    check_limits_of_replicas()
    check_file_tool()


main()
