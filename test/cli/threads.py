#!/usr/bin/env python3
"""Any number of threads: the same files, the same output in the same order, the same first error."""
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()
random.seed(5)
THREADS = (1, 2, 3, 8)
BLOCK = 1 << 18  # bytes of a block of records


def same(what, *arguments, **options):
    """The first of equal answers by every number of threads."""
    answers = [run(*arguments, '--threads', str(threads), **options) for threads in THREADS]
    outcomes = {(each.out, each.err, each.code) for each in answers}
    check(f'{what}: one answer from {THREADS} threads', len(outcomes) == 1, str([(each.code, len(each.out), each.err[:200]) for each in answers]))
    return answers[0]


def put(name, data):
    with open(name, 'wb') as file:
        file.write(data)


print('build')
put('keys', numbers(1, 200_000) + numbers(1, 50_000))
for kind in json.loads(must('kinds', '--json').out):
    name = kind['name']
    if name == 'count_min':
        continue
    for threads in THREADS:
        must('build', '-q', '--force', '-o', f'{name}.{threads}', '--kind', name, '--key', KEY, '--threads', str(threads), 'keys')
    check(f'{name}: one file from {THREADS} threads', len({digest(f'{name}.{threads}') for threads in THREADS}) == 1)
    check(f'{name}: repeated keys were dropped', json.loads(must('info', f'{name}.1', '--json').out)['keys'] == 200_000)

print('query')
must('build', '-q', '-o', 'f.mbr', '--key', KEY, '--fpr', '1e-6', 'keys')
asked = numbers(190_001, 300_000)
answer = same('lines', 'query', 'f.mbr', stdin=asked)
check('the members come out in the order of the input', answer.out.startswith(numbers(190_001, 200_000)))
check('without the last end', same('no last end', 'query', 'f.mbr', stdin=asked[:-1]).out == answer.out)
check('counted', int(same('--count', 'query', '-c', 'f.mbr', stdin=asked).out) == answer.out.count(b'\n'))
check('inverted', same('--invert', 'query', '-v', 'f.mbr', stdin=asked).out.count(b'\n') == 110_000 - answer.out.count(b'\n'))
put('one', numbers(1, 1000)[:-1])
put('none', b'')
put('other', asked)
several = same('several files', 'query', 'f.mbr', 'one', 'none', 'other', 'one')
check('files one after the other', several.out == numbers(1, 1000) + answer.out + numbers(1, 1000))

print('records across blocks')
lengths = [0, 1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 7, 0, 2 * BLOCK - 1, 5]
records = [bytes(random.choices(b'abc\r\0', k=length)) for length in lengths]
put('long', b'\n'.join(records) + b'\n')
must('build', '-q', '--exact', '-o', 'long.mbr', '--key', KEY, 'long')
check('long lines come back as they are', same('long lines', 'query', 'long.mbr', '--exact', 'long').out == b'\n'.join(records) + b'\n')
texts = [record.replace(b'\0', b'\n') for record in records]
put('texts', b'\0'.join(texts))
must('build', '-q', '--keep-blank', '-o', 'texts.mbr', '--key', KEY, '-0', 'texts')
check('ended by NUL', same('nul', 'query', 'texts.mbr', '-0', '--keep-blank', 'texts').out == b'\0'.join(texts) + b'\0')
put('integers', struct.pack('<100000Q', *range(100_000)))
must('build', '-q', '-o', 'u64.mbr', '--key', KEY, '--format', 'u64', 'integers')
check('integers', same('u64', 'query', 'u64.mbr', '--format', 'u64', 'integers').out == struct.pack('<100000Q', *range(100_000)))
hexed = b''.join(b'%08x\n' % number for number in range(100_000))
must('build', '-q', '-o', 'hex.mbr', '--key', KEY, '--format', 'hex', stdin=hexed)
check('hex', same('hex', 'query', 'hex.mbr', '--format', 'hex', stdin=hexed).out == hexed)

print('the first error, after everything before it')
lines = [b'a,%d' % number for number in range(100_000)]
lines[70_000] = lines[90_000] = b'nothing'
failed = same('too few fields', 'query', 'f.mbr', '--strict', '--delimiter', ',', '--field', '2', stdin=b'\n'.join(lines))
check('the line is told', failed.code == 3 and 'standard input:70001: too few fields' in failed.err, failed.err)
check('what came before is printed', failed.out.count(b'\n') >= 69_999)
put('second', b'\n'.join(lines))
put('first', b''.join(b'a,%d\n' % number for number in range(60_000)))
failed = same('in the second file', 'query', 'f.mbr', '--strict', '-c', 'first', 'second', '--delimiter', ',', '--field', '2')
check('lines are counted in each file', 'second:70001: too few fields' in failed.err, failed.err)
put('first', numbers(1, 60_000))
missing = same('a file that is missing', 'query', 'f.mbr', 'first', 'missing', 'first')
check('what came before is printed', missing.code == 4 and missing.out == numbers(1, 60_000), missing.err)
cut = same('cut off', 'query', 'u64.mbr', '--strict', '--format', 'u64', stdin=struct.pack('<5Q', *range(5)) + b'abc')
check('a cut-off integer', cut.code == 3 and ':6: the last record is cut off (3 bytes, expected 8)' in cut.err, cut.err)
for wrong in ('0', '-1', '1025', 'two'):
    check(f'--threads {wrong}', run('build', '-o', 'x.mbr', '--threads', wrong, 'keys').code == 2)

finish()
