#!/usr/bin/env python3
"""`pip install ./python` in a new virtual environment, without an index to download from; the installed package answers."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ['MEMBRANE_SOURCE_DIR']
PROGRAM = '''
import membrane, sys
assert membrane.__file__.startswith(sys.prefix), membrane.__file__
seen = membrane.Filter(1000, 1e-9)
seen.update(range(1000))
assert all(seen.contains(range(1000))) and "x" not in seen
print(membrane.__version__, seen)
'''

if os.environ.get('LD_PRELOAD'):
    print('SKIPPED: the wheel is built without sanitizers')
    sys.exit(77)
environment = {name: value for name, value in os.environ.items() if name not in ('PYTHONPATH', 'MEMBRANE_BUILD_DIR')}
# The library is compiled once for all runs of this test.
environment['MEMBRANE_BUILD_DIR'] = os.path.join(os.environ['MEMBRANE_BUILD_DIR'], 'pip')
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, '-m', 'venv', folder], check=True)
    python = os.path.join(folder, 'bin', 'python')
    subprocess.run([python, '-m', 'pip', 'install', '--no-index', '--quiet', '--disable-pip-version-check', os.path.join(SOURCE, 'python')],
                   env=environment, check=True)
    subprocess.run([python, '-c', PROGRAM], cwd=folder, env=environment, check=True)
