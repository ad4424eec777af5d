#!/usr/bin/env python3
"""A full disk, a file size limit, a closed pipe, a closed standard output: exit 4, the old file untouched, nothing left."""
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, Outcome, check, digest, finish, must, numbers, run, scratch  # noqa: E402

folder = scratch()
IO = 4
must('build', '-q', '-o', 'small.mbr', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'room.mbr', '--keys', '1M', '--key', KEY, stdin=numbers(1, 1000))
with open('keys', 'wb') as file:
    file.write(numbers(1, 200_000))


def limited(*arguments):
    """The tool where no file may pass 64 KiB."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    return Outcome(subprocess.run([TOOL, *arguments], capture_output=True, check=False, preexec_fn=limit))


print('a file size limit')
names = sorted(os.listdir('.'))
outcome = limited('build', '-q', '-o', 'new.mbr', 'keys')
check('build: exit 4 and a message', outcome.code == IO and 'new.mbr: cannot write: File too large' in outcome.err, repr(outcome))
before = digest('small.mbr')
outcome = limited('build', '-q', '--force', '-o', 'small.mbr', 'keys')
check('build --force: exit 4', outcome.code == IO and 'File too large' in outcome.err, repr(outcome))
check('build --force: the old file is as it was', digest('small.mbr') == before)
before = digest('room.mbr')
outcome = limited('add', 'room.mbr', 'keys')
check('add: exit 4', outcome.code == IO and 'File too large' in outcome.err, repr(outcome))
check('add: the old file is as it was', digest('room.mbr') == before)
outcome = limited('build', '-q', '-o', 'new.mbr', '--memory', '100K', 'keys')
check('a spilled build: exit 4', outcome.code == IO and 'File too large' in outcome.err, repr(outcome))
check('nothing is left behind', sorted(os.listdir('.')) == names, str(os.listdir('.')))

print('a full disk')
mount = tempfile.mkdtemp(prefix='membrane-full-')
try:
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', mount], capture_output=True, check=False).returncode == 0
except FileNotFoundError:  # a minimal system has no mount command
    mounted = False
if mounted:
    try:
        must('build', '-q', '-o', f'{mount}/old.mbr', '--key', KEY, stdin=numbers(1, 1000))
        before = digest(f'{mount}/old.mbr')
        for arguments in (['-o', f'{mount}/new.mbr'], ['--force', '-o', f'{mount}/old.mbr']):
            outcome = run('build', '-q', *arguments, 'keys')
            check('build ' + arguments[0], outcome.code == IO and 'No space left on device' in outcome.err, repr(outcome))
        check('the old file is as it was', digest(f'{mount}/old.mbr') == before)
        check('nothing is left behind', os.listdir(mount) == ['old.mbr'], str(os.listdir(mount)))
    finally:
        subprocess.run(['umount', mount], check=False)
else:
    print('  (no right to mount: the file size limit above stands for it)')
os.rmdir(mount)

print('standard output')
commands = (['query', 'small.mbr', 'keys'], ['query', '-c', 'small.mbr', 'keys'], ['info', 'small.mbr'], ['info', '--json', 'small.mbr'],
            ['verify', 'small.mbr', '--probes', '1000'], ['kinds'], ['--help'], ['build', '--help'], ['--version'], ['man'],
            ['completion', 'bash'])
for command in commands:
    with open('/dev/full', 'wb') as full:
        outcome = Outcome(subprocess.run([TOOL, *command], stdout=full, stderr=subprocess.PIPE, check=False))
    check(f'{" ".join(command)} >/dev/full', outcome.code == IO and 'standard output: cannot write: No space left' in outcome.err,
          f'{outcome.code} {outcome.err}')
with open('/dev/full', 'wb') as full:
    code = subprocess.run([TOOL, 'query', 'nosuch.mbr'], stdin=subprocess.DEVNULL, stdout=full, stderr=full, check=False).returncode
check('messages that cannot be written are dropped', code == IO)

reader, writer = os.pipe()
os.close(reader)
outcome = subprocess.run([TOOL, 'query', 'room.mbr', '-v', 'keys'], stdout=writer, stderr=subprocess.PIPE, check=False)
os.close(writer)
check('a closed pipe: exit 4, silently', outcome.returncode == IO and outcome.stderr == b'', str(outcome))
shell = subprocess.run(['bash', '-c', f'"{TOOL}" query -v room.mbr keys | head -n 1; exit "${{PIPESTATUS[0]}}"'], capture_output=True, check=False)
check('| head -n 1: ends early, silently', shell.returncode == IO and shell.stderr == b'' and shell.stdout.count(b'\n') == 1, str(shell))
shell = subprocess.run(['bash', '-c', f'"{TOOL}" query small.mbr keys >&-'], capture_output=True, check=False)
check('a closed standard output: exit 4', shell.returncode == IO and b'Bad file descriptor' in shell.stderr, str(shell))
shell = subprocess.run(['bash', '-c', f'"{TOOL}" query small.mbr <&-'], capture_output=True, check=False)
check('a closed standard input: exit 4', shell.returncode == IO and b'Bad file descriptor' in shell.stderr, str(shell))
shell = subprocess.run(['bash', '-c', f'"{TOOL}" build -o closed.mbr keys >&- 2>&-; "{TOOL}" query -c closed.mbr keys'], capture_output=True, check=False)
check('closed descriptors do not get into a filter', shell.stdout == b'200000\n', str(shell))
finish()
