#!/usr/bin/env python3
"""Huge, negative and misspelt numbers in every place of every command: an error, nothing allocated and nothing changed, or
a success that is within the limit and that a saved file may hold."""
from support.resp import ReplyError
from support.server import served

NUMBERS = ['-1', '0', '-0', '1e18', '9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616',
           '-9223372036854775808', '1e308', '1e-308', '1e-320', 'nan', 'inf', '-inf', '', ' 5', '5 ', '+5', '0x10', '5\x00', '1' * 400, '0.5', '1',
           '4294967296', '1099511627776', '1099511627777', '32769', 'KIND', '\xff']

# N is the place of the number; every other word is as it should be.
COMMANDS = [
    'BF.RESERVE new N 1000', 'BF.RESERVE new 0.01 N', 'BF.RESERVE new 0.01 100 EXPANSION N', 'BF.RESERVE new 0.01 100 HASHKEY N',
    'BF.RESERVE new 0.01 100 KIND bloom:k=N', 'BF.RESERVE new 0.01 100 KIND bloom:size_bits=N', 'BF.RESERVE new 0.01 100 KIND N',
    'BF.RESERVE new 0.01 100 KIND balanced_rank:lines=N', 'BF.RESERVE new 0.01 100 KIND blocked_bloom:blocks=N',
    'BF.INSERT new CAPACITY N ITEMS a', 'BF.INSERT new ERROR N ITEMS a', 'BF.INSERT new EXPANSION N ITEMS a', 'BF.INSERT bf N ITEMS a',
    'BF.INFO bf N', 'BF.SCANDUMP bf N', 'BF.LOADCHUNK new N data', 'BF.LOADCHUNK bf N data',
    'CF.RESERVE new N', 'CF.RESERVE new 100 BUCKETSIZE N', 'CF.RESERVE new 100 MAXITERATIONS N', 'CF.RESERVE new 100 EXPANSION N',
    'CF.RESERVE new 100 ERROR N', 'CF.INSERT new CAPACITY N ITEMS a', 'CF.INSERTNX new CAPACITY N ITEMS a', 'CF.SCANDUMP cf N', 'CF.LOADCHUNK new N data',
    'CMS.INITBYDIM new N 5', 'CMS.INITBYDIM new 100 N', 'CMS.INITBYDIM new 100 5 CELL_SIZE N', 'CMS.INITBYPROB new N 0.1', 'CMS.INITBYPROB new 0.1 N',
    'CMS.INCRBY cms a N', 'CMS.MERGE cms N cms', 'CMS.MERGE cms 1 cms WEIGHTS N',
    'MBR.PLAN N 0.01', 'MBR.PLAN 100 N', 'MBR.DUMP bf N', 'MBR.DUMP bf 0 LINK N', 'MBR.LOAD new N data', 'MBR.SCANDUMP bf N', 'MBR.LOADCHUNK new N data',
    *(' '.join(['MBR.LINK', 'new', *('N' if place == i else word for i, word in enumerate(
        '1 0.01 2 100 0 0 0 siphash13 00112233445566778899aabbccddeeff bloom:size_bits=960,k=3 100 0.005'.split()))])
      for place in range(12)),
]


def main():
    limit = 8 << 20
    with served(module_arguments=('MAX-BYTES', str(limit))) as (_, client):
        client('BF.RESERVE', 'bf', '0.01', '100', 'NONSCALING')
        client('CF.RESERVE', 'cf', '100')
        client('CMS.INITBYDIM', 'cms', '50', '3')
        digest = client('DEBUG', 'DIGEST')
        client('CONFIG', 'RESETSTAT')
        refused = 0
        made = {}
        for command in COMMANDS:
            for number in NUMBERS:
                words = [word.replace('N', number) if word in ('N', 'bloom:k=N', 'bloom:size_bits=N', 'balanced_rank:lines=N',
                                                               'blocked_bloom:blocks=N') else word for word in command.split()]
                client.send(*words)
                reply = client.read()
                if isinstance(reply, ReplyError):
                    refused += 1
                    assert client('DEBUG', 'DIGEST') == digest, (words, reply)
                elif client('EXISTS', 'new'):
                    assert client('MEMORY', 'USAGE', 'new') < limit * 1.3, words
                    made[words[0]] = made.get(words[0], 0) + 1
                    client('RESTORE', 'again', '0', client('DUMP', 'new'))
                    client('DEL', 'new', 'again')
                digest = client('DEBUG', 'DIGEST')  # a success may have changed `bf` or `cms`
        peak = int(client.info('memory')[b'used_memory_peak'])
        print(f'{len(COMMANDS) * len(NUMBERS)} calls, {refused} refused, peak memory {peak}, made by', made)
        assert all(made.get(name, 0) > 1 for name in ('BF.RESERVE', 'CF.RESERVE', 'CMS.INITBYDIM', 'MBR.LINK')), made
        assert refused > len(COMMANDS) * len(NUMBERS) // 2
        assert peak < 5 * limit, peak
        for words in (['BF.ADD'], ['BF.MADD', 'k'], ['CF.ADD', 'k'], ['CMS.INCRBY', 'k', 'a'], ['MBR.LINK', 'k'], ['MBR.MERGE', 'k'],
                      ['BF.LOADCHUNK', 'k', '1'], ['MBR.DUMP', 'k'], ['CMS.MERGE', 'k', '1']):
            assert 'wrong number of arguments' in client.error(*words), words


main()
