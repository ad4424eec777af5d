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
    environment = {**os.environ, 'MEMBRANE_KERNEL': level}
    return subprocess.run([TOOL, 'query', file, keys], env=environment, check=True, stdout=subprocess.PIPE).stdout


def same_answers(asked):
    scratch()
    members = 100_000
    with open('members', 'wb') as file:
        file.write(numbers(1, members))
    kinds = [kind['name'] for kind in json.loads(must('kinds', '--json').out)]
    part = 10_000_000
    for kind in kinds:
        for shape in SHAPES.get(kind, [kind]):
            for fpr in ('1%', '0.01%'):
                must('build', '-q', '--force', '-o', 'f.mbr', '--kind', shape, '--fpr', fpr, '--key', KEY, 'members')
                found = 0
                same = True
                for first in range(1, asked + 1, part):
                    with open('asked', 'wb') as file:
                        file.write(numbers(first, min(first + part - 1, asked)))
                    vector, portable = answers('best', 'f.mbr', 'asked'), answers('scalar', 'f.mbr', 'asked')
                    same = same and vector == portable
                    found += vector.count(b'\n')
                check(f'{shape} at {fpr}: {asked:,} keys, {found:,} of them perhaps present, answered alike', same and found >= members)
    finish()
