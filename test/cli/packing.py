#!/usr/bin/env python3
"""A filter is packed, sent and unpacked: every key comes along, and what was damaged on the way is refused."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import check, finish, must, numbers, run, scratch  # noqa: E402

scratch()
print('there and back')
for mode in ('set', 'counting', 'map'):
    must('build', '-q', '-o', f'{mode}.mbr', '--kind', f'rank:mode={mode}', '--fpr', '1%', stdin=numbers(1, 20000))
    must('pack', '-q', f'{mode}.mbr', '-o', f'{mode}.pack')
    must('unpack', '-q', f'{mode}.pack', '-o', f'{mode}2.mbr')
    found = run('query', f'{mode}2.mbr', '-c', stdin=numbers(1, 20000))
    check(f'{mode}: all keys are there', found.out == b'20000\n', repr(found))
    before, after = (json.loads(must('info', name, '--json').out) for name in (f'{mode}.mbr', f'{mode}2.mbr'))
    check(f'{mode}: the same parameters', before['parameters'] == after['parameters'] and before['keys'] == after['keys'])
    check(f'{mode}: shorter', os.path.getsize(f'{mode}.pack') < 0.9 * os.path.getsize(f'{mode}.mbr'))
    removed = run('remove', f'{mode}2.mbr', stdin=numbers(1, 5000))
    check(f'{mode}: keys can be removed from it', removed.code == 0 and '5,000 keys removed' in removed.err, repr(removed))

print('messages')
said = run('pack', 'set.mbr', '-o', 'said.pack')
check('both sizes are said', said.code == 0 and 'said.pack: ' in said.err and 'the filter file has' in said.err, repr(said))
again = run('pack', 'set.mbr', '-o', 'said.pack')
check('an existing output is kept', again.code == 5 and '--force' in again.err, repr(again))
must('pack', '-q', '--force', 'set.mbr', '-o', 'said.pack')

print('what is refused')
must('build', '-q', '-o', 'bloom.mbr', '--kind', 'bloom', stdin=numbers(1, 100))
other = run('pack', 'bloom.mbr', '-o', 'bloom.pack')
check('another kind', other.code != 0 and 'rank' in other.err and not os.path.exists('bloom.pack'), repr(other))
for name, change in (('a filter file', lambda data: open('set.mbr', 'rb').read()), ('nothing', lambda data: b''),
                     ('half', lambda data: data[:len(data) // 2]), ('one byte more', lambda data: data + b'\0'),
                     ('a changed byte', lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:])):
    with open('set.pack', 'rb') as file:
        damaged = change(file.read())
    with open('damaged.pack', 'wb') as file:
        file.write(damaged)
    refused = run('unpack', 'damaged.pack', '-o', 'damaged.mbr')
    check(name, refused.code == 3 and refused.err.startswith('membrane: damaged.pack: ') and not os.path.exists('damaged.mbr'), repr(refused))
print('what would be too large')
# One chain a bucket and 4096 wide cells: 30,000 times as long as its packed form.
must('build', '-q', '-o', 'wide.mbr', '--kind', 'rank:buckets=2500,chains=1,fingerprint_bits=56,cells=4096', stdin=numbers(1, 10))
must('pack', '-q', 'wide.mbr', '-o', 'wide.pack')
wide = run('unpack', 'wide.pack', '-o', 'wide2.mbr')
check('not without being asked', wide.code == 5 and '--max-bytes' in wide.err and not os.path.exists('wide2.mbr'), repr(wide))
must('unpack', '-q', 'wide.pack', '-o', 'wide2.mbr', '--max-bytes', '100M')
check('the same filter', open('wide.mbr', 'rb').read() == open('wide2.mbr', 'rb').read())
small = run('unpack', 'set.pack', '-o', 'small.mbr', '--max-bytes', '1000')
check('more memory than allowed', small.code != 0 and not os.path.exists('small.mbr'), repr(small))
finish()
