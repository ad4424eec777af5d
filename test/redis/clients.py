#!/usr/bin/env python3
"""python3-redis and redis-cli, with every command of theirs that the module serves."""
import shutil
import subprocess

import redis

from support.server import served


def copy_by_chunks(family, key, copy):
    iterator = 0
    while True:
        iterator, data = family.scandump(key, iterator)
        if iterator == 0:
            return
        assert family.loadchunk(copy, iterator, data)


def check_bloom(client):
    bf = client.bf()
    assert bf.create('bloom', 0.01, 1000)
    assert bf.create('bloom_e', 0.01, 1000, expansion=3) and bf.create('bloom_ns', 0.01, 1000, noScale=True)
    assert bf.add('bloom', 'foo') == 1 and bf.add('bloom', 'foo') == 0
    assert bf.madd('bloom', 'foo', 'bar') == [0, 1]
    assert bf.insert('captured', ['foo', 'bar'], capacity=100, error=0.01, expansion=2) == [1, 1]
    assert bf.insert('bloom', ['bar', 'baz'], noCreate=True) == [0, 1]
    assert bf.exists('bloom', 'foo') == 1 and bf.exists('bloom', 'noexist') == 0
    assert bf.mexists('bloom', 'foo', 'noexist') == [1, 0]
    info = bf.info('bloom')
    assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (1000, 1, 3, 2)
    copy_by_chunks(bf, 'bloom', 'reloaded')
    assert bf.mexists('reloaded', 'foo', 'bar', 'baz', 'noexist') == [1, 1, 1, 0]


def check_cuckoo(client):
    cf = client.cf()
    assert cf.create('cuckoo', 1000)
    assert cf.create('cuckoo_e', 1000, expansion=1) and cf.create('cuckoo_bs', 1000, bucket_size=4)
    assert cf.create('cuckoo_mi', 1000, max_iterations=10)
    assert cf.add('cuckoo', 'filter') and not cf.addnx('cuckoo', 'filter') and cf.addnx('cuckoo', 'newItem') == 1
    assert cf.insert('captured_cf', ['foo']) == [1] and cf.insert('captured_cf', ['foo', 'bar'], capacity=1000) == [1, 1]
    assert cf.insertnx('captured_cf', ['foo', 'food']) == [0, 1]
    assert cf.mexists('cuckoo', 'filter', 'noexist') == [1, 0]
    assert cf.exists('cuckoo', 'filter') == 1 and cf.exists('cuckoo', 'noexist') == 0
    assert cf.count('captured_cf', 'foo') == 2 and cf.count('cuckoo', 'notexist') == 0
    assert cf.delete('cuckoo', 'filter') == 1 and cf.delete('cuckoo', 'filter') == 0
    info = cf.info('cuckoo')
    assert (info.insertedNum, info.deletedNum, info.filterNum, info.expansionRate) == (1, 1, 1, 1)
    copy_by_chunks(cf, 'captured_cf', 'reloaded_cf')
    assert cf.count('reloaded_cf', 'foo') == 2


def check_sketch(client):
    cms = client.cms()
    assert cms.initbydim('dim', 1000, 5) and cms.initbyprob('prob', 0.01, 0.01)
    assert cms.incrby('dim', ['foo'], [5]) == [5] and cms.incrby('dim', ['foo', 'bar'], [5, 15]) == [10, 15]
    assert cms.query('dim', 'foo', 'bar', 'none') == [10, 15, 0]
    info = cms.info('dim')
    assert (info.width, info.depth, info.count) == (1000, 5, 25)
    for name in ('A', 'B', 'C'):
        assert cms.initbydim(name, 1000, 5)
    cms.incrby('A', ['foo', 'bar', 'baz'], [5, 3, 9])
    cms.incrby('B', ['foo', 'bar', 'baz'], [2, 3, 1])
    assert cms.merge('C', 2, ['A', 'B']) and cms.query('C', 'foo', 'bar', 'baz') == [7, 6, 10]
    assert cms.merge('C', 2, ['A', 'B'], ['1', '2']) and cms.query('C', 'foo', 'bar', 'baz') == [9, 9, 11]


def check_top(client):
    topk = client.topk()
    assert topk.reserve('topk', 3, 50, 4, 0.9)
    dropped = topk.add('topk', 'A', 'B', 'C', 'D', 'E', 'A', 'A', 'B', 'C', 'G', 'D', 'B', 'D', 'A', 'E', 'E', 1)
    assert dropped == [None, None, None, 'A', 'C', 'D', None, None, 'E', None, 'B', 'C', None, None, None, 'D', None], dropped
    assert topk.query('topk', 'A', 'B', 'C', 'D', 'E', 'F', 'G') == [1, 1, 0, 0, 1, 0, 0]
    assert topk.count('topk', 'A', 'B', 'C', 'D', 'E', 'F', 'G') == [4, 3, 2, 3, 3, 0, 1]
    assert topk.list('topk') == ['A', 'B', 'E'] and topk.list('topk', withcount=True) == ['A', 4, 'B', 3, 'E', 3]
    assert topk.reserve('topk by', 3, 10, 3, 1)
    assert topk.incrby('topk by', ['bar', 'baz', '42'], [3, 6, 2]) == [None, None, None]
    assert topk.incrby('topk by', ['42', 'xyzzy'], [8, 4]) == [None, 'bar']
    info = topk.info('topk')
    assert (info.k, info.width, info.depth, round(float(info.decay), 1)) == (3, 50, 4, 0.9)


def check_all_called():
    """Every command of the client's families is called in this file."""
    from redis.commands.bf import commands
    with open(__file__, encoding='utf-8') as file:
        text = file.read()
    for family, name in (('bf', 'BFCommands'), ('cf', 'CFCommands'), ('cms', 'CMSCommands'), ('topk', 'TOPKCommands')):
        for method in (each for each in dir(getattr(commands, name)) if not each.startswith('_')):
            assert f'{family}.{method}(' in text or f'family.{method}(' in text, (family, method)


def check_command_line(port):
    def say(*words):
        done = subprocess.run([shutil.which('redis-cli'), '-p', str(port), *words], capture_output=True, text=True, check=True)
        return done.stdout.split('\n')[:-1]

    assert say('BF.ADD', 'cli', 'x') == ['1'] and say('BF.EXISTS', 'cli', 'x') == ['1']
    assert say('-3', 'BF.EXISTS', 'cli', 'x') in (['true'], ['(true)'])
    assert say('BF.INFO', 'cli')[:2] == ['Capacity', '100']
    assert say('CF.ADD', 'cli_cf', 'x') == ['1'] and say('CF.COUNT', 'cli_cf', 'x') == ['1']
    assert say('CMS.INITBYDIM', 'cli_cms', '10', '2') == ['OK'] and say('CMS.INCRBY', 'cli_cms', 'a', '4') == ['4']
    assert say('TYPE', 'cli') == ['mbrfilter']


def main():
    with served() as (server, _):
        client = redis.Redis(port=server.port)
        check_bloom(client)
        check_cuckoo(client)
        check_sketch(client)
        check_top(client)
        check_all_called()
        check_command_line(server.port)


main()
