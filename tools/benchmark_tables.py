#!/usr/bin/env python3
"""Writes the tables of doc/benchmarks.md from the numbers under bench/results.

A table stands between the lines `<!-- bench FILE keys=N fpr=P unit=ns|reads -->` and `<!-- end -->`; everything else in the
document is left as it is. `--check` changes nothing and fails if a table is not what its file says.
"""
import csv
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DOCUMENT = os.path.join(ROOT, 'doc', 'benchmarks.md')
COLUMNS = ['ins.batch', 'insert', 'erase', 'hit', 'miss', 'hit.batch', 'miss.batch', 'miss.2thr']
PLACE = re.compile(r'(<!-- bench (\S+) keys=(\d+) fpr=(\S+) unit=(ns|reads) -->\n)(.*?)(<!-- end -->)', re.S)


def rows_of(name, keys, fpr):
    rows = {}
    with open(os.path.join(ROOT, 'bench', 'results', name), newline='') as file:
        for line in csv.DictReader(text for text in file if not text.startswith('#')):
            if int(line['keys']) == keys and float(line['planned_fpr']) == fpr:
                rows.setdefault(line['row'], {})[line['column']] = line
    if not rows:
        sys.exit(f'{name} has no rows with {keys} keys at {fpr}')
    return rows


def table(name, keys, fpr, unit):
    field = {'ns': 'least_ns', 'reads': 'median_over_line_read'}[unit]
    digits = {'ns': 1, 'reads': 2}[unit]
    lines = ['| ' + ' | '.join([f'{keys:,} keys, {100 * fpr:g} %', 'bits/key', *COLUMNS, 'FPR %', 'model %']) + ' |',
             '|---' * (len(COLUMNS) + 4) + '|']
    for row, cells in rows_of(name, keys, fpr).items():
        first = next(iter(cells.values()))
        times = [f'{float(cells[column][field]):.{digits}f}' if column in cells else '' for column in COLUMNS]
        lines.append('| ' + ' | '.join([row, f"{float(first['bits_per_key']):.2f}", *times, f"{100 * float(first['fpr']):.4g}",
                                        f"{100 * float(first['predicted_fpr']):.4g}"]) + ' |')
    return '\n'.join(lines) + '\n'


def main():
    with open(DOCUMENT) as file:
        old = file.read()
    new = PLACE.sub(lambda place: place[1] + table(place[2], int(place[3]), float(place[4]), place[5]) + place[7], old)
    if '--check' in sys.argv[1:]:
        if new != old:
            sys.exit('doc/benchmarks.md: a table is not what bench/results says; run tools/benchmark_tables.py')
        print(f'{len(PLACE.findall(old))} tables agree with bench/results')
        return
    with open(DOCUMENT, 'w') as file:
        file.write(new)


main()
