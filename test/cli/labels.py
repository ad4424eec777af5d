#!/usr/bin/env python3
"""Labels: given to build, shown by info, kept by add, remove, merge, shrink, pack, patch and dedup; wrong ones are refused before any work."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def labels(path):
    return [(each['name'], each['value']) for each in json.loads(must('info', '--json', path).out)['labels']]


given = ('--label', 'name=malware', '--label', 'source=https://example.org/list?a=b', '--label', 'note=grün, two words')
wanted = [('name', 'malware'), ('source', 'https://example.org/list?a=b'), ('note', 'grün, two words')]
must('build', '-q', '-o', 'a.mbr', '--grow-to', '10k', '--key', KEY, *given, stdin=numbers(1, 500))
check('build and info --json', labels('a.mbr') == wanted, labels('a.mbr'))
text = must('info', 'a.mbr').out.decode()
check('info', 'label name            malware\n' in text and 'label source          https://example.org/list?a=b\n' in text, text)
must('build', '-q', '-o', 'plain.mbr', '--grow-to', '10k', '--key', KEY, stdin=numbers(1, 500))
check('without labels the file is as before', os.path.getsize('plain.mbr') < os.path.getsize('a.mbr') and labels('plain.mbr') == [])
check('the answers are the same', run('query', '-c', 'a.mbr', stdin=numbers(1, 10_000)).out == run('query', '-c', 'plain.mbr', stdin=numbers(1, 10_000)).out)
must('add', '-q', 'a.mbr', stdin=numbers(501, 900))
check('add keeps them', labels('a.mbr') == wanted)
must('add', '-q', 'a.mbr', '--label', 'name=phishing', '--label', 'note=', stdin=b'')
wanted = [('name', 'phishing'), ('source', 'https://example.org/list?a=b')]
check('add --label replaces, NAME= removes, without a key too', labels('a.mbr') == wanted, labels('a.mbr'))
must('pack', '-q', 'a.mbr', '-o', 'a.pack')
must('unpack', '-q', 'a.pack', '-o', 'unpacked.mbr')
check('pack and unpack', labels('unpacked.mbr') == wanted)
must('build', '-q', '-o', 'b.mbr', '--grow-to', '10k', '--key', KEY, '--label', 'name=other', '--label', 'date=2026-11-19', stdin=numbers(1, 600))
must('diff', '-q', 'a.mbr', 'b.mbr', '-o', 'ab.mbp')
must('patch', '-q', 'a.mbr', 'ab.mbp', '-o', 'patched.mbr')
check('diff and patch: those of the newer', digest('patched.mbr') == digest('b.mbr'))
must('merge', '-q', '-o', 'm.mbr', 'a.mbr', 'b.mbr')
check('merge: those of both', labels('m.mbr') == [*wanted, ('name', 'other'), ('date', '2026-11-19')], labels('m.mbr'))
must('merge', '-q', '-o', 'm.mbr', '--force', '--label', 'name=both', 'a.mbr', 'b.mbr')
check('merge --label replaces all values of the name', [each for each in labels('m.mbr') if each[0] == 'name'] == [('name', 'both')])
must('shrink', '-q', 'm.mbr', '--fpr', '5%', '-o', 's.mbr')
check('shrink', labels('s.mbr') == labels('m.mbr'))
for kind in ('bloom', 'blocked_bloom'):
    must('build', '-q', '-o', 'f.mbr', '--force', '--kind', kind, '--keys', '1k', '--fpr', '1e-4', *given, stdin=numbers(1, 100))
    must('shrink', '-q', 'f.mbr', '--fpr', '5%')
    check(f'{kind}: shrink', labels('f.mbr') == [('name', 'malware'), ('source', 'https://example.org/list?a=b'), ('note', 'grün, two words')], labels('f.mbr'))
    must('build', '-q', '-o', 'f.mbr', '--force', '--kind', kind, '--keys', '1k', '--fpr', '1e-4', *given, stdin=numbers(1, 100))
    must('shrink', '-q', 'f.mbr', '--bits-per-key', '20', '-o', 'g.mbr', '--force')
    check(f'{kind}: shrink --bits-per-key -o', labels('g.mbr') == labels('f.mbr') != [])
for kind in ('bloom', 'counting_bloom'):
    must('build', '-q', '-o', 'x.mbr', '--force', '--kind', kind, '--keys', '1k', '--key', KEY, '--label', 'a=1', stdin=numbers(1, 10))
    must('build', '-q', '-o', 'y.mbr', '--force', '--kind', kind, '--keys', '1k', '--key', KEY, '--label', 'b=2', stdin=numbers(5, 20))
    must('merge', '-q', '-o', 'z.mbr', '--force', 'x.mbr', 'y.mbr')
    check(f'{kind}: merge', labels('z.mbr') == [('a', '1'), ('b', '2')])
must('remove', '-q', 'x.mbr', stdin=b'1\n')
check('remove', labels('x.mbr') == [('a', '1')])
must('count', 'build', '-q', '-o', 'c.mbr', '--label', 'day=1', stdin=b'a\n')
must('add', '-q', 'c.mbr', stdin=b'a\nb\n')
check('count build and add', labels('c.mbr') == [('day', '1')])
must('dedup', '-q', 'd.mbr', '--label', 'stream=log', stdin=b'a\n')
must('dedup', '-q', 'd.mbr', stdin=b'b\n')
check('dedup', labels('d.mbr') == [('stream', 'log')])
must('dedup', '-q', 'd.mbr', '--label', 'stream=other', '--label', 'day=2', stdin=b'b\n')
check('dedup --label on a file that is there, without a new key', labels('d.mbr') == [('stream', 'other'), ('day', '2')])
long_value = 'v' * 1000
for name in ('p', 'q'):
    must('build', '-q', '-o', f'{name}.mbr', '--kind', 'bloom', '--keys', '1k', '--key', KEY, '--label', f'{name}1={long_value}', '--label', f'{name}2=x', stdin=numbers(1, 10))
must('merge', '-q', '-o', 'pq.mbr', '--force', 'p.mbr', 'q.mbr')
must('build', '-q', '-o', 'r.mbr', '--kind', 'bloom', '--keys', '1k', '--key', KEY, '--label', f'r={long_value}', stdin=numbers(1, 10))
said = must('merge', '-o', 'pqr.mbr', 'pq.mbr', 'r.mbr').err
check('what does not fit is left out, and merge says so', '1 label left out: all labels of a file take at most 2048 bytes' in said and len(labels('pqr.mbr')) == 4, said)
for wrong in ('name', '=x', 'a b=c', 'a=\x1b[31m', 'a=\n', 'n' * 65 + '=x', 'a=' + 'v' * 1025, 'a/b=c'):
    refused = run('build', '-o', 'w.mbr', '--label', wrong, stdin=b'a\n')
    check(f'{wrong[:20]!r} is refused', refused.code == 2 and '--label' in refused.err and '\x1b' not in refused.err and not os.path.exists('w.mbr'), repr(refused))
refused = subprocess.run([TOOL.encode(), b'build', b'-o', b'w.mbr', b'--label', b'a=\xff'], input=b'a\n', capture_output=True, check=False)
check('bytes that are not UTF-8', refused.returncode == 2, repr(refused))
refused = run('build', '-o', 'w.mbr', *(f'--label=l{i}={long_value}' for i in range(3)), stdin=b'a\n')
check('too many', refused.code == 2 and 'all labels' in refused.err and not os.path.exists('w.mbr'), repr(refused))
refused = run('build', '-o', 'w.mbr', '--label', 'a=1', '--label', 'b=2', '--label', 'a=3', stdin=b'a\n')
check('a name that is given twice', refused.code == 2 and "'a' is given twice, '1' and '3'" in refused.err and not os.path.exists('w.mbr'), repr(refused))
refused = run('build', '-o', 'w.mbr', '--label', 'a b=c', stdin=b'a\n')
check('says what a name may have', "--label: 'a b=c', a name has letters, digits and _ . - only" in refused.err and 'out of range' not in refused.err, refused.err)
refused = run('build', '-o', 'w.mbr', '--label', 'a=' + 'v' * 1025, stdin=b'a\n')
check('and how long a value may be', "bytes of a label's value has 1025, expected 0 to 1024" in refused.err, refused.err)
finish()
