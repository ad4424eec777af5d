#!/usr/bin/env python3
"""Every key put in is found again: the main example, every kind, every format, hostile keys, spilled builds."""
import json
import math
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, digest, finish, must, numbers, run, scratch  # noqa: E402

golden = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), 'golden', 'v1')
scratch()
million = 1_000_000

print('a million numbers at 0.1 %')
built = must('build', '-o', 's.mbr', '--kind', 'bloom', '--fpr', '0.1%', '--key', KEY, stdin=numbers(1, million))
check('build states kind, keys, bytes and rate before it takes the memory',
      'bloom, 1,000,000 keys, 1.80 MB (14.4 bits/key), planned false positive rate 0.1 %' in built.err, built.err)
check('build prints nothing on standard output', built.out == b'')
counted = run('query', 's.mbr', '--count', stdin=numbers(1, million))
check('query --count finds all of them', counted.out == b'1000000\n' and counted.code == 0, repr(counted))
info = json.loads(must('info', 's.mbr', '--json').out)
check('info agrees', info['keys'] == million and info['planned_fpr'] == 0.001 and info['kind'] == 'bloom', str(info))
check('info counts the bytes of the file', info['file_bytes'] == os.path.getsize('s.mbr'))
check('the hash key is not shown', KEY not in must('info', 's.mbr').out.decode() and 'hash_key' not in info)
check('the hash key is shown on demand', KEY in must('info', 's.mbr', '--show-key').out.decode())

strangers = run('query', 's.mbr', stdin=numbers(million + 1, 2 * million))
taken = strangers.out.count(b'\n')
rate = json.loads(must('verify', 's.mbr', '--json', '--probes', '1000').out)['predicted_fpr']
shape = info['parameters']
model = json.loads(must('model', 'bloom', f'n={million}', f'm={shape["size_bits"]}', f'k={shape["k"]}', '--json').out)
sigma = math.sqrt(rate * (1 - rate) / million + model['fpr_stddev'] ** 2)  # of the strangers, and the filter's own luck
check(f'strangers: {taken} of a million taken, predicted {rate * million:.0f} +- 5 x {sigma * million:.1f}',
      abs(taken / million - rate) <= 5 * sigma)
again = run('query', 's.mbr', '--trust', stdin=numbers(million + 1, 2 * million))
check('the file opened again gives the same false positives', again.out == strangers.out)
absent = run('query', 's.mbr', '-v', '-c', stdin=numbers(million + 1, 2 * million))
check('--invert counts the others', int(absent.out) == million - taken, repr(absent))
answer = json.loads(must('query', 's.mbr', '-c', '--json', stdin=numbers(1, million)).out)
check('--json counts both', answer == {'keys': million, 'present': million, 'absent': 0, 'malformed': 0}, str(answer))

print('reproducible, whatever the memory')
must('build', '-o', 'again.mbr', '--kind', 'bloom', '--fpr', '0.1%', '--key', KEY, '-q', stdin=numbers(1, million))
check('the same key gives the same file', digest('s.mbr') == digest('again.mbr'))
must('build', '-o', 'spilled.mbr', '--kind', 'bloom', '--fpr', '0.1%', '--key', KEY, '--memory', '1M', '-q', stdin=numbers(1, million) * 2)
check('spilled to disk, every key given twice: the same file', digest('s.mbr') == digest('spilled.mbr'))
must('build', '-o', 'other.mbr', '--fpr', '0.1%', '-q', stdin=numbers(1, 1000))
must('build', '-o', 'another.mbr', '--fpr', '0.1%', '-q', stdin=numbers(1, 1000))
check('without --key every file has its own', digest('other.mbr') != digest('another.mbr'))

print('the planner chooses')
planned = json.loads(must('plan', '--json', '--keys', '50k', '--fpr', '0.1%').out)
best = planned['candidates'][0]
built = must('build', '-o', 'planned.mbr', '--kind', 'auto', '--fpr', '0.1%', '--key', KEY, stdin=numbers(1, 50000))
check('build takes the first of the plan and says why', built.err.startswith(f'membrane: {planned["chosen"]}, 50,000 keys') and
      f'chosen by plan: {best["why"]}' in built.err, built.err)
check('the file is as large as planned', os.path.getsize('planned.mbr') == best['filter']['file_bytes'])
info = json.loads(must('info', 'planned.mbr', '--json').out)
check('info shows the same parameters and reads', info['parameters'] == best['filter']['parameters'] and
      info['negative_reads'] == best['filter']['reads']['negative'], str(info))
