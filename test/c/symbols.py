#!/usr/bin/env python3
"""symbols.py LIBRARY HEADER: libmembrane.so exports exactly the functions of symbols.txt, each with its version, and the header declares
the same. A function may be added to the list, with a new version; it never leaves it, and its version never changes."""
import os
import re
import subprocess
import sys

library, header = sys.argv[1:]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'symbols.txt'), encoding='utf-8') as file:
    wanted = set(file.read().split())
lines = subprocess.run(['nm', '-D', '--defined-only', '--with-symbol-versions', library], capture_output=True, text=True,
                       check=True).stdout.splitlines()
# A is the version's own name.
exported = {line.split()[-1] for line in lines if line.split()[-2] != 'A'}
with open(header, encoding='utf-8') as file:
    declared = set(re.findall(r'^MEMBRANE_C_API [^(]*?\b(membrane_\w+)\(', file.read(), re.M))
faults = [f'{name}: exported, but not in symbols.txt' for name in sorted(exported - wanted)]
faults += [f'{name}: in symbols.txt, but not exported' for name in sorted(wanted - exported)]
names = {name.split('@')[0] for name in wanted}
faults += [f'{name}: declared in the header, but not in symbols.txt' for name in sorted(declared - names)]
faults += [f'{name}: in symbols.txt, but not declared in the header' for name in sorted(names - declared)]
print('\n'.join(faults) or f'{len(wanted)} functions')
sys.exit(1 if faults else 0)
