#!/usr/bin/env python3
"""Every command of doc/walkthroughs.md, run in a shell as it is printed: the terminal shows what stands below it.

`...` in the document is any text, also of several lines; `[exit N]` the exit code of a command that does not end with 0.
"""
import os
import re
import subprocess
import sys
import tempfile

DOCUMENT = os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'doc/walkthroughs.md')


def steps(text):
    """(command, what is shown) of each command in a section."""
    for block in re.findall(r'^```console\n(.*?)^```$', text, re.M | re.S):
        for part in re.split(r'^\$ ', block, flags=re.M)[1:]:
            command, _, shown = part.partition('\n')
            yield command, shown


def run(command, environment):
    done = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, timeout=60, check=False)
    shown = done.stdout.decode()
    if shown and not shown.endswith('\n'):
        shown += '\n'
    return shown + (f'[exit {done.returncode}]\n' if done.returncode else '')


with open(DOCUMENT, encoding='utf-8') as file:
    sections = file.read().split('\n## ')[1:]
commands = failed = 0
for section in sections:
    print(section.partition('\n')[0])
    with tempfile.TemporaryDirectory(prefix='membrane-walk-') as folder:
        os.chdir(folder)
        os.mkdir('bin')
        os.symlink(os.path.realpath(os.environ['MEMBRANE']), 'bin/membrane')
        environment = {**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}', 'LC_ALL': 'C'}
        for command, expected in steps(section):
            commands += 1
            shown = run(command, environment)
            pattern = '.*'.join(re.escape(part) for part in expected.split('...'))
            if not re.fullmatch(pattern, shown, re.S):
                failed += 1
                print(f'FAIL $ {command}\n-- shown:\n{shown}-- documented:\n{expected}')
        os.chdir('/')
print(f'{commands} commands, {failed} failed')
sys.exit(1 if failed or commands < 30 else 0)