must('build', '-q', '-o', 'named.mbr', '--fpr', '0.1%', '--key', KEY, '--kind', planned['chosen'], stdin=numbers(1, 50000))
check('naming that kind gives the same file', digest('planned.mbr') == digest('named.mbr'))
command = planned['build'].replace('KEYS.txt', 'keys.txt').replace('F.mbr', 'command.mbr').split()
with open('keys.txt', 'wb') as file:
    file.write(numbers(1, 50000))
must(*command[1:], '--key', KEY)
check('the command that plan prints makes it too', digest('planned.mbr') == digest('command.mbr'))
none = run('plan', '--keys', '1M', '--fpr', '1%', '--max-bytes', '600k')
allowed = re.search(rb'allow (\d+) bytes \(\w+\), or accept a rate', none.out)
check('no kind fits: exit 1, and what to change', none.code == 1 and allowed, repr(none))
check('which is enough', run('plan', '--keys', '1M', '--fpr', '1%', '--max-bytes', allowed.group(1).decode()).code == 0)
none = run('plan', '--keys', '1M', '--max-bytes', '1MB', '--kind', 'balanced_rank')
allowed = re.search(rb'allow (\d+) bytes \(balanced_rank\)', none.out)
check('a kind that cannot be so small says how small it can be', none.code == 1 and allowed and 1_000_000 < int(allowed.group(1)) < 1_120_000, repr(none))
check('which is enough, and no more than that',
      run('plan', '--keys', '1M', '--max-bytes', allowed.group(1).decode(), '--kind', 'balanced_rank').code == 0 and
      run('plan', '--keys', '1M', '--max-bytes', str(int(allowed.group(1)) - 1), '--kind', 'balanced_rank').code == 1)
nothing = run('plan')
check('plan without a number says what to give', nothing.code == 2 and 'give --keys N, or --max-bytes SIZE' in nothing.err, repr(nothing))

print('bits per key are never more than asked')
for bits in ('3', '8', '8.5', '12'):
    must('build', '-q', '--force', '-o', 'small.mbr', '--bits-per-key', bits, '--key', KEY, stdin=numbers(1, 50000))
    size = json.loads(must('info', 'small.mbr', '--json').out)['size_bytes']
    check(f'{bits} bits: {size} bytes', size <= float(bits) * 50000 / 8 + 512)
refused = run('build', '-o', 'none.mbr', '--bits-per-key', '8', '--kind', 'balanced_rank', stdin=numbers(1, 50000))
check('a kind that cannot is refused', refused.code == 2 and 'larger than allowed' in refused.err and not os.path.exists('none.mbr'), repr(refused))

print('a plan for removals')
planned = json.loads(must('plan', '--json', '--keys', '50k', '--fpr', '1%', '--delete').out)
must(*planned['build'].replace('KEYS.txt', 'keys.txt').replace('F.mbr', 'erasable.mbr').split()[1:], '--key', KEY)
check(f'its command makes a filter that can: {planned["build"]}', run('remove', 'erasable.mbr', stdin=numbers(1, 10)).code == 0)
refused = run('remove', 'planned.mbr', stdin=numbers(1, 10))
check('one that cannot says which form could', refused.code == 2 and '(form growable, expected erasable)' in refused.err and
      'build it with --delete' in refused.err, repr(refused))
must('plan', '--keys', '1M', '--fpr', '1%', '--plot', 'plan.svg')
with open('plan.svg', encoding='utf-8') as file:
    picture = file.read()
check('the picture names every kind', picture.startswith('<svg') and all(each['kind'] in picture for each in planned['candidates']))
again = run('plan', '--keys', '1M', '--fpr', '1%', '--plot', 'plan.svg')
check('an existing picture is kept', again.code == 5 and '--force' in again.err, repr(again))

