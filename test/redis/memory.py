#!/usr/bin/env python3
"""All memory of the module is counted: by the allocator, by INFO memory and by MEMORY USAGE alike; small filters are small; and maxmemory
holds. Also large ones: memory is taken when it is used."""
import os
import time

from support.server import served

FILTERS = 100000


def allocated(client):
    time.sleep(0.3)  # the server asks its allocator ten times a second
    return int(client.info('memory')[b'allocator_allocated'])


def resident(server):
    with open(f'/proc/{server.process.pid}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')


def check_small_filters():
    with served(hash_key=None) as (_, client):
        client('BF.ADD', 'first', 'x')
        for command, words, most in (('BF.ADD', ['x'], 1.3 * 321), ('CF.ADD', ['x'], 1.3 * 321)):
            before, before_allocated = client.used_bytes(), allocated(client)
            client.pipeline([(command, f'k:{i:06d}', *words) for i in range(FILTERS)], 1000)
            used, taken = client.used_bytes() - before, allocated(client) - before_allocated
            told = sum(client.pipeline([('MEMORY', 'USAGE', f'k:{i:06d}') for i in range(FILTERS)], 1000))
            print(f'{command}: {used / FILTERS:.1f} bytes for each filter by INFO, {taken / FILTERS:.1f} by the allocator, {told / FILTERS:.1f} by MEMORY USAGE')
            assert used / FILTERS <= most
            assert abs(taken - used) <= 0.03 * used, (taken, used)
            assert abs(told - used) <= 0.02 * used, (told, used)
            client('FLUSHALL')
            assert abs(client.used_bytes() - before) < 200000, 'memory was lost'


def check_all_sizes():
    """MEMORY USAGE and INFO within two percent, from lists of numbers to tables, while they grow and after keys were erased."""
    with served(hash_key=None) as (_, client):
        client('BF.RESERVE', 'warm', '0.01', '100')
        for number, size in enumerate((10, 60, 150, 400, 1000, 5000, 20000)):
            copies = max(20, 200000 // size)
            before = client.used_bytes()
            for copy in range(copies):
                for first in range(0, size, 1000):
                    client('CF.INSERT', f'{number} {copy:06d}', 'ITEMS', *range(first, min(first + 1000, size)))
                client('CF.DEL', f'{number} {copy:06d}', '3')
            used = client.used_bytes() - before
            told = sum(client.pipeline([('MEMORY', 'USAGE', f'{number} {copy:06d}') for copy in range(copies)]))
            assert abs(told - used) <= 0.02 * used + 80000, (size, copies, told, used)  # buffers of the connection
        client('CF.RESERVE', 'grows', '1000')
        before, growing = client.used_bytes(), 0
        for first in range(0, 300000, 1000):
            client('CF.INSERT', 'grows', 'ITEMS', *range(first, first + 1000))
            used, told = client.used_bytes() - before, client('MEMORY', 'USAGE', 'grows')
            growing += told > 1.5 * client('CF.INFO', 'grows')[1]
            assert abs(told - used) <= 0.02 * used + 40000, (first, told, used)
        assert growing, 'no growth was seen under way'


def check_maxmemory():
    limit = 64 << 20
    with served('--maxmemory', '64mb', hash_key=None) as (server, client):
        start, i = resident(server), 0
        while True:
            replies = client.pipeline([('BF.ADD', f'k:{i + j}', 'x') for j in range(1000)], 1000)
            i += 1000
            if any(not isinstance(reply, int) for reply in replies):
                break
        print(f'maxmemory 64mb: {i} filters, {allocated(client) >> 20} MiB allocated, {(resident(server) - start) >> 20} MiB more resident')
        assert i > 200000
        assert allocated(client) < 1.1 * limit and resident(server) - start < 1.1 * limit


def check_untouched_memory():
    """A large filter takes memory where it is used; also after an equally large one was deleted."""
    with served(module_arguments=('MAX-BYTES', '1gb')) as (server, client):
        for _ in range(3):
            before = resident(server)
            assert client('BF.RESERVE', 'large', '0.01', '50000000', 'NONSCALING') == 'OK'
            assert client('MEMORY', 'USAGE', 'large') > 60 << 20
            assert resident(server) - before < 4 << 20
            client('BF.MADD', 'large', *range(1000))
            assert client('BF.MEXISTS', 'large', *range(1000)) == [1] * 1000
            client('DEL', 'large')


def main():
    if not os.environ.get('MEMBRANE_REDIS_PRELOAD'):  # the sanitizers' allocator is another
        check_small_filters()
        check_all_sizes()
        check_maxmemory()
        check_untouched_memory()


main()
