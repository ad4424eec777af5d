#!/usr/bin/env python3
"""Values that version 1 of the saved form wrote (stacks of filters sized by the planner) are loaded, answer, and grow further by filters
that grow."""
import base64
import os

from support.resp import as_map
from support.server import served

DATA = os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'test', 'data', 'redis_values_1.txt')


def add_more(client, command, key, words, count):
    for first in range(10000, 10000 + count, 1000):
        client(command, key, *words, *range(first, first + 1000))


def main():
    with open(DATA, encoding='ascii') as file:
        values = {name: base64.b64decode(text) for name, text in (line.rstrip('\n').split('\t') for line in file)}
    rest = values.pop('rest of half')
    for protocol in (2, 3):
        with served('--appendonly', 'yes', protocol=protocol) as (server, client):
            for key, dump in values.items():
                assert client('RESTORE', key, '0', dump) == 'OK', key
            assert client('BF.MEXISTS', 'bf chain', *range(900)) == [1] * 900
            assert client('BF.MEXISTS', 'bf blocked', *range(200)) == [1] * 200
            assert client('BF.MEXISTS', 'bf fixed', *range(100)) == [1] * 100
            assert client('CF.MEXISTS', 'cf chain', *range(20, 300)) == [1] * 280
            assert client('CMS.QUERY', 'cms', 'a', 'b') == [3, 0]
            assert as_map(client('CF.INFO', 'cf chain'))[b'Number of items deleted'] == 20
            links = {key: as_map(client('BF.INFO', key))[b'Number of filters'] for key in ('bf chain', 'bf blocked')}
            links['cf chain'] = as_map(client('CF.INFO', 'cf chain'))[b'Number of filters']
            assert links == {'bf chain': 4, 'bf blocked': 3, 'cf chain': 3}, links
            assert 'full' in str(client.error('BF.ADD', 'bf fixed', 'one more') if client('BF.CARD', 'bf fixed') == 100 else 'full')
            # They grow: the stack by one filter that grows, the given kind by links of its own.
            add_more(client, 'BF.MADD', 'bf chain', (), 20000)
            add_more(client, 'BF.MADD', 'bf blocked', (), 2000)
            add_more(client, 'CF.INSERT', 'cf chain', ('ITEMS',), 5000)
            assert as_map(client('BF.INFO', 'bf chain'))[b'Number of filters'] in (5, 6)
            assert as_map(client('BF.INFO', 'bf blocked'))[b'Number of filters'] > 5
            assert client('BF.MEXISTS', 'bf chain', *range(900), *range(10000, 30000)) == [1] * 20900
            assert client('CF.MEXISTS', 'cf chain', *range(20, 300), *range(10000, 15000)) == [1] * 5280
            assert sum(client('BF.MEXISTS', 'bf chain', *(f's{i}' for i in range(50000)))) <= 0.01 * 50000
            assert client('CF.DEL', 'cf chain', '50') == 1
            assert 'being loaded' in client.error('BF.EXISTS', 'half', 'x')
            assert client('MBR.LOADCHUNK', 'half', 201 + len(rest), rest) == 'OK' and client('BF.CARD', 'half') == 0
            digest = client('DEBUG', 'DIGEST')
            server.restart()
            assert server.client()('DEBUG', 'DIGEST') == digest


main()
