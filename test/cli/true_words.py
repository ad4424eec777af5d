#!/usr/bin/env python3
"""Messages say what is so: keys that look present, counts that must be off, sizes for more keys, counts, abilities, prices of bounds."""
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def says(what, text, pattern):
    return check(f'{what}: {pattern}', re.search(pattern, text), text)


print('add')
must('build', '-q', '-o', 'a.mbr', '--kind', 'bloom', '--keys', '20k', '--fpr', '5%', '--key', KEY, stdin=numbers(1, 10_000))
said = must('add', 'a.mbr', stdin=numbers(5001, 20_000)).err
says('looked present, and how many of them were new', said, r'a.mbr: [\d,]+ keys added, [\d,]+ looked present \(about \d+ of them expected to be new\); the filter holds')
present, expected = (int(re.search(pattern, said).group(1).replace(',', '')) for pattern in (r'([\d,]+) looked', r'about (\d+)'))
check(f'{present - 5000} of {present} were new, about {expected} said', abs(present - 5000 - expected) < 5 * math.sqrt(expected))
says('nothing looked present: not a word of it', must('add', 'a.mbr', stdin=b'').err, r'a.mbr: 0 keys added; the filter holds')
must('build', '-q', '-o', 'e.mbr', '--kind', 'balanced_rank:form=erasable', stdin=numbers(1, 10))
says('a filter that counts adds every occurrence', must('add', 'e.mbr', stdin=numbers(1, 10)).err, 'e.mbr: 10 keys added; the filter holds 20 keys')

print('counts that must be off')
for kind in ('bloom', 'blocked_bloom', 'counting_bloom'):
    must('build', '-q', '-o', 'x.mbr', '--force', '--kind', kind, '--keys', '10k', '--key', KEY, stdin=numbers(1, 6000))
    info = must('info', 'x.mbr').out.decode()
    says(f'{kind}: an exact count', info, r'keys +6,000\n')
    merged = must('merge', '--force', '-o', 'm.mbr', 'x.mbr', 'x.mbr').err
    says('merge', merged, r'about ([56],\d+) keys, estimated \(at most 12,000\)')
    check('  no warning that it holds more than planned', 'was planned for' not in merged, merged)
    says('info', must('info', 'm.mbr').out.decode(), r'keys +about [56],\d+, estimated \(the file counts 12,000: ')
    verified = run('verify', 'm.mbr')
    says('verify', verified.out.decode(), r'[56],\d+ keys by estimate\)')
    check('  as planned', verified.code == 0, repr(verified))

must('build', '-q', '-o', 'g.mbr', '--grow-to', '100k', '--fpr', '1e-9', stdin=numbers(1, 6000))
says('of a filter that grows', must('merge', '-o', 'gg.mbr', 'g.mbr', 'g.mbr').err, r'about 6,000 keys, estimated \(at most 12,000\)')
says('info', must('info', 'gg.mbr').out.decode(), r'keys +about 6,000, estimated \(the file counts 12,000: ')
must('build', '-q', '-o', 'h.mbr', '--grow-to', '100k', '--fpr', '10%', stdin=numbers(1, 10))
must('add', '-q', 'h.mbr', stdin=numbers(1, 50_000))
says('keys that were not added because they looked present: the count is what was added', must('info', 'h.mbr').out.decode(), r'keys +4\d,\d+\n')

print('build')
says('for more keys than there are', must('build', '-o', 'k.mbr', '--keys', '4k', '--kind', 'bloom', stdin=numbers(1, 3000)).err,
     r'bloom, 3,000 keys in a filter for 4,000, 4,800 bytes \(9.6 bits/key of those\)')
says('for its keys', must('build', '-o', 'k.mbr', '--force', '--kind', 'bloom', stdin=numbers(1, 3000)).err, r'bloom, 3,000 keys, [\d,]+ bytes')

