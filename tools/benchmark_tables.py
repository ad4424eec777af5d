#!/usr/bin/env python3
"""Writes the tables of doc/benchmarks.md from the numbers under bench/results.

A table is between a marker line and `<!-- end -->`; the rest of the document is not changed:
    <!-- bench FILE keys=N fpr=P unit=ns|reads -->    one row for each filter, least ns or median line reads
    <!-- short FILE keys=N fpr=P -->                  the filters that most readers compare, in four columns
    <!-- hashes FILE -->                              lookups by hash function and length of the keys
    <!-- instructions FILE -->                        instructions per operation, avx2 and portable
`--check` changes nothing and fails if a table differs from its file.
"""
import csv
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DOCUMENT = os.path.join(ROOT, 'doc', 'benchmarks.md')
COLUMNS = ['bulk', 'bulk.2thr', 'ins.batch', 'insert', 'erase', 'again', 'erase.batch', 'again.batch', 'hit', 'miss', 'hit.batch', 'miss.batch', 'miss.2thr']
INSTRUCTION_COLUMNS = ['ins.batch', 'insert', 'erase', 'erase.batch', 'hit', 'miss', 'hit.batch', 'miss.batch']
SHORT_COLUMNS = {'insert': 'insert', 'lookup (absent)': 'miss', 'lookup in a batch': 'miss.batch'}
SHORT_ROWS = ['blocked_bloom', 'balanced_rank', 'balanced_rank erasable', 'bloom', 'rocksdb bloom (keys)', 'rocksdb ribbon (keys)', 'libbloom (keys)']
PLACE = re.compile(r'(<!-- (bench|short|hashes|instructions) (\S+)([^>]*?) -->\n)(.*?)(<!-- end -->)', re.S)


def lines_of(name):
    with open(os.path.join(ROOT, 'bench', 'results', name), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(text for text in file if not text.startswith('#')))


def markdown(head, rows):
    return ''.join('| ' + ' | '.join(cells) + ' |\n' for cells in [head, *rows]).replace('\n', '\n' + '|---' * len(head) + '|\n', 1)


def cells_of(lines):
    """{row: {column: line}} in the order of the file."""
    rows = {}
    for line in lines:
        rows.setdefault(line['row'], {})[line['column']] = line
    return rows


def bench_table(name, keys, fpr, unit):
    keys, fpr = int(keys), float(fpr)
    field = {'ns': 'least_ns', 'reads': 'median_over_line_read'}[unit]
    digits = {'ns': 1, 'reads': 2}[unit]
    found = cells_of(line for line in lines_of(name) if int(line['keys']) == keys and float(line['planned_fpr']) == fpr)
    if not found:
        sys.exit(f'{name} has no rows with {keys} keys at {fpr}')
    columns = [column for column in COLUMNS if any(column in cells for cells in found.values())]
    rows = []
    for row, cells in found.items():
        first = next(iter(cells.values()))
        times = [f'{float(cells[column][field]):.{digits}f}' if column in cells else '' for column in columns]
        bits, rate = float(first['bits_per_key']), float(first['fpr'])
        rows.append([row, f'{bits:.2f}', *times, f'{100 * rate:.4g}', f"{100 * float(first['predicted_fpr']):.4g}",
                     f'{100 * (bits / -math.log2(rate) - 1):.0f}' if 0 < rate < 1 else ''])
    return markdown([f'{keys:,} keys, {100 * fpr:g} %', 'bits/key', *columns, 'FPR %', 'model %', 'over %'], rows)


def short_table(name, keys, fpr):
    found = cells_of(line for line in lines_of(name) if int(line['keys']) == int(keys) and float(line['planned_fpr']) == float(fpr))
    rows = []
    for row in SHORT_ROWS:
        if row not in found:
            continue
        cells = found[row]
        times = [f"{float(cells[column]['least_ns']):.1f}" if column in cells else '' for column in SHORT_COLUMNS.values()]
        first = next(iter(cells.values()))
        rows.append([row, f"{float(first['bits_per_key']):.1f}", f"{100 * float(first['fpr']):.2g}", *times])
    return markdown([f'{int(keys):,} keys', 'bits/key', 'FPR %', *(f'{title}, ns' for title in SHORT_COLUMNS)], rows)


def hashes_table(name):
    columns = ['ins.batch', 'insert', 'hit', 'miss', 'hit.batch', 'miss.batch']
    rows = [[row, *(f"{float(cells[column]['least_ns']):.1f}" for column in columns)] for row, cells in cells_of(lines_of(name)).items()]
    return markdown(['ns', *columns], rows)


def instructions_table(name):
    counts = {}
    for line in lines_of(name):
        counts.setdefault(line['row'], {}).setdefault(line['column'], {})[line['kernel']] = round(float(line['instructions']))
    rows = []
    for row, cells in counts.items():
        shown = []
        for column in INSTRUCTION_COLUMNS:
            avx2, portable = (cells.get(column, {}).get(kernel) for kernel in ('avx2', 'portable'))
            shown.append('' if avx2 is None else f'{avx2}' if avx2 == portable else f'{avx2} / {portable}')
        rows.append([row, *shown])
    return markdown(['instructions, avx2 / portable', *INSTRUCTION_COLUMNS], rows)


def table(place):
    maker = {'bench': bench_table, 'short': short_table, 'hashes': hashes_table, 'instructions': instructions_table}[place[2]]
    return place[1] + maker(place[3], **dict(word.split('=') for word in place[4].split())) + place[6]


def main():
    with open(DOCUMENT, encoding='utf-8') as file:
        old = file.read()
    new = PLACE.sub(table, old)
    if '--check' in sys.argv[1:]:
        if new != old:
            sys.exit('doc/benchmarks.md: a table is not what bench/results says; run tools/benchmark_tables.py')
        print(f'{len(PLACE.findall(old))} tables agree with bench/results')
        return
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write(new)


main()
