#!/usr/bin/env python3
"""The package passes mypy --strict, and tells a type checker what its calls return and take. Skipped without mypy."""
import os
import subprocess
import sys
import tempfile

PACKAGE = os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'python')
PROGRAM = '''
import membrane
seen = membrane.Filter(1000, 0.01)
is_there: bool = "a" in seen
number: int = seen.count("a")
seen.add(1.5)
reveal_type(seen | seen)
reveal_type(seen.copy())
reveal_type(membrane.Filter.load("a"))
reveal_type(membrane.open("a"))
reveal_type(membrane.load("a"))
reveal_type(membrane.CountMin() + membrane.CountMin())
reveal_type(membrane.plan(keys=10, fpr=0.1).chosen)
'''
WANTED = ['error: Argument 1 to "add"', *(f'type is "{name}"' for name in (
    'membrane._filters.Filter', 'membrane._filters.Filter', 'membrane._filters.Filter', 'membrane._filters.MappedFilter',
    'Union[membrane._filters.Filter, membrane._counting.CountMin]', 'membrane._counting.CountMin',
    'Union[membrane._plans.Candidate, None]'))]

if subprocess.run([sys.executable, '-m', 'mypy', '--version'], capture_output=True, check=False).returncode != 0:
    print('SKIPPED: no mypy')
    sys.exit(77)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'program.py')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    environment = {**os.environ, 'MYPYPATH': PACKAGE}
    run = subprocess.run([sys.executable, '-m', 'mypy', '--strict', '--no-error-summary', '--cache-dir', folder, os.path.join(PACKAGE, 'membrane'), path],
                         env=environment, capture_output=True, text=True, check=False)
told = run.stdout.splitlines()
assert len(told) == len(WANTED), told + [run.stderr]
for line, wanted in zip(told, WANTED):
    assert wanted in line, (line, wanted)
