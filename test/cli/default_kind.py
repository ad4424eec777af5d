#!/usr/bin/env python3
"""Whoever builds without naming a kind gets the one that grows, for any number of keys; the planner chooses if it is asked to or what is wanted
is its business; rates that no growing filter keeps are refused with the bounds that it has."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def info(path):
    return json.loads(must('info', '--json', path).out)


def built(*options, count, path='f.mbr'):
    must('build', '-q', '-o', path, '--force', '--key', KEY, *options, stdin=numbers(1, count))
    found = info(path)
    return found['kind'], found['parameters'].get('form')


print('build')
for count in (0, 1, 2, 10, 100, 999, 1000, 1001, 2000, 3000, 3001, 20_000):
    empty = ['--allow-empty'] if count == 0 else []
    found = built(*empty, count=count)
    check(f'{count} keys: one that grows', found == ('balanced_rank', 'growable') and info('f.mbr')['grows'], str(found))
for options in (['--keys', '10'], ['--keys', '2k', '--fpr', '0.1%'], ['--headroom', '20%'], ['--max-bytes', '1M'], ['--grow-to', '1M'], ['--hash', 'xxh3']):
    check(f'{" ".join(options)}: too', built(*options, count=10) == ('balanced_rank', 'growable'))
for count in (10, 2000):
    check(f'{count} keys, --delete: the form that erases', built('--delete', count=count) == ('balanced_rank', 'erasable'))
must('build', '-q', '-o', 'f.mbr', '--force', '--key', KEY, stdin=numbers(1, 10))
must('add', '-q', 'f.mbr', stdin=numbers(11, 5000))
check('a file of ten keys takes thousands', run('query', '-c', 'f.mbr', stdin=numbers(1, 5000)).out == b'5000\n')

print('the planner chooses')
for options in (['--kind', 'auto'], ['--static'], ['--fixed'], ['--bits-per-key', '12']):
    for count in (10, 2000):
        needs = [each for each in options if each not in ('--kind', 'auto')]
        planned = json.loads(must('plan', '--json', '--keys', str(count), *needs).out)
        found = built(*options, count=count)
        check(f'{" ".join(options)}, {count} keys: {found[0]}', found[0] == planned['chosen'], f'{found} {planned["chosen"]}')
few = json.loads(must('plan', '--json', '--keys', '10').out)
check('for ten keys another kind is smaller', few['chosen'] != 'balanced_rank', few['chosen'])
check('plan says what build makes without --kind', few['without_kind'] == 'balanced_rank' and
      b'Without --kind, `membrane build` makes balanced_rank, which grows' in must('plan', '--keys', '10').out)
check('not if that is what it ranks first', json.loads(must('plan', '--json', '--keys', '1M').out)['without_kind'] is None and
      b'Without --kind' not in must('plan', '--keys', '1M').out)
check('nor if a kind or a static set was asked for', b'Without --kind' not in must('plan', '--keys', '10', '--kind', 'bloom').out +
      must('plan', '--keys', '10', '--static').out)

print('dedup')
must('dedup', '-q', 'd.mbr', stdin=b'a\nb\n')
found = info('d.mbr')
check('grows, at 1e-6 up to 100 million keys', found['grows'] and found['planned_fpr'] == 1e-6 and 1e8 <= found['promised_keys'] < 1.01e8, str(found))
must('dedup', '-q', 'named.mbr', '--kind', 'balanced_rank', stdin=b'a\nb\n')
check('a named kind that can grow does', info('named.mbr')['promised_keys'] == found['promised_keys'] and os.path.getsize('named.mbr') < 20_000)

print('rates out of reach')
for command in (['build', '-o', 'none.mbr', '--fpr', '1e-12', '--grow-to', '1G'], ['dedup', 'none.mbr', '--fpr', '1e-12', '--grow-to', '1G'],
                ['build', '-o', 'none.mbr', '--fpr', '1e-12', '--keys', '1G']):
    refused = run(*command, stdin=b'a\n')
    said = re.search(r'1,000,000,000 keys at a rate of 1e-12: .*at this rate up to ([\d,]+) keys, for so many keys a rate of at least (\S+)\)', refused.err)
    check(f'{" ".join(command)}: the bounds are named', refused.code == 2 and said and not os.path.exists('none.mbr'), repr(refused))
    keys, rate = said.group(1).replace(',', ''), said.group(2)
    check('  so many keys can be', run('build', '-q', '-o', 'can.mbr', '--force', '--fpr', '1e-12', '--grow-to', keys, stdin=b'a\n').code == 0)
    check('  one more cannot', run('build', '-q', '-o', 'can.mbr', '--force', '--fpr', '1e-12', '--grow-to', str(int(keys) + 1), stdin=b'a\n').code == 2)
    check('  that rate can be', run('build', '-q', '-o', 'can.mbr', '--force', '--fpr', rate, '--grow-to', '1G', stdin=b'a\n').code == 0, rate)
check('--kind auto is the way out', '--kind auto' in refused.err and
      run('build', '-q', '-o', 'can.mbr', '--force', '--fpr', '1e-12', '--keys', '1M', '--kind', 'auto', stdin=b'a\n').code == 0)
said = run('dedup', 'tiny.mbr', '--fpr', '1e-12', stdin=b'a\n').err
most = info('tiny.mbr')['promised_keys']
check('dedup says up to how many keys it keeps a tiny rate', f'tiny.mbr: keeps the rate of 1e-12 up to {most:,} keys, the most' in said and most >= int(keys), said)
check('only of a new file', 'keeps the rate' not in run('dedup', 'tiny.mbr', '--fpr', '1e-12', stdin=b'b\n').err)
check('and only if nobody named a number', 'keeps the rate' not in run('dedup', 'asked.mbr', '--fpr', '1e-12', '--grow-to', '9k', stdin=b'b\n').err)
check('the usual rate needs no word', 'keeps the rate' not in run('dedup', 'usual.mbr', stdin=b'b\n').err)
check('and the help has the same number', f'{int(keys):,} keys at 1e-12' in ' '.join(must('dedup', '--help').out.decode().split()))
finish()
