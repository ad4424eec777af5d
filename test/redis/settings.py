#!/usr/bin/env python3
"""Settings of the module: prefix, COMPAT no, limits, defaults, a hash key; and invalid settings."""
import math
import os
import resource
import subprocess
import tempfile

from support.resp import ReplyError, as_map
from support.server import Server, served


def names(client):
    return {name.decode().upper() for name in client('COMMAND', 'LIST')}


def check_names():
    with served() as (_, client):
        with_compat = names(client)
        assert {'BF.ADD', 'CF.ADD', 'CMS.QUERY', 'MBR.LOAD'} <= with_compat
        docs = client('COMMAND', 'DOCS', 'BF.ADD', 'CMS.MERGE', 'MBR.PLAN')
        assert len(docs) == 6 and b'summary' in docs[1]
        for name in (name for name in with_compat if name.split('.')[0] in ('BF', 'CF', 'CMS', 'MBR')):
            keys = client('COMMAND', 'INFO', name)[0]
            assert name == 'MBR.PLAN' or keys[3] == 1, name
    with served('--appendonly', 'yes', module_arguments=('PREFIX', 'seen.', 'COMPAT', 'no')) as (server, client):
        own = names(client)
        assert {'SEEN.BF.ADD', 'SEEN.CF.ADD', 'SEEN.CMS.QUERY', 'SEEN.LOAD'} <= own
        assert not any(name.startswith(('BF.', 'CF.', 'CMS.', 'MBR.')) for name in own)
        # Growth within a command is written to the AOF with the command names of this server.
        client('SEEN.BF.RESERVE', 'b', '0.01', '10')
        client('SEEN.BF.MADD', 'b', *range(100))
        client('SEEN.CF.RESERVE', 'c', '10')
        client('SEEN.CF.INSERT', 'c', 'ITEMS', *range(100))
        before = client('DEBUG', 'DIGEST')
        server.restart()
        client = server.client()
        assert client('DEBUG', 'DIGEST') == before
        assert client('SEEN.BF.MEXISTS', 'b', *range(100)) == [1] * 100


def check_defaults():
    arguments = ('bf-error-rate', '0.001', 'BF-INITIAL-SIZE', '50', 'bf-expansion-factor', '3', 'cf-initial-size', '300',
                 'cf-expansion-factor', '2')
    with served(module_arguments=arguments) as (_, client):
        client('BF.ADD', 'b', 'x')
        assert client('BF.INFO', 'b', 'CAPACITY') == [50] and client('BF.INFO', 'b', 'EXPANSION') == [3]
        assert float(as_map(client('MBR.STATS', 'b'))[b'error rate bound']) == 0.001
        client('CF.ADD', 'c', 'x')
        assert as_map(client('CF.INFO', 'c'))[b'Expansion rate'] == 2
        # With the same hash key, filters that were created separately can be merged.
        for name in ('m1', 'm2'):
            client('BF.RESERVE', name, '0.01', '1000', 'KIND', 'bloom')
            client('BF.ADD', name, name)
        assert client('MBR.MERGE', 'm1', 'm2') == 'OK'
        assert client('BF.MEXISTS', 'm1', 'm1', 'm2') == [1, 1] and client('BF.CARD', 'm1') == 2
        client('BF.RESERVE', 'm3', '0.01', '2000', 'KIND', 'bloom')
        assert 'filters are not alike' in client.error('MBR.MERGE', 'm1', 'm3')
    with served(hash_key=None) as (_, client):
        for name in ('m1', 'm2'):
            client('BF.RESERVE', name, '0.01', '1000', 'KIND', 'bloom')
        assert 'hash' in client.error('MBR.MERGE', 'm1', 'm2')


