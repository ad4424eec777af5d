#!/usr/bin/env python3
"""Partially loaded values: the server counts their memory, and their header is checked first."""
import struct
import time

from support.server import served

HEADER_BYTES = 128


def used(client):
    return int(client.info('memory')[b'used_memory'])


def wait_until(is_so):
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError('it did not become so')


def load(client, key, content, end, size=1 << 20):
    for first in range(0, end, size):
        part = content[first:min(end, first + size)]
        assert client('MBR.LOAD', key, first + len(part) + 1, part) == 'OK'


def check_memory(client, content):
    half = len(content) // 2
    before = used(client)
    load(client, 'half', content, half)
    assert half <= used(client) - before <= 3 * half, (before, used(client), half)
    assert half <= client('MEMORY', 'USAGE', 'half') <= 2 * half + 4096
    client('COPY', 'half', 'copy')
    assert used(client) - before >= 2 * half
    client('CONFIG', 'SET', 'maxmemory', str(used(client) - 1))
    refused = client.error('MBR.LOAD', 'more', 4097, content[:4096])
    assert refused.startswith('OOM'), refused
    client('CONFIG', 'SET', 'maxmemory', '0')
    client('DEL', 'half', 'copy')
    wait_until(lambda: used(client) - before < half // 16)  # buffers of the connection shrink after a while


def check_header(client, content):
    """All fields of a header are checked before they are used; refused values take no memory."""
    before = used(client)
    for at, value in ((0, 0), (8, 2), (16, 999), (80, 1 << 40), (104, 1 << 30), (100, 1)):
        changed = bytearray(content[:4096])
        struct.pack_into('<I', changed, at, value & 0xffffffff)
        refused = client.error('MBR.LOAD', 'bad', 4097, bytes(changed))
        assert 'received bad data' in refused, (at, refused)
    for length in (1, HEADER_BYTES - 1, HEADER_BYTES):
        assert 'bytes of the header' in client.error('MBR.LOAD', 'bad', length + 1, content[:length])
    assert client('EXISTS', 'bad') == 0
    assert used(client) - before < 1 << 16


def main():
    with served() as (_, client):
        client('BF.RESERVE', 'whole', '0.001', '4000000', 'NONSCALING')
        content = b''.join(data for _, data in client.chunks('MBR.DUMP', 'whole'))
        assert len(content) > 6 << 20
        check_memory(client, content)
        check_header(client, content)
        load(client, 'again', content, len(content))
        assert b''.join(data for _, data in client.chunks('MBR.DUMP', 'again')) == content


main()
