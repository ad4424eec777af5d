#!/usr/bin/env python3
"""query for people and programs: several filters in one pass, JSON for each hit, tokens, matching keys, - for standard input and output."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()
must('build', '-q', '-o', 'a.mbr', '--fpr', '1e-9', stdin=numbers(1, 10))
must('build', '-q', '-o', 'b.mbr', '--fpr', '1e-9', stdin=numbers(5, 15))
must('build', '-q', '-o', 'c.mbr', '--fpr', '1e-9', '--hash', 'xxh3', stdin=b'x\n')


def objects(*arguments, stdin):
    return [json.loads(line) for line in run('query', '--json', *arguments, stdin=stdin).out.splitlines()]


print('several filters')
both = ('-f', 'a.mbr', '-f', 'b.mbr', '-f', 'c.mbr')
found = run('query', *both, stdin=b'1\n5\n15\n99\nx\n')
check('each line with the names of its filters', found.out == b'a.mbr:1\na.mbr,b.mbr:5\nb.mbr:15\nc.mbr:x\n', repr(found))
check('--no-names', run('query', *both, '--no-names', stdin=b'1\n99\n').out == b'1\n')
check('--invert: in none', run('query', *both, '-v', stdin=b'1\n15\n99\n').out == b'99\n')
check('--count: lines', run('query', *both, '-c', stdin=numbers(1, 20)).out == b'15\n')
with open('keys', 'wb') as file:
    file.write(numbers(10, 20))
check('with -f every argument is a file of keys', run('query', '-f', 'a.mbr', 'keys').out == b'10\n')
many = numbers(1, 300_000)
for threads in ('1', '2'):
    check(f'long input, {threads} threads', run('query', *both, '--threads', threads, '-c', stdin=many).out == b'15\n')
check('exit 1 if none has any', run('query', *both, stdin=b'99\n').code == 1)

print('--json')
hits = objects(*both, stdin=b'99\n\n5\nx\n')
check('line, file, key, filters', hits == [{'file': 'standard input', 'line': 3, 'key': '5', 'filters': ['a.mbr', 'b.mbr']},
                                           {'file': 'standard input', 'line': 4, 'key': 'x', 'filters': ['c.mbr']}], str(hits))
hits = objects('-f', 'a.mbr', 'keys', '-', 'keys', stdin=b'98\n7\n')
check('lines are counted in each file', [(hit['file'], hit['line']) for hit in hits] == [('keys', 1), ('standard input', 2), ('keys', 1)], str(hits))
check('--invert: the absent lines', objects('a.mbr', '-v', stdin=b'1\n99\n') == [{'file': 'standard input', 'line': 2, 'key': '99', 'filters': []}])
padding = b'abcdefgh\n' * 100_000
for threads in ('1', '2'):
    hits = objects('a.mbr', '--threads', threads, stdin=padding + b'7\n' + padding + b'8\n')
    check(f'line numbers over blocks, {threads} threads', [(hit['line'], hit['key']) for hit in hits] == [(100_001, '7'), (200_002, '8')], str(hits))
odd = [b'"quoted\\"', b'tab\there\x01', b'\xff\xc3', 'grün \U0001f600'.encode(), b'\xed\xa0\x80', b'\xc0\x80', b'\xf4\x90\x80\x80', b'\xe2\x82']
must('build', '-q', '-o', 'odd.mbr', '--fpr', '1e-9', stdin=b'\n'.join(odd))
hits = objects('odd.mbr', stdin=b'\n'.join(odd))
check('any bytes', [hit['key'] for hit in hits[:2]] == ['"quoted\\"', 'tab\there\x01'] and hits[3]['key'] == 'grün \U0001f600', str(hits))
check('key_hex has bytes that are not UTF-8', [bytes.fromhex(hit['key_hex']) if 'key_hex' in hit else None for hit in hits]
      == [None, None, odd[2], None, *odd[4:]], str(hits))
records = struct.pack('<QQ', 7, 2 ** 64 - 1)
must('build', '-q', '-o', 'u.mbr', '--format', 'u64', '--fpr', '1e-9', stdin=records)
check('integers', [hit['key'] for hit in objects('u.mbr', '--format', 'u64', stdin=records)] == ['7', str(2 ** 64 - 1)])
check('hex digits', [hit['key'] for hit in objects('a.mbr', '--format', 'hex', stdin=b'31\n')] == ['31'])

print('tokens and matching keys')
log = b'from=1;to=99 via (5)\nnone of them\n7 7\n'
check('a line once, though several match', run('query', 'a.mbr', '--each-token', stdin=log).out == b'from=1;to=99 via (5)\n7 7\n')
check('with the names of all filters that match', run('query', *both, '--each-token', stdin=b'1 15\n').out == b'a.mbr,b.mbr:1 15\n')
check('--only-matching: the keys', run('query', 'a.mbr', '--each-token', '--only-matching', stdin=log).out == b'1\n5\n7\n7\n')
check('--count of lines, of keys', run('query', 'a.mbr', '--each-token', '-c', stdin=log).out == b'2\n' and
      run('query', 'a.mbr', '--each-token', '--only-matching', '-c', stdin=log).out == b'4\n')
check('--invert: lines in which nothing matches', run('query', 'a.mbr', '--each-token', '-v', stdin=log).out == b'none of them\n')
check('an object for each key', [(hit['line'], hit['key']) for hit in objects('a.mbr', '--each-token', stdin=log)] == [(1, '1'), (1, '5'), (3, '7'), (3, '7')])
check('--field with --only-matching', run('query', 'a.mbr', '--field', '2', '--only-matching', stdin=b'a 3 b\na 33 b\n').out == b'3\n')
wide = b' '.join(b'%d' % i for i in range(100, 5000)) + b'\n'
check('more tokens than a batch, none matches', run('query', 'a.mbr', '--each-token', '-v', stdin=wide * 3).out == wide * 3)
check('the last of them matches', run('query', 'a.mbr', '--each-token', stdin=wide[:-1] + b' 7\n').out == wide[:-1] + b' 7\n')
check('two fields, the first or the second', run('query', 'a.mbr', '--field', '1,2', stdin=b'1 1\n1 x\nx 1\nx x\n').out == b'1 1\n1 x\nx 1\n')
check('--json --count counts keys', json.loads(run('query', 'a.mbr', '--each-token', '-c', '--json', stdin=log).out) ==
      {'keys': 11, 'present': 4, 'absent': 7, 'malformed': 0})

print('- is standard input and output')
with open('a.mbr', 'rb') as file:
    filter_bytes = file.read()
check('a filter from a pipe', run('query', '-', 'keys', stdin=filter_bytes).out == b'10\n')
with open('a.mbr', 'rb') as file:
    check('a filter from a file', run('query', '-', 'keys', stdin=file).out == b'10\n')
check('info and verify', json.loads(must('info', '--json', '-', stdin=filter_bytes).out)['keys'] == 10 and run('verify', '-', stdin=filter_bytes).code == 0)
options = ('--key', KEY, '--kind', 'bloom', '--keys', '100')
must('build', '-q', '-o', 'x.mbr', *options, stdin=numbers(1, 10))
with open('x.mbr', 'rb') as file:
    wanted = file.read()
check('build -o -', must('build', '-q', '-o', '-', *options, stdin=numbers(1, 10)).out == wanted)
check('merge with - and to -', must('merge', '-q', '-o', '-', 'x.mbr', '-', stdin=wanted).out[192:] == wanted[192:])
must('build', '-q', '-o', 'g.mbr', '--grow-to', '10k', '--key', KEY, stdin=numbers(1, 500))
must('build', '-q', '-o', 'h.mbr', '--grow-to', '10k', '--key', KEY, stdin=numbers(1, 600))
with open('h.mbr', 'rb') as file:
    newer = file.read()
packed = must('pack', '-q', 'g.mbr', '-o', '-').out
check('pack to -, unpack from - to -', len(packed) > 0 and run('query', '-', '-c', 'keys', stdin=must('unpack', '-q', '-', '-o', '-', stdin=packed).out).out == b'11\n')
patch = must('diff', '-q', 'g.mbr', '-', '-o', '-', stdin=newer).out
check('diff and patch', must('patch', '-q', 'g.mbr', '-', '-o', '-', stdin=patch).out == newer)
check('shrink to -', len(must('shrink', '-q', 'h.mbr', '--fpr', '10%', '-o', '-').out) < len(newer))
check('damaged: exit 3', run('info', '-', stdin=filter_bytes[:-1]).code == 3 and 'standard input: ' in run('info', '-', stdin=filter_bytes[:-1]).err)
check('no file named -', not os.path.exists('-'))
big = must('build', '-q', '-o', '-', '--keys', '4M', '--fpr', '1%', stdin=numbers(1, 10)).out
with open('big.mbr', 'wb') as file:
    file.write(big)
check('a large file to a pipe', run('verify', 'big.mbr').code == 0 and len(big) > 4_000_000)
finish()
