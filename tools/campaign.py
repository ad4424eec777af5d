#!/usr/bin/env python3
"""The long campaign, `./dev campaign`: what is wanted of each part, what was reached and when. doc/campaign.csv is the only record: a run
goes on where the last one ended, and writes there what it adds.

usage: tools/campaign.py list
       tools/campaign.py targets NAME          the build folders and targets that the parts of a campaign need
       tools/campaign.py run NAME [--for SECONDS[s]] [--count N] [--part TEXT]
       tools/campaign.py document              write the table of doc/testing.md
       tools/campaign.py check                 is that table what doc/campaign.csv says? (a test)

A part's command does `each` units of work in one run. In it {seed} is a number that differs from run to run, {count} the units, {done} those
that were reached before. A command counts only if it ends with 0 and did something: a test that was skipped, or was not found, is none.
"""
import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TABLE = SOURCE / 'doc/campaign.csv'
DOCUMENT = SOURCE / 'doc/testing.md'
LOGS = SOURCE / 'build-campaign'
FIELDS = ['name', 'part', 'unit', 'wanted', 'each', 'reached', 'date', 'build', 'command', 'remark']

TITLES = {
    'R1': 'every decoder fuzzed, ASan and UBSan, checksums repaired; the lines of the decoders that the corpora reach',
    'R2': 'memory under fuzz: at most 64 MiB and four times the input, in the whole process',
    'R3': 'every byte of a file of each kind changed to every value, also with repaired checksums; every bit of 1 MiB',
    'R4': 'kill -9 of the tool, the server, nodes of a cluster',
    'R5': 'the n-th call of the system fails, for every n, in every command and every public call',
    'R6': 'random operations beside an exact multiset',
    'R7': 'every number of keys to 20,000; arrays above 2^33 bits',
    'R8': 'targets, WebAssembly and languages give the same answers and bytes',
    'R9': 'golden files on other machines',
    'R10': 'threads',
    'R11': 'an adversary who chooses keys',
    'R12': 'static checks',
}
BEGIN, END = '<!-- made by tools/campaign.py document -->', '<!-- end -->'


def read_parts():
    with TABLE.open(newline='') as file:
        return list(csv.DictReader(file))


def write_parts(parts):
    """Whole or not at all: the machine may be shut down."""
    new = TABLE.with_suffix('.csv.new')
    with new.open('w', newline='') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(parts)
    new.replace(TABLE)


def is_done(part):
    return float(part['reached'] or 0) >= float(part['wanted'])


def number_text(number):
    number = float(number)
    return f'{number:.0f}' if number < 1e5 else f'{number:.3g}'.replace('e+0', 'e')


def list_parts():
    parts = read_parts()
    width = max(len(part['part']) for part in parts)
    for part in parts:
        state = 'done   ' if is_done(part) else 'partly ' if float(part['reached'] or 0) else 'not run'
        print(f'{state}  {part["name"]:4} {part["part"]:{width}} {number_text(part["reached"] or 0):>9} of {number_text(part["wanted"]):>9} '
              f'{part["unit"]:12} {part["date"]:10}  {part["remark"]}'.rstrip())


def amount_of(units, output):
    """Units that a run did: what its output says, otherwise what it was asked for. 0 if no test ran."""
    for pattern in (r'stat::number_of_executed_units: *(\d+)', r'(\d+) executions, clean', r'^(?:\d+: )?(\d+) faults$', r'^(\d+) wasm keys$',
                    r'^(\d+)\.\d+ % of the lines of all decoders$'):
        if found := re.findall(pattern, output, re.M):
            return sum(map(int, found))
    if re.search(r'^\[=+\] Running 0 tests|^\[  SKIPPED \]|\*\*\*Skipped|\(Skipped\)|\(Not Run\)', output, re.M):
        return 0
    return units


def texts_of(parts, of_part):
    """What each unit sums up to, over the parts of a campaign."""
    sums = {}
    for part in parts:
        sums[part['unit']] = sums.get(part['unit'], 0) + float(of_part(part) or 0)
    return ', '.join(f'{number_text(value)} {unit}' for unit, value in sums.items())


