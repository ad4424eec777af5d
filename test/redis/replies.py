#!/usr/bin/env python3
"""A table of requests with the replies that RedisBloom is known to give to them, in RESP2 and RESP3.

The replies are taken from its documentation, from the tests of its clients, and from replies of its server. Where this module replies
otherwise on purpose (redis/README.md), the row is not here. Errors are compared without regard to the case of the command's name.
"""
from support.resp import ReplyError, as_map
from support.server import served

T, F = 'yes', 'no'  # 1 and 0 in RESP2, booleans in RESP3
OK, NIL = 'OK', None


class Error(str):
    """The text of an error reply."""


class Range(str):
    """The text of an error reply up to the upper end of a range, which is another here."""


class Any:
    """A reply of this type, whose value is ours."""

    def __init__(self, kind):
        self.kind = kind


class Bits(list):
    """An array of integers in both protocols."""


def arity(command):
    return Error(f"ERR wrong number of arguments for '{command}' command")


WRONG_TYPE = Error('WRONGTYPE Operation against a key holding the wrong kind of value')

TABLE = [
    # ---- BF
    ('BF.RESERVE b 0.01 1000', OK),
    ('BF.RESERVE b 0.01 1000', Error('ERR item exists')),
    ('BF.RESERVE b1 0.001 1', OK),
    ('BF.RESERVE be 0.01 1000 EXPANSION 4', OK),
    ('BF.RESERVE bn 0.01 1000 NONSCALING', OK),
    ('BF.RESERVE bz 0.01 1000 EXPANSION 0', OK),
    ('BF.RESERVE e 0.01 1000 NONSCALING EXPANSION 2', Error('Nonscaling filters cannot expand')),
    ('BF.RESERVE e x 1000', Error('ERR bad error rate')),
    ('BF.RESERVE e 0.01 x', Error('ERR bad capacity')),
    ('BF.RESERVE e 0.01 1000 EXPANSION x', Error('ERR bad expansion')),
    ('BF.RESERVE e 0.01 1000 EXPANSION', Error('ERR no expansion')),
    ('BF.RESERVE e 0 1000', Error('ERR error rate must be in the range (0.000000, 1.000000)')),
    ('BF.RESERVE e 0.01 0', Range('ERR capacity must be in the range [1, ')),
    ('BF.RESERVE e 0.01 10 EXPANSION 32769', Error('ERR expansion must be in the range [0, 32768]')),
    ('BF.RESERVE', arity('bf.reserve')),
    ('BF.RESERVE e', arity('bf.reserve')),
    ('BF.RESERVE e 0.01', arity('bf.reserve')),
    ('BF.ADD b foo', T),
    ('BF.ADD b foo', F),
    ('BF.ADD b', arity('bf.add')),
    ('BF.ADD', arity('bf.add')),
    ('BF.ADD b foo bar', arity('bf.add')),
    ('BF.ADD implicit a', T),
    ('BF.ADD implicit a', F),
    ('BF.MADD b foo bar baz', [F, T, T]),
    ('BF.MADD b', arity('bf.madd')),
    ('BF.MADD implicit2 a b a', [T, T, F]),
    ('BF.EXISTS b foo', T),
    ('BF.EXISTS b nowhere', F),
    ('BF.EXISTS none foo', F),
    ('BF.EXISTS b', arity('bf.exists')),
    ('BF.EXISTS b foo bar', arity('bf.exists')),
    ('BF.MEXISTS b foo bar nowhere', [T, T, F]),
    ('BF.MEXISTS none a b', [F, F]),
    ('BF.MEXISTS b', arity('bf.mexists')),
    ('BF.CARD b', 3),
    ('BF.CARD none', 0),
    ('BF.CARD', arity('bf.card')),
    ('BF.CARD b b', arity('bf.card')),
    ('BF.INFO b', {'Capacity': 1000, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 3, 'Expansion rate': 2}),
    ('BF.INFO be', {'Capacity': 1000, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 0, 'Expansion rate': 4}),
    ('BF.INFO bn', {'Capacity': 1000, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 0, 'Expansion rate': NIL}),
    ('BF.INFO bz', {'Capacity': 1000, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 0, 'Expansion rate': NIL}),
    ('BF.INFO implicit', {'Capacity': 100, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 1, 'Expansion rate': 2}),
    ('BF.INFO b CAPACITY', ('Capacity', 1000)),
    ('BF.INFO b capacity', ('Capacity', 1000)),
    ('BF.INFO b SIZE', ('Size', Any(int))),
    ('BF.INFO b FILTERS', ('Number of filters', 1)),
    ('BF.INFO b ITEMS', ('Number of items inserted', 3)),
    ('BF.INFO b EXPANSION', ('Expansion rate', 2)),
    ('BF.INFO bn EXPANSION', ('Expansion rate', NIL)),
    ('BF.INFO b COLOUR', Error('Invalid information value')),
    ('BF.INFO none', Error('ERR not found')),
    ('BF.INFO', arity('bf.info')),
    ('BF.INFO b SIZE SIZE', arity('bf.info')),
    ('BF.INSERT bi CAPACITY 500 ERROR 0.02 EXPANSION 3 ITEMS a b a', [T, T, F]),
    ('BF.INFO bi', {'Capacity': 500, 'Size': Any(int), 'Number of filters': 1, 'Number of items inserted': 2, 'Expansion rate': 3}),
    ('BF.INSERT bi ITEMS a c', [F, T]),
    ('BF.INSERT bi NOCREATE ITEMS c d', [F, T]),
    ('BF.INSERT bi CAPACITY 7 ITEMS e', [T]),
    ('BF.INSERT none NOCREATE ITEMS a', Error('ERR not found')),
    ('BF.INSERT none2 CAPACITY x ITEMS a', Error('Bad capacity')),
    ('BF.INSERT none2 ERROR x ITEMS a', Error('Bad error rate')),
    ('BF.INSERT none2 EXPANSION x ITEMS a', Error('Bad expansion')),
    ('BF.INSERT none2 COLOUR ITEMS a', Error('Unknown argument received')),
    ('BF.INSERT none2 ITEMS', arity('bf.insert')),
    ('BF.INSERT none2', arity('bf.insert')),
    ('BF.INSERT none2 NOCREATE CAPACITY', arity('bf.insert')),
    ('BF.INSERT none2 NOCREATE ERROR', arity('bf.insert')),
    ('BF.INSERT none2 NOCREATE EXPANSION', arity('bf.insert')),
    ('BF.INSERT bin NONSCALING CAPACITY 4 ERROR 0.0001 ITEMS a b', [T, T]),
    ('BF.INSERT bin2 EXPANSION 2 NONSCALING ITEMS a', [T]),
    ('BF.INFO bin2 EXPANSION', ('Expansion rate', NIL)),
    ('BF.RESERVE full 0.0001 2 NONSCALING', OK),
    ('BF.MADD full a b c', [T, T, Error('ERR non scaling filter is full')]),
    ('BF.ADD full d', Error('ERR non scaling filter is full')),
    ('BF.ADD full a', F),
    ('BF.CARD full', 2),
    ('BF.SCANDUMP none 0', Error('ERR not found')),
    ('BF.SCANDUMP b x', Error('Second argument must be numeric')),
    ('BF.SCANDUMP b', arity('bf.scandump')),
    ('BF.SCANDUMP b 0', [Any(int), Any(bytes)]),
    ('BF.LOADCHUNK b', arity('bf.loadchunk')),
    ('BF.LOADCHUNK none x data', Error('ERR Second argument must be numeric')),
    ('TYPE none', 'none'),
    # ---- growth by EXPANSION: capacities as of stacked filters
    ('BF.RESERVE grow 0.000001 4 EXPANSION 2', OK),
    ('BF.MADD grow 1 2 3 4', [T, T, T, T]),
    ('BF.INFO grow CAPACITY', ('Capacity', 4)),
    ('BF.ADD grow 5', T),
    ('BF.INFO grow CAPACITY', ('Capacity', 12)),
    ('BF.MADD grow 6 7 8 9 10 11 12 13', [T] * 8),
    ('BF.INFO grow CAPACITY', ('Capacity', 28)),
    ('BF.RESERVE grow1 0.000001 4 EXPANSION 1', OK),
    ('BF.MADD grow1 1 2 3 4 5', [T] * 5),
    ('BF.INFO grow1 CAPACITY', ('Capacity', 8)),
    # ---- CF
    ('CF.RESERVE c 1000', OK),
    ('CF.RESERVE c 1000', Error('ERR item exists')),
    ('CF.RESERVE co 1000 BUCKETSIZE 4 MAXITERATIONS 10 EXPANSION 2', OK),
    ('CF.RESERVE e x', Error('Bad capacity')),
    ('CF.RESERVE e 1000 BUCKETSIZE x', Error("Couldn't parse BUCKETSIZE")),
    ('CF.RESERVE e 1000 MAXITERATIONS x', Error("Couldn't parse MAXITERATIONS")),
    ('CF.RESERVE e 1000 EXPANSION x', Error("Couldn't parse EXPANSION")),
    ('CF.RESERVE e', arity('cf.reserve')),
    ('CF.RESERVE e 1000 BUCKETSIZE', arity('cf.reserve')),
    ('CF.RESERVE e 1', Range('Capacity must be in the range [2 * BUCKETSIZE, ')),
    ('CF.RESERVE e 3', Range('Capacity must be in the range [2 * BUCKETSIZE, ')),
    ('CF.RESERVE e -1', Range('Capacity must be in the range [2 * BUCKETSIZE, ')),
    ('CF.RESERVE e 7 BUCKETSIZE 4', Range('Capacity must be in the range [2 * BUCKETSIZE, ')),
    ('CF.RESERVE e 100 BUCKETSIZE 0', Error('BUCKETSIZE: value must be in the range [1, 255]')),
    ('CF.RESERVE e 100 MAXITERATIONS 0', Error('MAXITERATIONS: value must be in the range [1, 65535]')),
    ('CF.RESERVE e 100 EXPANSION -1', Error('EXPANSION: value must be in the range [0, 32768]')),
    ('CF.ADD c a', T),
    ('CF.ADD c a', T),
    ('CF.ADDNX c a', F),
    ('CF.ADDNX c b', T),
    ('CF.ADD c', arity('cf.add')),
    ('CF.ADDNX c', arity('cf.addnx')),
    ('CF.ADD implicit3 a', T),
    ('CF.ADDNX implicit4 a', T),
    ('CF.COUNT c a', 2),
    ('CF.COUNT c b', 1),
    ('CF.COUNT c z', 0),
    ('CF.COUNT none a', 0),
    ('CF.COUNT c', arity('cf.count')),
    ('CF.EXISTS c a', T),
    ('CF.EXISTS c z', F),
    ('CF.EXISTS none a', F),
    ('CF.MEXISTS c a b z', [T, T, F]),
    ('CF.MEXISTS none a', [F]),
    ('CF.MEXISTS c', arity('cf.mexists')),
    ('CF.INFO c', {'Size': Any(int), 'Number of buckets': Any(int), 'Number of filters': 1, 'Number of items inserted': 3,
                   'Number of items deleted': 0, 'Bucket size': 2, 'Expansion rate': 1, 'Max iterations': 20}),
    ('CF.DEL c a', T),
    ('CF.DEL c a', T),
    ('CF.DEL c a', F),
    ('CF.DEL none a', Error('Not found')),
    ('CF.DEL c', arity('cf.del')),
    ('CF.INFO c', {'Size': Any(int), 'Number of buckets': Any(int), 'Number of filters': 1, 'Number of items inserted': 1,
                   'Number of items deleted': 2, 'Bucket size': 2, 'Expansion rate': 1, 'Max iterations': 20}),
    ('CF.INFO co', {'Size': Any(int), 'Number of buckets': Any(int), 'Number of filters': 1, 'Number of items inserted': 0,
                    'Number of items deleted': 0, 'Bucket size': 4, 'Expansion rate': 2, 'Max iterations': 10}),
    ('CF.INFO none', Error('ERR not found')),
    ('CF.INFO', arity('cf.info')),
    ('CF.INSERT ci CAPACITY 1000 ITEMS a b', [T, T]),
    ('CF.INSERT ci ITEMS a', [T]),
    ('CF.COUNT ci a', 2),
    ('CF.INSERT ci NOCREATE ITEMS c', [T]),
    ('CF.INSERTNX ci ITEMS a d', Bits([0, 1])),
    ('CF.INSERTNX cn CAPACITY 1000 ITEMS a b', Bits([1, 1])),
    ('CF.INSERTNX cn NOCREATE ITEMS a c', Bits([0, 1])),
    ('CF.INSERT none NOCREATE ITEMS a', Error('ERR not found')),
    ('CF.INSERTNX none NOCREATE ITEMS a', Error('ERR not found')),
    ('CF.INSERT none CAPACITY x ITEMS a', Error('Bad capacity')),
    # Two buckets of cf-bucket-size 2 are the least, as for CF.RESERVE, whether the key exists or not: RedisBloom's tests/flow/test_cuckoo.py
    # expects errors for CAPACITY 3 and -1, since its pull request 434.
    ('CF.INSERT none CAPACITY 3 ITEMS a', Range('Capacity must be in the range [cf-bucket-size * 2, ')),
    ('CF.INSERT none CAPACITY -1 ITEMS a', Range('Capacity must be in the range [cf-bucket-size * 2, ')),
    ('CF.INSERTNX none CAPACITY 3 ITEMS a', Range('Capacity must be in the range [cf-bucket-size * 2, ')),
    ('CF.INSERT ci CAPACITY 3 ITEMS a', Range('Capacity must be in the range [cf-bucket-size * 2, ')),
    ('CF.INSERT least CAPACITY 4 ITEMS a', [T]),
    ('CF.INSERT none NOCREATE CAPACITY', arity('cf.insert')),
    ('CF.INSERT none COLOUR ITEMS a', Error('Unknown argument received')),
    ('CF.INSERT none ITEMS', arity('cf.insert')),
    ('CF.INSERT none', arity('cf.insert')),
    ('CF.RESERVE cempty 4', OK),
    ('CF.SCANDUMP cempty 0', [0, NIL]),
    ('CF.SCANDUMP none 0', Error('ERR not found')),
    ('CF.SCANDUMP c', arity('cf.scandump')),
    ('CF.SCANDUMP c x', Error('Invalid position')),
    ('CF.SCANDUMP c -1', Error('Invalid position')),
    ('CF.LOADCHUNK none x data', Error('Invalid position')),
    ('CF.LOADCHUNK none 0 data', Error('Invalid position')),
    ('CF.COMPACT none', Error('Cuckoo filter was not found')),
    ('CF.SCANDUMP ci 0', [Any(int), Any(bytes)]),
    ('CF.COMPACT ci', OK),
    ('CF.COUNT ci a', 2),
    # ---- CMS
    ('CMS.INITBYDIM s 1000 5', OK),
    ('CMS.INITBYDIM s 1000 5', Error('CMS: key already exists')),
    ('CMS.INITBYPROB p 0.001 0.01', OK),
    ('CMS.INFO p', {'width': 2000, 'depth': 7, 'count': 0}),
    ('CMS.INITBYPROB p2 0.01 0.01', OK),
    ('CMS.INFO p2', {'width': 200, 'depth': 7, 'count': 0}),
    ('CMS.INITBYDIM e 0 5', Error('CMS: invalid width')),
    ('CMS.INITBYDIM e foo 5', Error('CMS: invalid width')),
    ('CMS.INITBYDIM e 10 0', Error('CMS: invalid depth')),
    ('CMS.INITBYDIM e 10 foo', Error('CMS: invalid depth')),
    ('CMS.INITBYDIM e 10', arity('cms.initbydim')),
    ('CMS.INITBYPROB e 1000 0.1', Error('CMS: invalid overestimation value')),
    ('CMS.INITBYPROB e foo 0.1', Error('CMS: invalid overestimation value')),
    ('CMS.INITBYPROB e 0.1 1000', Error('CMS: invalid prob value')),
    ('CMS.INITBYPROB e 0.1 foo', Error('CMS: invalid prob value')),
    ('CMS.INITBYPROB e 0.1', arity('cms.initbyprob')),
    ('CMS.INCRBY s a 5', Bits([5])),
    ('CMS.INCRBY s a 5 b 2', Bits([10, 2])),
    ('CMS.INCRBY s a foo', Error('CMS: Cannot parse number')),
    ('CMS.INCRBY s a -1', Error('CMS: Number cannot be negative')),
    ('CMS.INCRBY s a 5 b', arity('cms.incrby')),
    ('CMS.INCRBY none a 5', Error('CMS: key does not exist')),
    ('CMS.INCRBY s', arity('cms.incrby')),
    ('CMS.QUERY s a b z', Bits([10, 2, 0])),
    ('CMS.QUERY none a', Error('CMS: key does not exist')),
    ('CMS.QUERY s', arity('cms.query')),
    ('CMS.INFO s', {'width': 1000, 'depth': 5, 'count': 12}),
    ('CMS.INFO none', Error('CMS: key does not exist')),
    ('CMS.INFO', arity('cms.info')),
    ('CMS.INITBYDIM A 1000 5', OK),
    ('CMS.INITBYDIM B 1000 5', OK),
    ('CMS.INITBYDIM C 1000 5', OK),
    ('CMS.INCRBY A foo 5 bar 3 baz 9', Bits([5, 3, 9])),
    ('CMS.INCRBY B foo 2 bar 3 baz 1', Bits([2, 3, 1])),
    ('CMS.MERGE C 2 A B', OK),
    ('CMS.QUERY C foo bar baz', Bits([7, 6, 10])),
    ('CMS.MERGE C 2 A B WEIGHTS 1 2', OK),
    ('CMS.QUERY C foo bar baz', Bits([9, 9, 11])),
    ('CMS.MERGE C 2 A B WEIGHTS 2 3', OK),
    ('CMS.QUERY C foo bar baz', Bits([16, 15, 21])),
    ('CMS.MERGE none 1 A', Error('CMS: key does not exist')),
    ('CMS.MERGE C 1 none', Error('CMS: key does not exist')),
    ('CMS.MERGE C 0 A', Error('CMS: Number of keys must be positive')),
    ('CMS.MERGE C -1 A', Error('CMS: Number of keys must be positive')),
    ('CMS.MERGE C 3 A B', Error('CMS: wrong number of keys')),
    ('CMS.MERGE C foo A B', Error('CMS: wrong number of keys')),
    ('CMS.MERGE C 2 A B WEIGHTS 1', Error('CMS: wrong number of keys/weights')),
    ('CMS.MERGE C 2 A B WEIGHTS 1 foo', Error('CMS: Cannot parse number')),
    ('CMS.MERGE C 1 s2', Error('CMS: key does not exist')),
    ('CMS.INITBYDIM narrow 10 5', OK),
    ('CMS.MERGE C 1 narrow', Error('CMS: width/depth is not equal')),
    ('CMS.MERGE C', arity('cms.merge')),
    # ---- TOPK
    ('TOPK.RESERVE t 20 50 5 0.9', OK),
    ('TOPK.RESERVE t 20 50 5 0.9', Error('TopK: key already exists')),
    ('TOPK.RESERVE t1 3', OK),
    ('TOPK.RESERVE e foo', Error('TopK: invalid k')),
    ('TOPK.RESERVE e 3 foo 5 0.9', Error('TopK: invalid width')),
    ('TOPK.RESERVE e 3 50 foo 0.9', Error('TopK: invalid depth')),
    ('TOPK.RESERVE e 3 50 5 foo', Error("TopK: invalid decay value. must be '<= 1' & '> 0'")),
    ('TOPK.RESERVE e', arity('topk.reserve')),
    ('TOPK.ADD t bar baz 42', [NIL, NIL, NIL]),
    ('TOPK.ADD none a', Error('TopK: key does not exist')),
    ('TOPK.ADD t', arity('topk.add')),
    ('TOPK.INCRBY t bar 3 baz 6 42 2', [NIL, NIL, NIL]),
    ('TOPK.INCRBY t bar', arity('topk.incrby')),
    ('TOPK.QUERY t bar nowhere', [T, F]),
    ('TOPK.QUERY none a', Error('TopK: key does not exist')),
    ('TOPK.COUNT t bar baz 42 nowhere', Bits([4, 7, 3, 0])),
    ('TOPK.LIST t', [b'baz', b'bar', b'42']),
    ('TOPK.LIST t WITHCOUNT', [b'baz', 7, b'bar', 4, b'42', 3]),
    ('TOPK.LIST t COLOUR', Error('WITHCOUNT keyword expected')),
    ('TOPK.LIST none', Error('TopK: key does not exist')),
    ('TOPK.INFO t', {'k': 20, 'width': 50, 'depth': 5, 'decay': Any(float)}),
    ('TOPK.INFO t1', {'k': 3, 'width': 8, 'depth': 7, 'decay': Any(float)}),
    ('TOPK.INFO none', Error('TopK: key does not exist')),
    # ---- other types
    ('SET text x', OK),
    ('BF.ADD text a', WRONG_TYPE),
    ('BF.RESERVE text 0.1 100', WRONG_TYPE),
    ('BF.INFO text', WRONG_TYPE),
    ('CF.ADD text a', WRONG_TYPE),
    ('CF.DEL text a', WRONG_TYPE),
    ('CF.INFO text', WRONG_TYPE),
    ('CMS.QUERY text a', WRONG_TYPE),
    ('CMS.INCRBY text a 1', WRONG_TYPE),
    ('TOPK.ADD text a', WRONG_TYPE),
    ('TOPK.LIST text', WRONG_TYPE),
    ('CF.ADD b a', WRONG_TYPE),
    ('BF.ADD c a', WRONG_TYPE),
    ('CMS.QUERY b a', WRONG_TYPE),
    ('TOPK.LIST b', WRONG_TYPE),
    ('GET b', WRONG_TYPE),
    ('DEL b c s t', 4),
]