print('every kind')
kinds = json.loads(must('kinds', '--json').out)
for kind in kinds:
    name = kind['name']
    form = ':form=erasable' if 'form' in [each['name'] for each in kind['parameters']] else ''
    must('build', '-q', '-o', f'{name}.mbr', '--kind', name + form, '--keys', '20k', '--key', KEY, stdin=numbers(1, 10000))
    found = run('query', f'{name}.mbr', '-c', stdin=numbers(1, 10000))
    check(f'{name}: all found', found.out == b'10000\n', repr(found))
    must('add', '-q', f'{name}.mbr', stdin=numbers(10001, 20000))
    found = run('query', f'{name}.mbr', '-c', stdin=numbers(1, 20000))
    check(f'{name}: all found after add', found.out == b'20000\n', repr(found))
    verified = run('verify', f'{name}.mbr', '--json', '--probes', '300k')
    check(f'{name}: verify says as planned', verified.code == 0 and json.loads(verified.out)['ok'], repr(verified))
    removed = run('remove', f'{name}.mbr', stdin=numbers(1, 5000))
    if kind['can']['erase']:
        check(f'{name}: removal reported', removed.code == 0 and '5,000 keys removed, 0 not found' in removed.err, repr(removed))
        found = run('query', f'{name}.mbr', '-c', stdin=numbers(5001, 20000))
        check(f'{name}: the others are still there', found.out == b'15000\n', repr(found))
        # One that is no false positive of this filter.
        stranger = run('query', f'{name}.mbr', '--invert', stdin=b'never put in\nnor this\n').out.splitlines()[0]
        removed = run('remove', f'{name}.mbr', stdin=stranger + b'\n')
        check(f'{name}: nothing removed is exit 1', removed.code == 1 and '1 not found' in removed.err, repr(removed))
    else:
        check(f'{name}: refuses to remove', removed.code == 2 and 'counting_bloom' in removed.err, repr(removed))
    if kind['can']['merge']:
        must('build', '-q', '-o', 'right.mbr', '--force', '--kind', name, '--keys', '20k', '--key', KEY, stdin=numbers(30001, 31000))
        must('build', '-q', '-o', 'left.mbr', '--force', '--kind', name, '--keys', '20k', '--key', KEY, stdin=numbers(30501, 31500))
        must('merge', '-q', '-o', 'joined.mbr', '--force', 'left.mbr', 'right.mbr')
        found = run('query', 'joined.mbr', '-c', stdin=numbers(30001, 31500))
        check(f'{name}: a merged filter has the keys of both', found.out == b'1500\n', repr(found))
    if kind['can']['intersect']:
        must('merge', '-q', '-o', 'joined.mbr', '--force', '--intersect', 'left.mbr', 'right.mbr')
        found = run('query', 'joined.mbr', '-c', stdin=numbers(30501, 31000))
        check(f'{name}: an intersection has the common keys', found.out == b'500\n', repr(found))

print('parameters by name and by number')
must('build', '-q', '-o', 'p.mbr', '--kind', 'bloom:probes=enhanced,growth=1,strides=any,k=5,size_bits=10k', stdin=numbers(1, 100))
parameters = json.loads(must('info', 'p.mbr', '--json').out)['parameters']
check('as asked', [parameters[n] for n in ('probes', 'growth', 'strides', 'k', 'size_bits')] == ['enhanced', 'cube', 'any', 5, 10000],
      str(parameters))

print('formats')
hostile = [b'', b'\r', b'a\r', b'\x00', b'nul\x00inside', b'\xff\xfe\x80', 'grün'.encode(), b' leading', b'trailing ', b'-c', b'--help',
           b'x' * (1 << 20), b'y' * ((1 << 20) - 1), b'z' * ((1 << 20) + 1), b'w' * (3 << 20)]
everything = b'\n'.join(hostile)  # the last line has no end
must('build', '-q', '-o', 'h.mbr', '--exact', '--fpr', '1e-6', '--key', KEY, stdin=everything)
check('hostile keys are counted apart', json.loads(must('info', 'h.mbr', '--json').out)['keys'] == len(hostile))
printed = run('query', 'h.mbr', '--exact', stdin=everything)
check('hostile keys are printed as they were read', printed.out == everything + b'\n', repr(printed))
absent = run('query', 'h.mbr', stdin=b'a\nnul\nx\n\xff\n')
check('their parts are not in', absent.code == 1 and absent.out == b'', repr(absent))

with_nul = [key for key in hostile if b'\x00' not in key] + [b'two\nlines']
must('build', '-q', '-o', 'n.mbr', '--format', 'nul', '--keep-blank', '--fpr', '1e-6', '--key', KEY, stdin=b'\0'.join(with_nul) + b'\0')
printed = run('query', 'n.mbr', '-0', '--keep-blank', stdin=b'\0'.join(with_nul))
check('NUL-ended keys, line ends inside', printed.out == b'\0'.join(with_nul) + b'\0', repr(printed))

random.seed(7)
integers = [random.getrandbits(64) for _ in range(5000)] + [0, 1, 10, 13, 2 ** 64 - 1]
records = b''.join(struct.pack('<Q', number) for number in integers)
for name in ('siphash13', 'xxh3', 'fold'):
    must('build', '-q', '-o', f'u-{name}.mbr', '--format', 'u64', '--hash', name, '--fpr', '1e-6', '--key', KEY, stdin=records)
    printed = run('query', f'u-{name}.mbr', '--format', 'u64', stdin=records)
    check(f'integers, {name}', printed.out == records, repr(printed))
must('build', '-q', '-o', 't-fold.mbr', '--hash', 'fold', '--fpr', '1e-9', '--key', KEY, stdin=b'12345678\n')
check('text is hashed as by siphash13, and is no integer', run('query', 't-fold.mbr', stdin=b'12345678\n').out == b'12345678\n'
      and run('query', 't-fold.mbr', '--format', 'u64', stdin=b'12345678').code == 1)