def check_names_of_redisbloom():
    """Its settings, old and new names; an unknown one is logged and ignored."""
    arguments = ('ERROR_RATE', '0.002', 'INITIAL_SIZE', '77', 'CF_MAX_EXPANSIONS', '16', 'cf-max-expansions', '8', 'cf-bucket-size', '3',
                 'cf-max-iterations', '9', 'cf-initial-size', '500', 'COLOUR', 'red', 'last')
    with served(module_arguments=arguments, hash_key=None) as (server, client):
        client('BF.ADD', 'b', 'x')
        assert client('BF.INFO', 'b', 'CAPACITY') == [77]
        client('CF.ADD', 'c', 'x')
        info = as_map(client('CF.INFO', 'c'))
        assert (info[b'Bucket size'], info[b'Max iterations']) == (3, 9), info
        for name in ('COLOUR', 'last'):
            assert f"there is no setting '{name}'; it is ignored" in server.log_text()


def check_key_file():
    """A hash key in a file is the same as one in the settings, and is shown nowhere."""
    secret = '00112233445566778899aabbccddeeff'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'key')
        with open(path, 'w', encoding='ascii') as file:
            file.write(f'  {secret}\n')
        with served(module_arguments=('HASH-KEY-FILE', path), hash_key=None) as (server, client):
            client('BF.RESERVE', 'a', '0.01', '100')
            client('BF.RESERVE', 'b', '0.01', '100', 'HASHKEY', secret)
            for key in ('a', 'b'):
                client('BF.ADD', key, 'x')
            assert client('DEBUG', 'DIGEST-VALUE', 'a') == client('DEBUG', 'DIGEST-VALUE', 'b')
            shown = repr(client('MODULE', 'LIST')) + repr(client('INFO', 'everything')) + repr(client('CONFIG', 'GET', '*')) + server.log_text()
            assert path in shown and secret not in shown
        with open(path, 'w', encoding='ascii') as file:
            file.write(secret + ' 00')
        try:
            Server(module_arguments=('HASH-KEY-FILE', path), hash_key=None).start()
        except AssertionError as problem:
            assert secret not in str(problem) and 'HASH-KEY-FILE' in str(problem)
        else:
            raise AssertionError('a file with more than a key was accepted')


def check_max_bytes():
    with served(module_arguments=('MAX-BYTES', '64kb')) as (_, client):
        refusal = client.error('BF.RESERVE', 'b', '0.01', '1000000')
        assert refusal.startswith('ERR Insufficient memory to create filter: it needs'), refusal
        assert 'max-bytes leaves 65536; NONSCALING or GROWTO needs less' in refusal
        assert client.error('BF.RESERVE', 'b', '0.01', '1000000', 'NONSCALING').endswith('max-bytes leaves 65536')
        assert client('EXISTS', 'b') == 0
        # Growth ends at the limit: an error, and the stored keys stay.
        client('BF.RESERVE', 'b', '0.01', '1000')
        stored = 0
        for first in range(0, 100000, 1000):
            replies = client('BF.MADD', 'b', *range(first, first + 1000))
            stored += sum(reply == 1 for reply in replies)
            if len(replies) < 1000 or not isinstance(replies[-1], int):
                assert 'problem inserting into filter' in str(replies[-1]), replies[-1]
                break
        else:
            raise AssertionError('the filter never reached its limit')
        assert client('BF.CARD', 'b') == stored
        assert client('BF.INFO', 'b', 'SIZE')[0] < 65536 + 2000
        assert client('MEMORY', 'USAGE', 'b') < 1.25 * 65536 + 4000  # jemalloc's sizes are a quarter apart
        # A full filter still takes keys whose line has room; a refused key changes nothing.
        for i in range(1000):
            before = client('DEBUG', 'DIGEST')
            client.send('BF.ADD', 'b', f'one more {i}')
            reply = client.read()
            if isinstance(reply, ReplyError):
                assert 'problem inserting' in str(reply) and '65536' in str(reply), reply
                assert client('DEBUG', 'DIGEST') == before
                break
        else:
            raise AssertionError('no key was refused')


