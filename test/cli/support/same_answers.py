"""The vector kernels and the portable code give the same answers, for every kind and several shapes of it."""
import json
import os
import subprocess

from tool import KEY, TOOL, check, finish, must, numbers, scratch

# Shapes that take other paths through a kernel than the planner's default does.
SHAPES = {'bloom': ['bloom', 'bloom:probes=enhanced', 'bloom:probes=independent'],
          'counting_bloom': ['counting_bloom', 'counting_bloom:probes=enhanced'],
          'blocked_bloom': ['blocked_bloom', 'blocked_bloom:block_bits=256', 'blocked_bloom:k=15'],
          'balanced_bloom': ['balanced_bloom', 'balanced_bloom:block_bits=256', 'balanced_bloom:block_bits=128'],
          'balanced_rank': ['balanced_rank', 'balanced_rank:form=erasable']}


def answers(level, file, keys):
    environment = {**os.environ, 'MEMBRANE_TARGET': level}
    return subprocess.run([TOOL, 'query', file, keys], env=environment, check=True, stdout=subprocess.PIPE).stdout


def same_answers(asked):
    scratch()
    members = 100_000
    with open('members', 'wb') as file:
        file.write(numbers(1, members))
    kinds = [kind['name'] for kind in json.loads(must('kinds', '--json').out)]
    shapes = [shape for kind in kinds for shape in SHAPES.get(kind, [kind])]
    filters = [(shape, fpr, f'{number}-{fpr}.mbr') for number, shape in enumerate(shapes) for fpr in ('1%', '0.01%')]
    for shape, fpr, file in filters:
        must('build', '-q', '-o', file, '--kind', shape, '--fpr', fpr, '--key', KEY, 'members')
    found = {file: 0 for _, _, file in filters}
    other = set()
    part = 10_000_000
    for first in range(1, asked + 1, part):
        with open('asked', 'wb') as file:
            file.write(numbers(first, min(first + part - 1, asked)))
        for _, _, file in filters:
            vector, portable = answers('best', file, 'asked'), answers('portable', file, 'asked')
            if vector != portable:
                other.add(file)
            found[file] += vector.count(b'\n')
    for shape, fpr, file in filters:
        check(f'{shape} at {fpr}: {asked:,} keys, {found[file]:,} of them perhaps present, answered alike',
              file not in other and found[file] >= members)
    finish()
