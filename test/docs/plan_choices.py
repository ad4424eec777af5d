#!/usr/bin/env python3
"""What the documents say of the planner and of a file's size is what the tool says; the chart of the README is drawn from its plans."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOOL = os.path.realpath(os.environ['MEMBRANE'])
SOURCE = os.environ['MEMBRANE_SOURCE_DIR']


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        return file.read()


readme, choosing = read('README.md'), read('doc', 'choosing.md')
failed = []


def check(what, said, found):
    print(f'{"ok  " if said == found else "FAIL"} {what}: {said}' + ('' if said == found else f', the tool says {found}'))
    if said != found:
        failed.append(what)


start = re.search(r'^\| you want \| `membrane (plan [^`]*)` \|', choosing, re.M).group(1).split()
rows = re.findall(r'^\|[^|]*\| `(--fpr [^`]*)` \| `(\w+)` \| ([\d.]+) \|$', choosing, re.M)
for options, kind, bits in rows:
    plan = json.loads(subprocess.run([TOOL, *start, *options.split(), '--json'], capture_output=True, check=True).stdout)
    digits = len(bits.split('.')[1])
    check(' '.join(start) + ' ' + options, f'{kind}, {bits} bits', f'{plan["chosen"]}, {plan["candidates"][0]["filter"]["bits_per_key"]:.{digits}f} bits')

command, size = re.search(r'^(seq .*?-o s\.mbr.*?) +# ([\d.]+ MB)$', readme, re.M).groups()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(['bash', '-eo', 'pipefail', '-c', command.replace('build/bin/membrane', TOOL)], cwd=folder, capture_output=True, check=True)
    check(command, size, f'{os.path.getsize(os.path.join(folder, "s.mbr")) / 1e6:.2f} MB')
drawn = subprocess.run([sys.executable, os.path.join(SOURCE, 'tools', 'overview_chart.py'), TOOL, os.path.join(SOURCE, 'doc', 'plots', 'peers.csv')],
                       capture_output=True, check=True, text=True).stdout
check('doc/plots/overview.svg', True, drawn == read('doc', 'plots', 'overview.svg'))
sys.exit(1 if failed or len(rows) < 8 else 0)