def check_promise():
    """A filter promises 1024 times its capacity, or less if so many keys never fit into MAX-BYTES: a power of two less, and enough."""
    promised, sizes = {}, {}
    for limit in ('1mb', '1gb'):
        with served(module_arguments=('MAX-BYTES', limit)) as (_, client):
            client('BF.RESERVE', 'b', '0.01', '100000')
            promised[limit] = as_map(client('MBR.STATS', 'b'))[b'capacity']
            sizes[limit] = client('BF.INFO', 'b', 'SIZE')[0]
            if limit == '1gb':
                continue
            for first in range(0, 2000000, 10000):
                last = client('BF.MADD', 'b', *range(first, first + 10000))[-1]
                if not isinstance(last, int):
                    break
            assert 'no memory to grow' in str(last) and client('BF.INFO', 'b', 'FILTERS') == [1], last
            assert client('BF.CARD', 'b') > 500000
    assert promised['1gb'] >= 1024 * 100000
    assert abs(promised['1gb'] / promised['1mb'] / 64 - 1) < 1e-6, promised
    for limit, size in sizes.items():
        # log2(U / n) + 3 to 4 bits for each key, and a block of the allocator that is a quarter larger at most.
        bits = math.log2(promised[limit] / (0.01 * 3 / 4) / 100000)
        assert bits + 3 < 8 * size / 100000 < 1.25 * (bits + 4), (limit, size)


def check_memory():
    """MEMORY USAGE equals the growth of used_memory."""
    with served() as (_, client):
        client('BF.RESERVE', 'first', '0.01', '100')
        slack = 40000  # buffers of the connection
        for size in (1000000, 5000000, 20000000):
            before = client.used_bytes()
            client('BF.RESERVE', f'size {size}', '0.01', size)
            grown, told = client.used_bytes() - before, client('MEMORY', 'USAGE', f'size {size}')
            assert abs(grown - told) < slack, (size, grown, told)
            before = client.used_bytes()
            client('DEL', f'size {size}')
            assert abs(before - client.used_bytes() - told) < slack, (size, before - client.used_bytes(), told)


def check_no_memory():
    """When an allocation fails, the reply is an error, and the server continues."""
    with served(module_arguments=('MAX-BYTES', '8gb')) as (server, client):
        client('BF.RESERVE', 'warm', '0.01', '100', 'KIND', 'bloom')
        with open(f'/proc/{server.process.pid}/statm', encoding='ascii') as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (taken + (64 << 20), taken + (64 << 20)))
        before = client('DEBUG', 'DIGEST')
        for words in (('BF.RESERVE', 'large', '0.01', '1000000000', 'KIND', 'bloom'), ('CMS.INITBYDIM', 'wide', '100000000', '5')):
            assert client.error(*words) == 'ERR Insufficient memory to create filter', words
        assert client('DEBUG', 'DIGEST') == before
        assert client('BF.ADD', 'warm', 'x') == 1


def check_refusals():
    for arguments, wanted in ((('MAX-BYTES', 'x'), 'MAX-BYTES'), (('HASH-KEY-FILE', '/nowhere'), 'HASH-KEY-FILE'),
                              (('PREFIX',), 'pairs'), (('PREFIX', 'bf.'), 'PREFIX'), (('COMPAT', 'perhaps'), 'COMPAT'),
                              (('BF-ERROR-RATE', '2'), 'BF-ERROR-RATE')):
        server = Server(module_arguments=arguments, hash_key=None)
        try:
            server.start()
        except AssertionError:
            assert wanted in server.log_text(), (arguments, server.log_text()[-500:])
        else:
            raise AssertionError(f'{arguments} were accepted')
        finally:
            server.stop()
            subprocess.run(['rm', '-rf', server.folder], check=True)


def main():
    check_names()
    check_defaults()
    check_names_of_redisbloom()
    check_key_file()
    check_max_bytes()
    check_promise()
    check_memory()
    if not os.environ.get('MEMBRANE_REDIS_PRELOAD'):  # the sanitizers need more address space than that
        check_no_memory()
    check_refusals()


main()
