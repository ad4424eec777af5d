#!/usr/bin/env python3
"""Huge, negative and malformed numbers in every position of every command. The reply is an error, and nothing is allocated or
changed; or the command succeeds, and the value is within the limit and can be restored from its dump."""
from support.resp import ReplyError
from support.server import served

NUMBERS = ['-1', '0', '-0', '1e18', '9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616',
           '-9223372036854775808', '1e308', '1e-308', '1e-320', 'nan', 'inf', '-inf', '', ' 5', '5 ', '+5', '0x10', '5\x00', '1' * 400, '0.5', '1',
           '4294967296', '1099511627776', '1099511627777', '32769', 'KIND', '\xff']

# [x] is the position of the number, and with x the command succeeds. BF_IMAGE, CF_IMAGE and FILE are the bytes from SCANDUMP and
# DUMP, [END] is the iterator that belongs to them.
LINK = '1 0.01 2 100 0 0 0 siphash13 00112233445566778899aabbccddeeff bloom:size_bits=960,k=3 100 0.005'.split()
COMMANDS = [
    'BF.RESERVE new [0.01] 1000', 'BF.RESERVE new 0.01 [1000]', 'BF.RESERVE new 0.01 100 EXPANSION [2]',
    'BF.RESERVE new 0.01 100 HASHKEY [00112233445566778899aabbccddeeff]',
    'BF.RESERVE new 0.01 100 KIND bloom:k=[3]', 'BF.RESERVE new 0.01 100 KIND bloom:size_bits=[4096]', 'BF.RESERVE new 0.01 100 KIND [bloom]',
    'BF.INSERT new CAPACITY [100] ITEMS a', 'BF.INSERT new ERROR [0.01] ITEMS a', 'BF.INSERT new EXPANSION [2] ITEMS a', 'BF.INSERT bf [NOCREATE] ITEMS a',
    'BF.INFO bf [CAPACITY]', 'BF.SCANDUMP bf [0]', 'BF.LOADCHUNK new [END] BF_IMAGE',
    'CF.RESERVE new [100]', 'CF.RESERVE new 100 BUCKETSIZE [2]', 'CF.RESERVE new 100 MAXITERATIONS [20]', 'CF.RESERVE new 100 EXPANSION [1]',
    'CF.RESERVE new 100 ERROR [0.01]', 'CF.INSERT new CAPACITY [100] ITEMS a', 'CF.INSERTNX new CAPACITY [100] ITEMS a', 'CF.SCANDUMP cf [0]',
    'CF.LOADCHUNK new [END] CF_IMAGE',
    'CMS.INITBYDIM new [100] 5', 'CMS.INITBYDIM new 100 [5]', 'CMS.INITBYDIM new 100 5 CELL_SIZE [4]', 'CMS.INITBYPROB new [0.01] 0.1', 'CMS.INITBYPROB new 0.1 [0.01]',
    'BF.RESERVE new 0.01 100 GROWTO [200]', 'CF.RESERVE new 100 GROWTO [200]',
    'TOPK.RESERVE new [10]', 'TOPK.RESERVE new 10 [20] 4 0.9', 'TOPK.RESERVE new 10 20 [4] 0.9', 'TOPK.RESERVE new 10 20 4 [0.9]',
    'TOPK.INCRBY topk a [5]', 'TOPK.LIST topk [WITHCOUNT]',
    'CMS.INCRBY cms a [5]', 'CMS.MERGE cms [1] cms', 'CMS.MERGE cms 1 cms WEIGHTS [1]',
    'MBR.PLAN [100] 0.01', 'MBR.PLAN 100 [0.01]', 'MBR.DUMP bf [0]', 'MBR.DUMP bf 0 LINK [0]', 'MBR.LOAD new [END] FILE', 'MBR.SCANDUMP bf [0]',
    'MBR.LOADCHUNK new [END] BF_IMAGE',
    *(' '.join(['MBR.LINK', 'new', *(f'[{word}]' if place == i else word for i, word in enumerate(LINK))]) for place in range(len(LINK))),
]
# The key exists, or the server does not plan this: an error with any number.
ALWAYS_REFUSED = ['BF.RESERVE new 0.01 100 KIND balanced_rank:lines=[20]', 'BF.RESERVE new 0.01 100 KIND blocked_bloom:blocks=[20]', 'BF.LOADCHUNK bf [END] BF_IMAGE', 'BF.RESERVE bf 0.01 [1000]', 'MBR.LOAD bf [END] FILE']


