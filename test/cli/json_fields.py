#!/usr/bin/env python3
"""doc/json.md describes exactly the fields that every --json output prints, with their types."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, SOURCE, check, commands, finish, must, numbers, run, scratch  # noqa: E402

scratch()
must('build', '-q', '-o', 'seen.mbr', '--label', 'source=a test', '--keys', '2000', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'grows.mbr', '--grow-to', '10k', stdin=numbers(1, 1000))
must('build', '-q', '-o', 'none.mbr', '--key', KEY, '--allow-empty', stdin=b'')
with open('keys', 'wb') as file:
    file.write(b'1 2\n\xff\n')
must('count', 'build', '-q', '-o', 'counts.mbr', '--label', 'a=b', stdin=b'a\nb\na\n')
must('count', 'build', '-q', '-o', 'counts2.mbr', stdin=b'a\n')
with open('one', 'wb') as file:
    file.write(b'a\n')

OUTPUTS = {
    'membrane plan --json': [['plan', '--json', '--keys', '1M', '--fpr', '1%', '--static'], ['plan', '--json', '--keys', '1M', '--fpr', '1e-18'],
                             ['plan', '--json', '--keys', '1k', '--max-bytes', '100', '--reads', '1.5', '--worst-reads', '2'],
                             ['plan', '--json', '--max-bytes', '1MB', '--bits-per-key', '12'],
                             ['plan', '--json', '--keys', '1M', '--fpr', '1%', '--grow-to', '1G']],
    'membrane info --json': [['info', '--json', 'seen.mbr'], ['info', '--json', 'none.mbr'], ['info', '--json', 'grows.mbr'],
                             ['info', '--json', '--show-key', 'seen.mbr']],
    'membrane info --json of a count file': [['info', '--json', 'counts.mbr'], ['info', '--json', '--show-key', 'counts.mbr']],
    'membrane verify --json': [['verify', '--json', '--probes', '1000', 'seen.mbr']],
    'membrane verify --json of a count file': [['verify', '--json', '--probes', '0', 'counts.mbr'], ['verify', '--json', '--probes', '1000', 'counts.mbr']],
    'membrane build --json': [['build', '-q', '--json', '-o', 'made.mbr', '--force', '--headroom', '20%']],
    'membrane add --json': [['add', '-q', '--json', 'grows.mbr']],
    'membrane merge --json': [['merge', '-q', '--json', '-o', 'merged.mbr', '--force', 'seen.mbr', 'seen.mbr']],
    'membrane shrink --json': [['shrink', '-q', '--json', 'grows.mbr', '--fit']],
    'membrane compare --json': [['compare', '--json', 'grows.mbr', 'grows.mbr']],
    'membrane query --json': [['query', '--json', 'seen.mbr', '--each-token', 'keys'], ['query', '--json', '--invert', 'seen.mbr', 'keys']],
    'membrane query --count --json': [['query', '-c', '--json', 'seen.mbr']],
    'membrane count add --json': [['count', 'add', '-q', '--json', '--top-every', '1', 'counts2.mbr', 'one']],
    'membrane count merge --json': [['count', 'merge', '-q', '--json', '-o', 'merged.mbr', '--force', 'counts.mbr', 'counts.mbr']],
    'membrane count info --json': [['count', 'info', '--json', 'counts.mbr'], ['count', 'info', '--json', '--show-key', 'counts.mbr']],
    'membrane count top --json': [['count', 'top', '--json', 'counts.mbr']],
    'membrane kinds --json': [['kinds', '--json']],
    'membrane model --json': [['model', '--json'], ['model', 'single', '--json']],
    'membrane model MODEL PARAMETER=VALUE --json': [['model', 'lower_bound', 'a=1', 'r=8', '--json'], ['model', 'bloom', 'n=1000', 'm=8000', '--json']],
    'membrane lab --json': [['lab', '--json']],
    'membrane bench --json': [['bench', '--json', '--rounds', '1', '--keys', '1k', '--kind', 'rank'], ['bench', '--json', '--rounds', '1', '--keys', '1k', '--bits-per-key', '12'],
                              ['bench', '--json', '--rounds', '1', '--kind', 'bloom', '-']],
    'membrane lab NAME --json': [['lab', '--json', '--trials', '1', 'balanced_fig5', 'rank_table1', 'rank_table3', 'rank_table5']],
}
# Objects whose names are data: the parameters of the kind, the outputs of the model.
FREE_NAMES = {('membrane info --json of a count file', 'parameters'), ('membrane count info --json', 'parameters'), ('membrane info --json', 'parameters'), ('membrane build --json', 'parameters'), ('membrane plan --json', 'candidates[].filter.parameters'), ('membrane bench --json', 'tables[].rows[].parameters'), ('membrane model MODEL PARAMETER=VALUE --json', '')}


def type_of(value):
    for name, kind in (('boolean', bool), ('integer', int), ('number', float), ('string', str), ('null', type(None))):
        if isinstance(value, kind):
            return name
    return 'object' if isinstance(value, dict) else 'array'


def fields_of(title, value, path, found):
    if isinstance(value, dict):
        for name, inner in value.items():
            shown = 'NAME' if (title, path) in FREE_NAMES else name
            here = f'{path}.{shown}' if path else shown
            found.setdefault(here, set()).add(type_of(inner))
            fields_of(title, inner, here, found)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, (dict, list)):
                fields_of(title, inner, path + '[]', found)
            else:
                found.setdefault(path + '[]', set()).add(type_of(inner))


def documented(text):
    sections, title = {}, None
    for line in text.splitlines():
        if heading := re.match(r'## `(.*)`$', line):
            title = heading.group(1)
            sections[title] = {}
        elif (row := re.match(r'\| `([^`]+)` \| ([^|]+) \|', line)) and title:
            sections[title][row.group(1)] = {kind.strip() for kind in row.group(2).split(' or ')}
    return sections


with open(os.path.join(SOURCE, 'doc/json.md'), encoding='utf-8') as file:
    sections = documented(file.read())
check('a section for every --json output', sorted(sections) == sorted(OUTPUTS), f'{sorted(sections)}')
for title, examples in OUTPUTS.items():
    found = {}
    for command in examples:
        outcome = run(*command, stdin=b'1\n')
        documents = outcome.out.splitlines() if title in ('membrane query --json', 'membrane count add --json') else [outcome.out]
        for document in documents:
            fields_of(title, json.loads(document), '', found)
    wanted = sections.get(title, {})
    check(f'{title}: the same {len(wanted)} fields', sorted(found) == sorted(wanted), f'differ: {sorted(set(found) ^ set(wanted))}')
    for name, types in sorted(found.items()):
        allowed = wanted.get(name, types)
        numbers_allowed = allowed | ({'integer'} if 'number' in allowed else set())
        if not types <= numbers_allowed:
            check(f'{title}: {name} is {" or ".join(sorted(allowed))}', False, str(types))

print('every command that has --json is among them')
for words in commands():
    command = ' '.join(words)
    has_json = b'--json' in must(*words, '--help').out.split(b'Examples:')[0]
    is_documented = any(title.startswith(f'membrane {command} ') for title in OUTPUTS)
    check(f'{command}: {"documented" if has_json else "has none"}', has_json == is_documented)
finish()