def differs(got, wanted, protocol):
    """What is wrong with a reply; None: nothing."""
    if isinstance(wanted, Error):
        is_right = isinstance(got, ReplyError) and str(got).lower() == wanted.lower()
    elif isinstance(wanted, Range):
        is_right = isinstance(got, ReplyError) and str(got).startswith(wanted)
    elif isinstance(wanted, Any):
        is_right = isinstance(float(got), float) if wanted.kind is float else isinstance(got, wanted.kind)
    elif isinstance(wanted, dict):
        pairs = {} if isinstance(got, ReplyError) else {name.decode(): value for name, value in as_map(got).items()}
        is_right = isinstance(got, dict if protocol == 3 else list) and list(pairs) == list(wanted) and \
            not any(differs(pairs[name], value, protocol) for name, value in wanted.items())
    elif isinstance(wanted, tuple):
        return differs(got, {wanted[0]: wanted[1]}, 3) if protocol == 3 else differs(got, [wanted[1]], 2)
    elif isinstance(wanted, list):
        is_right = isinstance(got, list) and len(got) == len(wanted) and not any(differs(a, b, protocol) for a, b in zip(got, wanted))
    elif wanted in (T, F) and isinstance(wanted, str):
        is_right = got is (wanted == T) if protocol == 3 else (type(got) is int and got == int(wanted == T))
    else:
        is_right = type(got) is type(wanted) and got == wanted
    return None if is_right else f'{got!r}, expected {wanted!r}'


def main():
    assert len(TABLE) >= 200, len(TABLE)
    wrong = []
    for protocol in (2, 3):
        with served(protocol=protocol) as (_, client):
            for request, wanted in TABLE:
                client.send(*request.split())
                if problem := differs(client.read(), wanted, protocol):
                    wrong.append(f'RESP{protocol} {request}: {problem}')
    assert not wrong, '\n'.join(wrong)
    print(f'{len(TABLE)} requests')


main()
