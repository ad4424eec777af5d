#!/usr/bin/env python3
"""Every command in the table of doc/models.md works as it is printed."""
import os
import re
import subprocess
import sys

TOOL = os.environ['MEMBRANE']
with open(os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'doc/models.md'), encoding='utf-8') as file:
    commands = re.findall(r'`membrane (model [a-z_]+ [^`]*=[^`]*)` \|', file.read())
failed = 0
for command in commands:
    done = subprocess.run([TOOL, *command.split()], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not done.stdout:
        failed += 1
        print(f'FAIL membrane {command}: {done.stderr.strip()}')
print(f'{len(commands)} commands, {failed} failed')
sys.exit(1 if failed or len(commands) < 20 else 0)
