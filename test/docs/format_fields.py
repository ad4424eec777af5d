#!/usr/bin/env python3
"""The tables of fields in doc/format.md against the rules that the library checks: same fields in the same order, same limits, same names.

A cell gives the limits as "1 to 2^56", as "256 or 512", or as the choices "0 `set`, 1 `counting`"; a row of several fields gives
them once, or once for each field in order. What follows is for people.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

TOOL, SOURCE = os.environ['MEMBRANE'], pathlib.Path(os.environ['MEMBRANE_SOURCE_DIR'])
NUMBER = r'(\d+(?:\^\d+)?(?: - \d+)?)'


def number(text):
    power, _, less = text.partition(' - ')
    base, _, exponent = power.partition('^')
    return int(base) ** int(exponent or 1) - int(less or 0)


def limits_of(cell, fields):
    """(least, most, names of the choices) of each of so many fields."""
    ranges = [(number(a), number(b), []) for a, b in re.findall(rf'\b{NUMBER} to {NUMBER}', cell)]
    if not ranges:
        choices = re.findall(r'(\d+) (?:`(\w+)`|(no|yes)\b)', cell)
        if choices:
            assert [int(value) for value, _, _ in choices] == list(range(len(choices))), cell
            ranges = [(0, len(choices) - 1, [quoted or plain for _, quoted, plain in choices])]
        else:
            values = re.match(rf'((?:{NUMBER}, )*{NUMBER} or {NUMBER})', cell)
            assert values, f'no limits in: {cell}'
            listed = [number(value) for value in re.findall(NUMBER, values[1])]
            ranges = [(min(listed), max(listed), [])]
    if len(ranges) < fields:
        assert len(ranges) == 1, cell
        ranges *= fields
    return ranges[:fields]


def documented_kinds():
    """Name of a kind -> [(field name, least, most, choices)]."""
    kinds, heading, rows = {}, None, []
    for line in (SOURCE / 'doc/format.md').read_text().splitlines():
        if line.startswith('## '):
            heading = re.match(r'## Kinds? [\d and]+: `(\w+)`(?: and `(\w+)`)?', line)
        cells = [cell.strip() for cell in line.strip('| ').split(' | ')] if line.startswith('|') else []
        if not heading or not cells or not re.fullmatch(r'\d+(, \d+)*', cells[0]):
            continue
        for column in range(1 if heading[2] is None else 2):
            fields = kinds.setdefault(heading[1 + column], [])
            names = re.findall(r'`(\w+)`', cells[1 + column])
            assert [int(place) for place in cells[0].split(', ')] == list(range(len(fields), len(fields) + len(names))), line
            if elsewhere := re.match('as in `(\\w+)`', cells[-1]):
                fields += [next(field for field in kinds[elsewhere[1]] if field[0] == name) for name in names]
            else:
                fields += [(name, *limits) for name, limits in zip(names, limits_of(cells[-1], len(names)), strict=True)]
    return kinds


def main():
    library = json.loads(subprocess.run([TOOL, 'kinds', '--json'], capture_output=True, check=True).stdout)
    documented = documented_kinds()
    differences = 0
    for kind in library:
        rules = [(rule['name'], rule['least'], rule['most'], rule['choices']) for rule in kind['parameters']]
        said = documented.pop(kind['name'], [])
        for rule, found in zip(rules + [None] * (len(said) - len(rules)), said + [None] * (len(rules) - len(said)), strict=True):
            if rule != found:
                print(f'{kind["name"]}: the library checks {rule}, doc/format.md says {found}')
                differences += 1
    if documented:
        print(f'kinds that only doc/format.md knows: {", ".join(documented)}')
    print(f'{len(library)} kinds, {sum(len(kind["parameters"]) for kind in library)} fields, {differences} differences')
    sys.exit(1 if differences or documented else 0)


main()
