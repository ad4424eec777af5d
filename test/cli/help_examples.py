#!/usr/bin/env python3
"""The help of every command ends with two examples, and each works as it is printed, alone in an empty folder."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, commands, finish, must, scratch  # noqa: E402

root = scratch()
os.mkdir('bin')
os.symlink(TOOL, 'bin/membrane')
environment = dict(os.environ, PATH=f'{root}/bin:' + os.environ['PATH'])


visited = list(dict.fromkeys(path[:words] for path in commands() for words in range(1, len(path) + 1)))
check(f'{len(visited)} helps seen', {('plan',), ('build',), ('count', 'top')} <= set(visited), str(visited))
for path in visited:
    text = must(*path, '--help').out.decode()
    name = ' '.join(['membrane', *path])
    check(f'{name} --help ends with two examples', bool(re.search(r'\nExamples:\n(  \S.*\n){2}\Z', text)), text[-300:])
    for example in re.findall(r'^  (.*)$', text.split('\nExamples:\n')[-1], re.M):
        with tempfile.TemporaryDirectory(dir=root) as folder:
            done = subprocess.run(['bash', '-eo', 'pipefail', '-c', example], cwd=folder, env=environment, capture_output=True, check=False)
        check(f'  {example}', done.returncode == 0, f'{done.returncode} {done.stderr.decode()}')
finish()
