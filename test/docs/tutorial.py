#!/usr/bin/env python3
"""The tutorial, step by step: every block runs as it is printed, and prints what the text says."""
import os
import re
import subprocess
import sys
import tempfile

TOOL = os.path.realpath(os.environ['MEMBRANE'])
SOURCE = os.environ['MEMBRANE_SOURCE_DIR']
BUILD = os.path.dirname(os.path.dirname(TOOL))
PROGRAMS = ['lookup', 'remember']

with open(os.path.join(SOURCE, 'doc', 'tutorial.md'), encoding='utf-8') as file:
    blocks = re.findall(r'^```(sh|cpp)\n(.*?)^```', file.read(), re.M | re.S)
failed = []
outputs = []
with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, 'PATH': os.path.dirname(TOOL) + ':' + os.environ['PATH']}
    programs = iter(PROGRAMS)
    for language, text in blocks:
        if language == 'cpp':
            name = next(programs)
            with open(os.path.join(folder, name + '.cpp'), 'w', encoding='utf-8') as file:
                file.write(text)
            command = [os.environ.get('CXX', 'c++'), '-std=c++20', '-O2', '-Wall', '-Wextra', '-Werror', f'-I{SOURCE}/include', f'{name}.cpp',
                       os.path.join(BUILD, 'libmembrane++.a'), '-lxxhash', '-pthread', '-o', name, *os.environ.get('MEMBRANE_CXX_FLAGS', '').split()]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        else:
            run = subprocess.run(['bash', '-euo', 'pipefail', '-c', text], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        outputs.append(run.stdout)
        if run.returncode != 0:
            failed.append(f'ends with {run.returncode}:\n{text}\n{run.stderr}')
sh = [output for (language, _), output in zip(blocks, outputs) if language == 'sh']
EXPECTED = ['13.48', 'user7@example.org\n', 'the rate is kept up to 100,0', 'user7@example.org\n', 'mallory@example.org is new\n']
for wanted, output in zip(EXPECTED, sh):
    if wanted not in output:
        failed.append(f'no "{wanted}" in:\n{output}')
if sh[-1] != EXPECTED[-1] or sh[3] != EXPECTED[3] or 'mallory' in sh[1]:
    failed.append('mallory was new twice, or was in the first filter')
print('\n'.join(failed) if failed else f'{len(blocks)} blocks')
sys.exit(1 if failed or len(sh) != len(EXPECTED) else 0)