def table_text():
    """A line for each campaign: its parts summed up. What exceeds a part's wish does not stand in for another part."""
    rows = ['| | what | wanted | reached | parts done | last run |', '|---|---|---|---|---|---|']
    parts = read_parts()
    for name in dict.fromkeys(part['name'] for part in parts):
        own = [part for part in parts if part['name'] == name]
        reached = texts_of(own, lambda part: min(float(part['reached'] or 0), float(part['wanted'])))
        date = max((part['date'].removeprefix('to ') for part in own), default='')
        done = sum(map(is_done, own))
        rows.append(f'| {name} | {TITLES[name]} | {texts_of(own, lambda part: part["wanted"])} | {reached} | {done} of {len(own)} | {date} |')
    return '\n'.join(rows)


def written_document():
    """(doc/testing.md as it is, as it should be)"""
    text = DOCUMENT.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text, f'{text[:begin]}\n{table_text()}\n{text[end:]}'


def run_once(part, count):
    """One run of a part's command; the units it did, or None if it failed."""
    reached = int(float(part['reached'] or 0))
    each = int(float(part['each']))
    units = each if count is None else min(each, count)
    command = part['command'].replace('{count}', str(units)).replace('{seed}', str(reached // each + 1)).replace('{done}', str(reached))
    name = re.sub(r'\W+', '-', f'{part["name"]} {part["part"]}')
    LOGS.mkdir(exist_ok=True)
    log = LOGS / f'{name}.log'
    print(f'{part["name"]} {part["part"]}: {command}', flush=True)
    start = time.monotonic()
    done = subprocess.run(['bash', '-e', '-o', 'pipefail', '-c', command], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', check=False, env={**os.environ, 'MEMBRANE_LONG': '1'})
    log.write_text(done.stdout)
    if done.returncode != 0:
        print(done.stdout[-3000:])
        print(f'  FAILED with {done.returncode} after {time.monotonic() - start:.0f} s; all it said: {log.relative_to(SOURCE)}', flush=True)
        return None
    return amount_of(units, done.stdout)


def run(name, seconds, count, only):
    parts = [part for part in read_parts() if part['name'] == name and only in part['part']]
    if not parts:
        sys.exit(f'dev: campaign: no {name!r} {only!r}; `./dev campaign` lists them')
    end = None if seconds is None else time.monotonic() + seconds
    failed = False
    for wanted in parts:
        left = count
        while True:
            # Others may have written meanwhile.
            all_parts = read_parts()
            part = next(each for each in all_parts if (each['name'], each['part']) == (name, wanted['part']))
            if is_done(part) or left == 0 or (end is not None and time.monotonic() >= end):
                break
            did = run_once(part, left)
            if did is None:
                failed = True
                break
            if did == 0:
                print('  nothing was done: no test ran, or nothing is left', flush=True)
                failed = failed or int(float(part['reached'] or 0)) == 0
                break
            all_parts = read_parts()
            part = next(each for each in all_parts if (each['name'], each['part']) == (name, wanted['part']))
            is_share = part['unit'].startswith('% ')  # measured once, not summed up
            if is_share:
                part['reached'] = '0'
            part['reached'] = str(int(float(part['reached'] or 0)) + did)
            part['date'] = datetime.date.today().isoformat()
            write_parts(all_parts)
            DOCUMENT.write_text(written_document()[1])
            print(f'  {number_text(part["reached"])} of {number_text(part["wanted"])} {part["unit"]}', flush=True)
            if left is not None:
                left = max(0, left - did)
            if is_share:
                break
    return 1 if failed else 0


def main():
    arguments = sys.argv[1:]
    if arguments == ['list']:
        list_parts()
        return 0
    if arguments in (['document'], ['check']):
        found, expected = written_document()
        if arguments == ['document']:
            DOCUMENT.write_text(expected)
        elif found != expected:
            sys.exit('doc/testing.md: its table is not what doc/campaign.csv says; run tools/campaign.py document')
        return 0
    if len(arguments) == 2 and arguments[0] == 'targets':
        for target in sorted({target for part in read_parts() if part['name'] == arguments[1] for target in part['build'].split()}):
            print(target.replace(':', ' '))
        return 0
    if len(arguments) < 2 or arguments[0] != 'run':
        sys.exit(__doc__)
    options = {'--for': None, '--count': None, '--part': ''}
    rest = arguments[2:]
    while rest:
        if rest[0] not in options or len(rest) < 2:
            sys.exit(f'dev: campaign: not understood: {rest[0]}')
        options[rest[0]] = rest[1]
        rest = rest[2:]
    seconds = None if options['--for'] is None else float(options['--for'].rstrip('s'))
    count = None if options['--count'] is None else int(float(options['--count']))
    return run(arguments[1], seconds, count, options['--part'])


if __name__ == '__main__':
    sys.exit(main())
