#!/usr/bin/env python3
"""Several `add`s of one file at once: the keys of all are in afterwards, never one writer's lost to another's."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()
writers, keys_each, rounds = 4, 2000, 5
must('build', '-q', '-o', 'shared.mbr', '--keys', str(writers * keys_each * rounds), '--fpr', '1e-6', '--allow-empty', stdin=b'')
for turn in range(rounds):
    processes = []
    for writer in range(writers):
        first = (turn * writers + writer) * keys_each + 1
        process = subprocess.Popen([TOOL, 'add', '-q', 'shared.mbr'], stdin=subprocess.PIPE)
        processes.append((process, numbers(first, first + keys_each - 1)))
    for process, keys in processes:  # all have started before any has its keys
        process.stdin.write(keys)
        process.stdin.close()
    codes = [process.wait(timeout=60) for process, _ in processes]
    last = (turn + 1) * writers * keys_each
    found = run('query', '-c', 'shared.mbr', stdin=numbers(1, last))
    check(f'round {turn + 1}: {writers} writers, all {last} keys are in', codes == [0] * writers and int(found.out) == last, f'{codes} {found}')
check('nothing but the file is left', os.listdir('.') == ['shared.mbr'], str(os.listdir('.')))

print('a writer through a symbolic link and one through the name')
os.symlink('shared.mbr', 'link.mbr')
pair = [subprocess.Popen([TOOL, 'add', '-q', name], stdin=subprocess.PIPE) for name in ('shared.mbr', 'link.mbr')]
for i, process in enumerate(pair):
    process.stdin.write(f'pair {i}\n'.encode())
    process.stdin.close()
check('both end well', [process.wait(timeout=60) for process in pair] == [0, 0])
check('both keys are in', run('query', '-c', 'shared.mbr', stdin=b'pair 0\npair 1\n').out == b'2\n')
check('the link is still a link', os.path.islink('link.mbr'))
finish()
