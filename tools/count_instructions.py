#!/usr/bin/env python3
"""count_instructions.py BENCH OUT.csv [ARGUMENT...]: instructions and mispredicted branches per operation, by callgrind.

Runs `BENCH --instructions ARGUMENT...` under valgrind once per kernel; the program marks each operation of each row
(bench/instructions.hpp). Mispredictions are those of valgrind's simple predictor: good for comparing two versions, not for
predicting a real processor. The numbers of a commit and a compiler are the same on every machine. If OUT.csv already exists,
changes of more than one percent are printed.
"""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

KERNELS = ['portable', 'avx2']


def events_of(path):
    """The label of a dump and its totals by event."""
    with open(path, encoding='utf-8', errors='replace') as file:
        text = file.read()
    label = re.search(r'^desc: Trigger: Client Request: (.*)$', text, re.M)
    if not label:
        return None
    names = re.search(r'^events: (.*)$', text, re.M).group(1).split()
    totals = re.search(r'^(?:totals|summary): (.*)$', text, re.M).group(1).split()
    return label.group(1), dict(zip(names, map(int, totals)))


def number_of(path):
    return int(path.rsplit('.', 1)[1])


def count(bench, kernel, arguments):
    """(first line of the program's output, [(row, column, operations, instructions, mispredictions)])"""
    with tempfile.TemporaryDirectory() as folder:
        command = ['valgrind', '--tool=callgrind', '--instr-atstart=no', '--branch-sim=yes', f'--callgrind-out-file={folder}/out',
                   bench, '--instructions', *arguments]
        done = subprocess.run(command, env={**os.environ, 'MEMBRANE_TARGET': kernel}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f'{" ".join(command)}\n{done.stderr}')
        rows = []
        for path in sorted(glob.glob(f'{folder}/out.*'), key=number_of):
            found = events_of(path)
            if found:
                label, events = found
                row, column, operations = label.rsplit('|', 2)
                rows.append((row, column, int(operations), events['Ir'], events.get('Bcm', 0) + events.get('Bim', 0)))
    if not rows:
        sys.exit(f'no dumps: {done.stderr}')
    return done.stdout.splitlines()[0], rows


def read(path):
    """{(kernel, row, column): instructions}; empty if there is no such file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8', newline='') as file:
        return {(line['kernel'], line['row'], line['column']): float(line['instructions'])
                for line in csv.DictReader(text for text in file if not text.startswith('#'))}


def print_changes(old, new):
    for name, count_now in new.items():
        before = old.get(name)
        if before and abs(count_now / before - 1) > 0.01:
            print(f'{" ".join(name):<60} {before:8.1f} -> {count_now:8.1f}  {100 * (count_now / before - 1):+.1f} %')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, path, *arguments = sys.argv[1:]
    before = read(path)
    lines = []
    for kernel in KERNELS:
        print(f'counting with MEMBRANE_TARGET={kernel}', file=sys.stderr)
        flags, rows = count(bench, kernel, arguments)
        for row, column, operations, instructions, mispredictions in rows:
            lines.append(f'{kernel},"{row}",{column},{operations},{instructions / operations:.1f},{mispredictions / operations:.3f}\n')
    with open(path, 'w', encoding='utf-8') as file:
        about = ['callgrind', flags, 'commit ' + os.environ.get('MEMBRANE_COMMIT', 'unknown'), *arguments]
        file.write(f'# {"; ".join(about)}\n')
        file.write('kernel,row,column,operations,instructions,mispredictions\n')
        file.writelines(lines)
    print_changes(before, read(path))
    print(f'{path}: {len(lines)} numbers')


main()
