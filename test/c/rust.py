#!/usr/bin/env python3
"""rust.py LIBRARY SOURCE: compiles the example for Rust and runs it. Ends with 77, which ctest shows as skipped, where rustc is missing."""
import os
import shutil
import subprocess
import sys
import tempfile

library, source = sys.argv[1:]
compiler = shutil.which('rustc')
if compiler is None or subprocess.run([compiler, '--version'], capture_output=True, check=False).returncode != 0:
    print('SKIPPED: no rustc')
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, 'seen')
    subprocess.run([compiler, '-O', source, '-o', program, '-L', os.path.dirname(library), '-l', 'membrane', '-D', 'warnings'], check=True)
    environment = {**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(library)}
    output = subprocess.run([program, os.path.join(folder, 'seen.mbr')], env=environment, capture_output=True, text=True, check=True).stdout
print(output, end='')
wanted = ['alice, bob: [true, false]', 'a rate of 2: value out of range']
sys.exit(0 if all(line in output for line in wanted) and 'from the file: alice true' in output else 1)