print('count files')
must('count', 'build', '-q', '-o', 'c.mbr', stdin=b''.join(b'%d\n' % (i % 500) for i in range(20_000)))
info = must('info', 'c.mbr').out.decode()
for pattern in (r'occurrences +20,000\n', r'different keys +about (49\d|50\d), estimated', r'estimates +too high by at most 20 \(0.1 % of all occurrences\), except with a chance of 0.0\d+ %',
                r'most counted keys +500 remembered, room for 1,000'):
    says('info', info, pattern)
check('  and nothing of rates and members', 'false positives' not in info and 'planned' not in info, info)
verified = run('verify', 'c.mbr', '--members', '-', stdin=numbers(1, 499))
for pattern in (r'20,000 occurrences\), checksums good', r'members +499 asked, 0 with a count of 0', r'absent keys +1,000,000 random hashes, \d+ with a count above 0, \d+ with one above 20', r'verdict +as promised'):
    says('verify', verified.out.decode(), pattern)
missed = run('verify', 'c.mbr', '--members', '-', stdin=b'never counted\n')
check('a key that was not counted is missed', missed.code == 1 and b'NOT as promised' in missed.out, repr(missed))

added = must('add', 'c.mbr', stdin=numbers(1, 30))
check('add speaks of occurrences, as count add does', added.err == 'membrane: c.mbr: 30 occurrences added, 20,030 in all\n' and
      must('count', 'add', 'c.mbr', stdin=b'1\n').err == 'membrane: c.mbr: 1 occurrence added, 20,031 in all\n', added.err)
count_info = json.loads(must('info', '--json', 'c.mbr').out)
check('info --json has occurrences, and no bits per key', count_info['occurrences'] == 20_031 and not {'keys', 'bits_per_key', 'promised_keys'} & set(count_info), str(count_info))

print('large numbers')
must('build', '-q', '-o', 'few.mbr', '--kind', 'bloom', '--keys', '100k', stdin=b'a\n')
says('bits per key have separators', must('info', 'few.mbr').out.decode(), r'space per key +\d{3},\d{3} bits/key\n')

print('abilities')
must('build', '-q', '-o', 'd.mbr', '--grow-to', '1M', stdin=numbers(1, 100))
info = must('info', 'd.mbr').out.decode()
check('a filter that cannot erase does not say so', 'keys can be erased' not in info and re.search(r'can +(?!.*erase).*grow', info), info)
says('one that can does', must('info', 'e.mbr').out.decode(), r'can +erase')

print('plan')
found = must('plan', '--keys', '1M', '--worst-reads', '1', '--delete').out.decode()
says('the true reason', found, 'counting_bloom  of the kinds that can erase, the only one within the bounds on reads')
says('the price of the bound', found, r'Warning: the bound on reads costs 40\.\d times the size: without it balanced_rank takes 9\.\d+ bits per key and reads 1\.\d+ lines on average, 3 at worst')
check('no warning without a bound', 'Warning' not in must('plan', '--keys', '1M', '--delete').out.decode())
check('none where it costs little', 'Warning' not in must('plan', '--keys', '1M', '--worst-reads', '3').out.decode())
found = must('plan', '--keys', '1M', '--static').out.decode()
says('--static: how long building takes', found, r'Building takes.*\n  choice_bloom: \d+ s of one core, 40 rounds over all keys in memory\n  the other kinds: less than a second')
check('only with --static', 'Building takes' not in must('plan', '--keys', '1M').out.decode())
says('tiny rates keep their digits', must('plan', '--keys', '1M', '--fpr', '1.25e-9').out.decode(), r'at a false positive rate of 1.25e-09\n')
says('in build too', must('build', '-o', 't.mbr', '--kind', 'bloom', '--fpr', '1.25e-9', stdin=numbers(1, 10)).err, 'planned false positive rate 1.25e-09')
says('others are percentages', must('plan', '--keys', '1M', '--fpr', '0.00125').out.decode(), 'at a false positive rate of 0.125 %')
finish()