refused = run('query', f'{golden}/bloom-hash-mix.mbr', stdin=b'1\n')
check('a filter of integers refuses lines', refused.code == 2 and '--format u64' in refused.err, repr(refused))

must('build', '-q', '-o', 'x.mbr', '--format', 'hex', '--keep-blank', '--fpr', '1e-6', '--key', KEY, stdin=b'00ff\n\nDEADbeef\n616263')
printed = run('query', 'x.mbr', '--format', 'hex', '--keep-blank', stdin=b'deadBEEF\n00FF\nff00\n\n')
check('hexadecimal keys are bytes, whatever the case', printed.out == b'deadBEEF\n00FF\n\n', repr(printed))
check('hexadecimal and text meet', run('query', 'x.mbr', stdin=b'abc\nabd\n').out == b'abc\n')

print('fields')
table = b'ann,7,x\nbob,9,y\n,,\n'
for field, keys in (('1', b'ann\nbob\n\n'), ('2', b'7\n9\n\n'), ('-1', b'x\ny\n\n'), ('-3', b'ann\nbob\n\n')):
    must('build', '-q', '-o', 'f.mbr', '--force', '--fpr', '1e-6', '--key', KEY, '--delimiter', ',', '--field', field, stdin=table)
    check(f'field {field}', run('query', 'f.mbr', '--keep-blank', stdin=keys).out == keys)
printed = run('query', 'f.mbr', '--delimiter', ',', '--field', '-3', stdin=b'bob,1,1\neve,1,1\n')
check('the whole line is printed', printed.out == b'bob,1,1\n', repr(printed))
must('build', '-q', '-o', 'f.mbr', '--force', '--delimiter', '\\t', '--field', '2', stdin=b'a\tb\n')
check('a tab by its name', run('query', 'f.mbr', stdin=b'b\n').code == 0)

print('files')
with open('one', 'wb') as file:
    file.write(b'from one')
with open('two', 'wb') as file:
    file.write(b'from two\n')
must('build', '-q', '-o', 'm.mbr', '--fpr', '1e-6', '--key', KEY, 'one', '-', 'two', stdin=b'from input')
printed = run('query', 'm.mbr', 'two', '-', 'one', stdin=b'from input')
check('several files and standard input by -', printed.out == b'from two\nfrom input\nfrom one\n', repr(printed))
os.rename('one', 'build')
check('a file may have the name of a command', run('query', 'm.mbr', 'build').out == b'from one\n')

print('no keys')
must('build', '-q', '-o', 'empty.mbr', '--allow-empty', stdin=b'')
check('an empty filter knows no key', run('query', 'empty.mbr', stdin=b'a\n').code == 1)
check('and is as planned', run('verify', 'empty.mbr').code == 0)
before = digest('empty.mbr')
must('add', 'empty.mbr', stdin=b'')
check('adding nothing does not rewrite the file', digest('empty.mbr') == before)

print('more keys than planned')
crowded = must('build', '-o', 'crowded.mbr', '--keys', '1000', '--key', KEY, stdin=numbers(1, 5000))
check('build warns', 'holds 5,000 keys, its rate was planned for 1,000: the false positive rate is now about' in crowded.err, crowded.err)
check('verify says so', run('verify', 'crowded.mbr').code == 1)

print('a filter that is full')
must('build', '-q', '-o', 'full.mbr', '--fixed', '--keys', '100k', '--key', KEY, stdin=numbers(1, 100000))
kind = json.loads(must('info', 'full.mbr', '--json').out)['kind']
check('of the first kind among fixed ones', kind == 'balanced_rank', kind)
before = digest('full.mbr')
refused = run('add', 'full.mbr', stdin=numbers(100001, 120000))
held = re.search(r'full\.mbr: is full after ([\d,]+) keys, planned for 100,000; build a larger one with --keys N', refused.err)
check('add is refused and says how many it holds', refused.code == 5 and held and 100000 <= int(held.group(1).replace(',', '')) < 120000, repr(refused))
check('and the file is as it was', digest('full.mbr') == before and run('query', 'full.mbr', '-c', stdin=numbers(1, 100000)).out == b'100000\n')
refused = run('build', '-o', 'none.mbr', '--fixed', '--keys', '100k', '--key', KEY, stdin=numbers(1, 120000))
check('build is refused alike', refused.code == 5 and 'none.mbr: has no room for 120,000 keys, planned for 100,000; build a larger one with --keys N' in refused.err and
      not os.path.exists('none.mbr'), repr(refused))
finish()