def filled_in(command, number, dumps):
    """The arguments of a command with the number at its position; None: the number with which it succeeds."""
    words = []
    for word in command.split():
        if '[' in word:
            start, good = word.rstrip(']').split('[')
            last = command.split()[-1]
            if good == 'END':
                good = str(len(dumps[last]) + 1)
            word = start + (good if number is None else number)
        words.append(dumps.get(word, word))
    return words


def main():
    limit = 8 << 20
    with served(module_arguments=('MAX-BYTES', str(limit))) as (_, client):
        client('BF.RESERVE', 'bf', '0.01', '100', 'NONSCALING')
        client('CF.RESERVE', 'cf', '100')
        client('CF.ADD', 'cf', 'x')
        client('TOPK.RESERVE', 'topk', '5')
        client('CMS.INITBYDIM', 'cms', '50', '3')
        dumps = {'BF_IMAGE': client('BF.SCANDUMP', 'bf', '0')[1], 'CF_IMAGE': client('CF.SCANDUMP', 'cf', '0')[1], 'FILE': client('MBR.DUMP', 'bf', '0')[1]}
        for command in COMMANDS:
            client(*filled_in(command, None, dumps))  # raises on an error reply
            client('DEL', 'new')
        for command in ALWAYS_REFUSED:
            client.error(*filled_in(command, None, dumps))
        digest = client('DEBUG', 'DIGEST')
        client('CONFIG', 'RESETSTAT')
        refused = 0
        made = {}
        for command in COMMANDS + ALWAYS_REFUSED:
            for number in NUMBERS:
                words = filled_in(command, number, dumps)
                client.send(*words)
                reply = client.read()
                if isinstance(reply, ReplyError):
                    refused += 1
                    assert client('DEBUG', 'DIGEST') == digest, (words, reply)
                elif client('EXISTS', 'new'):
                    # The allocator's size classes add at most a quarter.
                    assert client('MEMORY', 'USAGE', 'new') < limit * 1.3, words
                    made[words[0]] = made.get(words[0], 0) + 1
                    client('RESTORE', 'again', '0', client('DUMP', 'new'))
                    client('DEL', 'new', 'again')
                digest = client('DEBUG', 'DIGEST')  # a success may have changed `bf` or `cms`
        peak = int(client.info('memory')[b'used_memory_peak'])
        calls = len(COMMANDS + ALWAYS_REFUSED) * len(NUMBERS)
        print(f'{calls} calls, {refused} refused, peak memory {peak}, made by', made)
        assert all(made.get(name, 0) > 1 for name in ('BF.RESERVE', 'CF.RESERVE', 'CMS.INITBYDIM', 'MBR.LINK')), made
        # Most of the numbers are invalid in every position.
        assert refused > calls // 2
        # The memory of an empty server, the largest filter, and copies of it for a command and its reply.
        assert peak < 5 * limit, peak
        for words in (['BF.ADD'], ['BF.MADD', 'k'], ['CF.ADD', 'k'], ['CMS.INCRBY', 'k', 'a'], ['MBR.LINK', 'k'], ['MBR.MERGE', 'k'],
                      ['BF.LOADCHUNK', 'k', '1'], ['MBR.DUMP', 'k'], ['CMS.MERGE', 'k', '1']):
            assert 'wrong number of arguments' in client.error(*words), words


main()
