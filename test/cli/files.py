#!/usr/bin/env python3
"""Permissions of new files, and files that become shorter while they are mapped."""
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def mode(path):
    return f'{stat.S_IMODE(os.stat(path).st_mode):o}'


def made(*words, umask=0o022, stdin=b''):
    """The permissions of the file that the command makes; its name is the last word."""
    before = os.umask(umask)
    try:
        must(*words, stdin=stdin)
    finally:
        os.umask(before)
    return mode(words[-1])


KEYS = numbers(1, 500)
BUILD = ('build', '-q', '--grow-to', '1k')
check('a random key: 600', made(*BUILD, '-o', 'a.mbr', stdin=KEYS) == '600')
check('a key that was given: as the umask says', made(*BUILD, '--key', KEY, '-o', 'given.mbr', stdin=KEYS) == '644')
check('  of 002', made(*BUILD, '--key', KEY, '-o', 'given2.mbr', umask=0o002, stdin=KEYS) == '664')
check('a umask that forbids more', made(*BUILD, '-o', 'b.mbr', umask=0o277, stdin=KEYS) == '400')
check('--mode 644', made(*BUILD, '--mode', '644', '-o', 'open.mbr', stdin=KEYS) == '644')
check('--mode is not reduced by the umask', made(*BUILD, '--mode', '664', '-o', 'open2.mbr', umask=0o077, stdin=KEYS) == '664')
for wrong in ('888', '1777', 'rw', '', '-1'):
    outcome = run(*BUILD, '--mode', wrong, '-o', 'none.mbr', stdin=KEYS)
    check(f'--mode {wrong!r} is refused', outcome.code == 2 and 'octal' in outcome.err and not os.path.exists('none.mbr'), repr(outcome))
check('a replaced file keeps its permissions', made(*BUILD, '--force', '-o', 'open.mbr', stdin=KEYS) == '644')
check('  but for --mode', made(*BUILD, '--force', '--mode', '640', '-o', 'open.mbr', stdin=KEYS) == '640')
os.chmod('open.mbr', 0o644)
must('add', '-q', 'a.mbr', stdin=numbers(501, 600))
check('add keeps 600', mode('a.mbr') == '600')
check('count build: 600', made('count', 'build', '-q', '-o', 'c.mbr', stdin=KEYS) == '600')
check('dedup: 600', made('dedup', '-q', 'd.mbr', stdin=KEYS) == '600')
must('dedup', '-q', 'd.mbr', stdin=numbers(1, 2000))
check('  also after it was saved again', mode('d.mbr') == '600')
check('dedup --mode 640', made('dedup', '-q', '--mode', '640', 'd2.mbr', stdin=KEYS) == '640')

shutil.copy('a.mbr', 'copy.mbr')
os.chmod('copy.mbr', 0o644)
must('add', '-q', 'copy.mbr', stdin=numbers(601, 700))
for what, words, name, expected in (
        ('merge of 600 and 644', ('merge', '-q', 'a.mbr', 'copy.mbr', '-o'), 'merged.mbr', '600'),
        ('merge of 644 and 644', ('merge', '-q', 'copy.mbr', 'copy.mbr', '-o'), 'merged2.mbr', '644'),
        ('pack of 600', ('pack', '-q', 'a.mbr', '-o'), 'a.pack', '600'),
        ('pack of 644', ('pack', '-q', 'copy.mbr', '-o'), 'copy.pack', '644'),
        ('unpack of 600', ('unpack', '-q', 'a.pack', '-o'), 'a2.mbr', '600'),
        ('diff of 600 and 644', ('diff', '-q', 'a.mbr', 'copy.mbr', '-o'), 'p.mbp', '600'),
        ('patch of 644 to another file', ('patch', '-q', 'a.mbr', 'p.mbp', '-o'), 'a3.mbr', '600'),
        ('shrink of 644 to another file', ('shrink', '-q', '--fit', 'copy.mbr', '-o'), 's.mbr', '644'),
        ('merge --mode 640', ('merge', '-q', 'a.mbr', 'copy.mbr', '--mode', '640', '-o'), 'merged3.mbr', '640'),
        ('diff --mode 444', ('diff', '-q', 'a.mbr', 'copy.mbr', '--mode', '444', '-o'), 'p2.mbp', '444')):
    check(f'{what}: {expected}', (found := made(*words, name)) == expected, found)
with open('a.mbr', 'rb') as pipe:
    subprocess.run([TOOL, 'pack', '-q', '-', '-o', 'piped.pack'], stdin=pipe, check=True)
check('pack of a file on standard input: 600', mode('piped.pack') == '600')
subprocess.run(['sh', '-c', f'cat copy.mbr | {TOOL} pack -q - -o piped2.pack'], check=True)
check('pack of a pipe: 600', mode('piped2.pack') == '600')

print('files that are changed while they are mapped')
must('build', '-q', '-o', 'large.mbr', '--fpr', '1e-9', stdin=numbers(1, 200_000))
SIZE = os.path.getsize('large.mbr')
for what, change in (('cut to nothing', lambda: os.truncate('live.mbr', 0)), ('cut to half', lambda: os.truncate('live.mbr', SIZE // 2)),
                     ('cut by 100 bytes', lambda: os.truncate('live.mbr', SIZE - 100)),
                     ('overwritten in place', lambda: shutil.copyfile('a.mbr', 'live.mbr'))):
    for more in ((), ('--invert',)):
        shutil.copyfile('large.mbr', 'live.mbr')
        process = subprocess.Popen([TOOL, 'query', 'live.mbr', *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = b'absent\n' if more else b'7\n'
        process.stdin.write(first)
        process.stdin.flush()
        answered = process.stdout.readline()
        change()
        out, err = process.communicate(numbers(1, 200_000))
        check(f'{what}, query {" ".join(more)}: a message that names the file, exit 4, no answer after it',
              answered == first and process.returncode == 4 and out == b'' and err.startswith(b'membrane: ') and b'live.mbr: ' in err and
              b'while it was read' in err and err.count(b'\n') == 1, (process.returncode, len(out), err))
shutil.copyfile('large.mbr', 'live.mbr')
process = subprocess.Popen([TOOL, 'query', 'live.mbr'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdin.write(b'7\n')
process.stdin.flush()
process.stdout.readline()
must('add', '-q', 'live.mbr', stdin=numbers(300_000, 300_010))
out, _ = process.communicate(b'8\n300000\n')
check('replaced by membrane meanwhile: the state that was opened goes on', process.returncode == 0 and out == b'8\n', (process.returncode, out))
finish()
