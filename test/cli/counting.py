#!/usr/bin/env python3
"""membrane count: no estimate below the truth, few far above it, and the most counted keys by name."""
import collections
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, finish, must, run, scratch  # noqa: E402

scratch()
random.seed(3)
words = [f'word-{int(random.paretovariate(0.8)) % 20000}' for _ in range(100_000)]
text = ('\n'.join(words) + '\n').encode()
truth = collections.Counter(words)
names = sorted(truth)
eps, delta = 1e-3, 1e-2

for options in ([], ['--rows', 'classic'], ['--conservative'], ['--cell-bits', '32'], ['--rows', 'classic', '--conservative', '--cell-bits', '32']):
    label = ' '.join(options) or 'defaults'
    must('count', 'build', '-q', '--force', '-o', 'c.mbr', '--eps', str(eps), '--delta', str(delta), '--key', KEY, *options, stdin=text)
    answer = must('count', 'query', 'c.mbr', stdin=('\n'.join(names) + '\n').encode()).out.decode().splitlines()
    estimates = {key: int(count) for count, key in (line.split('\t') for line in answer)}
    check(f'{label}: an answer for every key', sorted(estimates) == names)
    check(f'{label}: none below the truth', all(estimates[name] >= truth[name] for name in names))
    wrong = sum(estimates[name] > truth[name] + eps * len(words) for name in names)
    check(f'{label}: {wrong} of {len(names)} too high by more than eps, bound {delta * len(names):.0f}', wrong <= delta * len(names))
    top = [line.split('\t') for line in must('count', 'top', 'c.mbr', '-n', '5').out.decode().splitlines()]
    check(f'{label}: the most counted are named', [key for _, key in top] == [name for name, _ in truth.most_common(5)], str(top))

print('more occurrences later')
most, count = truth.most_common(1)[0]
must('add', '-q', 'c.mbr', stdin=(most + '\n').encode() * 7 + b'newcomer\n' * 90_000)
top = json.loads(must('count', 'top', 'c.mbr', '-n', '2', '--json').out)
check('add counts and keeps the list', top['top'][0]['key'] == 'newcomer' and top['total'] == len(words) + 90_007, str(top))
check('add counts on', top['top'][1]['key'] == most and top['top'][1]['count'] >= count + 7, str(top))

print('keys that are not text')
must('count', 'build', '-q', '-o', 'u.mbr', '--format', 'u64', stdin=struct.pack('<QQQ', 258, 5, 258))
check('integers', must('count', 'top', 'u.mbr', '--format', 'u64').out == b'2\t258\n1\t5\n')
check('integers asked', must('count', 'query', 'u.mbr', '--format', 'u64', stdin=struct.pack('<QQ', 258, 6)).out == b'2\t258\n0\t6\n')
must('count', 'build', '-q', '--exact', '-o', 'b.mbr', stdin=b'\xff\xfe\n' * 3 + b'k' * 100 + b'\n')
top = json.loads(must('count', 'top', 'b.mbr', '--json').out)['top']
check('bytes that are no text are given in hexadecimal', top[0]['key_hex'] == 'fffe' and top[0]['count'] == 3, str(top))
check('long keys are cut and say so', top[1]['key_bytes'] == 100 and len(top[1]['key']) == 64, str(top))
check('long keys end in dots', must('count', 'top', 'b.mbr').out.endswith(b'1\t' + b'k' * 64 + b'...\n'))
check('no key counted is exit 1', run('count', 'query', 'u.mbr', '--format', 'u64', stdin=struct.pack('<Q', 6)).code == 1)

print('a filter that does not count')
must('build', '-q', '-o', 'plain.mbr', stdin=b'a\n')
refused = run('count', 'query', 'plain.mbr', stdin=b'a\n')
check('a filter that does not count says so', refused.code == 2 and 'count build' in refused.err, repr(refused))
finish()
