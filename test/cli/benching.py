#!/usr/bin/env python3
"""membrane bench: every kind is measured with the keys that were asked for, rates are as the model says, bad input is refused."""
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def bench(*arguments, stdin=b''):
    return json.loads(must('bench', '--json', '--rounds', '1', '--key', KEY, *arguments, stdin=stdin).out)


def check_row(row, what):
    check(f'{what}: no member is missed', row['false_negatives'] == 0)
    sigma = (row['fpr_stddev_between'] ** 2 + row['predicted_fpr'] / row['asked']) ** 0.5
    check(f'{what}: {100 * row["fpr"]:.4f} % measured, {100 * row["predicted_fpr"]:.4f} % predicted',
          abs(row['fpr'] - row['predicted_fpr']) <= 5 * sigma, f'sigma {sigma}')
    check(f'{what}: the interval is around it', row['fpr_low'] < row['fpr'] < row['fpr_high'])
    check(f'{what}: every lookup took time', all(row[unit][name] > 0 for unit in ('ns', 'line_reads')
                                                 for name in ('hit', 'miss', 'insert_batch', 'hit_batch', 'miss_batch', 'miss_batch_two_threads')))


print('made keys, all kinds')
report = bench('--keys', '50k', '--fpr', '0.5%')
table = report['tables'][0]
plan = json.loads(must('plan', '--json', '--keys', '50k', '--fpr', '0.5%').out)
measured = [row['kind'] for row in table['rows']]
left_out = [text.split(':')[0] for text in table['left_out']]
check('every kind is measured or left out with a reason', sorted(measured + left_out) == sorted(each['kind'] for each in plan['candidates']))
check('in the order of the plan', measured == [each['kind'] for each in plan['candidates'] if each['kind'] in measured])
check('16-byte keys, not from files', table['mean_key_bytes'] == 16 and not report['has_files'] and table['keys'] == 50_000)
sizes = {each['kind']: each['filter']['size_bytes'] for each in plan['candidates'] if each['fits']}
for row in table['rows']:
    check_row(row, row['kind'])
    check(f'{row["kind"]}: as large as planned', row['size_bytes'] == sizes[row['kind']])

print('named kinds, several sizes')
report = bench('--keys', '1k', '--keys', '20k', '--kind', 'balanced_rank:form=erasable', '--kind', 'blocked_bloom:k=5')
check('a table for each size', [each['keys'] for each in report['tables']] == [1000, 20_000])
for table in report['tables']:
    erasable, blocked = table['rows']
    check('named as they were asked for', (erasable['name'], blocked['name']) == ('balanced_rank:form=erasable', 'blocked_bloom:k=5'))
    check('with these parameters', erasable['parameters']['form'] == 'erasable' and blocked['parameters']['k'] == 5)
    check('only one of them erases', erasable['ns']['erase'] > 0 and blocked['ns']['erase'] is None)

print('keys of the user')
lines = b''.join(b'%d,name%d\n' % (i % 3000, i % 3000) for i in range(5000))
with open('names.csv', 'wb') as file:
    file.write(lines)
table = bench('names.csv', '--delimiter', ',', '--field', '2', '--kind', 'bloom')['tables'][0]
check('repeated keys count once', table['keys'] == 3000)
check('their mean length', abs(table['mean_key_bytes'] - sum(len(f'name{i}') for i in range(3000)) / 3000) < 1e-9)
check_row(table['rows'][0], 'text')
table = bench('-', '--keys', '100', '--kind', 'bloom', stdin=numbers(1, 500))['tables'][0]
check('the first 100 of standard input', table['keys'] == 100)
check_row(table['rows'][0], 'short keys')
report = bench('-', '--format', 'u64', '--hash', 'fold', '--kind', 'blocked_bloom', stdin=b''.join(struct.pack('<Q', i) for i in range(4000)))
check('integers', report['hash'] == 'fold' and report['tables'][0]['mean_key_bytes'] == 8)
check_row(report['tables'][0]['rows'][0], 'integers')
table = bench('-', '--kind', 'bloom', '--keep-blank', stdin=b'\n')['tables'][0]
check('one empty key', table['keys'] == 1 and table['rows'][0]['false_negatives'] == 0)

print('for people')
text = must('bench', '--rounds', '1', '--keys', '1k', '--kind', 'bloom', '--kind', 'blocked_bloom').out.decode()
check('a heading and a row for each kind', bool(re.search(r'^kind +bits/key +rate .*\nbloom +\d.*\nblocked_bloom +\d', text, re.M)), text)
check('what is best', 'Fewest bits: bloom.' in text, text)

print('bad input')
for what, code, arguments, stdin in (
        ('no such kind', 2, ['--kind', 'blum'], b''),
        ('auto is no kind to measure', 2, ['--kind', 'auto'], b''),
        ('a parameter out of range', 2, ['--kind', 'bloom:k=0'], b''),
        ('no rounds', 2, ['--rounds', '0'], b''),
        ('no keys', 2, ['--keys', '0'], b''),
        ('a rate above 1', 2, ['--fpr', '2'], b''),
        ('rate and size', 2, ['--fpr', '1%', '--bits-per-key', '10'], b''),
        ('a format without files', 2, ['--format', 'u64'], b''),
        ('a hash of older files', 2, ['--hash', 'mix'], b''),
        ('more keys than there are', 2, ['--keys', '501', '-'], numbers(1, 500)),
        ('more than the machine has', 4, ['--keys', '1e13', '--kind', 'bloom'], b''),
        ('an empty input', 3, ['-'], b''),
        ('half an integer', 3, ['--format', 'u64', '-'], b'1234'),
        ('no such file', 4, ['nowhere.txt'], b'')):
    outcome = run('bench', *arguments, stdin=stdin)
    check(f'{what}: {outcome.err.strip()}', outcome.code == code and outcome.err.startswith('membrane: ') and outcome.out == b'',
          f'{outcome.code} {outcome.out[:200]!r}')
finish()
