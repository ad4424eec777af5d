#!/usr/bin/env python3
"""check_layers.py [ROOT]: who may include whom, checked over every file.

Rooms are the folders of include/membrane and, under the same names, of src: src/format is the compiled half of the room
`format` and obeys the same row. The table is the design; a new room or a new door is added here on purpose, never by accident.
Exit 1 and one line per offence. A cycle between files is an offence, and so is a source file that cmake/sources.cmake does not
list.
"""
import os
import re
import sys

import list_sources

MAY_INCLUDE = {
    'base': set(),
    'hash': {'base'},
    'spec': {'base'},
    'model': {'base'},
    'part': {'base', 'hash', 'spec'},
    'kind': {'base', 'hash', 'spec', 'part'},
    'table': {'base', 'hash', 'part'},
    'format': {'base', 'hash', 'spec'},
    'plan': {'base', 'spec', 'model'},
    'kind plan': {'base', 'spec', 'model', 'plan', 'part', 'kind', 'runtime'},
    'runtime': {'base', 'hash', 'spec', 'part', 'kind', 'format', 'plan'},
    'filter': {'base', 'hash', 'spec', 'part', 'kind', 'format', 'plan', 'runtime'},
    'plot': {'base'},
    'report': {'base', 'hash', 'spec', 'part', 'kind', 'format', 'plan', 'runtime'},
    # The C library; its header is include/membrane/membrane.h.
    'c': {'base', 'hash', 'spec', 'part', 'kind', 'format', 'plan', 'runtime', 'filter', 'report'},
    'lab': {'base', 'hash', 'spec', 'part', 'kind', 'model', 'plan', 'runtime', 'plot'},
    # The extension of Python sees the C interface alone.
    'python': set(),
    'timing': {'base', 'hash', 'spec', 'part', 'kind', 'plan', 'runtime'},
    'redis': {'base', 'hash', 'spec', 'part', 'kind', 'format', 'plan', 'runtime'},
}
# Top-level folders that obey the table but are no part of the library: rooms of the tool, and adapters to engines.
TOOL_ROOMS = {'plot', 'report', 'lab', 'timing', 'redis', 'python'}
# Folders that stand outside the house and may enter by any door.
GUESTS = {'cli', 'web', 'test', 'fuzz', 'bench', 'example'}
UMBRELLA = 'umbrella'
C_HEADER = 'include/membrane/membrane.h'
C_STANDARD = {'stdbool.h', 'stddef.h', 'stdint.h'}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
THIRD_PARTY_IN_HEADERS = {'xxhash.h'}
POSIX = re.compile(r'^(sys/|unistd\.h|fcntl\.h|errno\.h|pthread\.h|emmintrin\.h|immintrin\.h|arm_neon\.h)')


def room_of(path):
    parts = path.split('/')
    if parts[0] == 'include':
        return UMBRELLA if len(parts) == 3 else parts[2]
    if parts[0] == 'src':
        # src/kind holds the plans, which ask the models, and the tables of operations; include/membrane/kind does neither.
        return UMBRELLA if len(parts) == 2 else 'kind plan' if parts[1] == 'kind' else parts[1]
    return parts[0]


def source_files(root):
    for top in ('include', 'src', *sorted(TOOL_ROOMS), *sorted(GUESTS)):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(('.hpp', '.h', '.cpp', '.cc')):
                    yield os.path.relpath(os.path.join(folder, name), root)


def resolve(included, includer, known):
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), included))
    for candidate in (beside, included, 'include/' + included, 'src/' + included, 'cli/' + included, 'test/' + included):
        if candidate in known:
            return candidate
    return None


def offence(includer, included, target):
    """Why `includer` must not say #include <included>, or None."""
    here = room_of(includer)
    if here in GUESTS:
        return None
    if target is None:
        if included.startswith('membrane/'):
            return 'no such header'
        if not includer.startswith('include/'):
            return None
        foreign = '/' in included or included.endswith('.h')
        if includer == C_HEADER and included in C_STANDARD:
            return None
        if foreign and included not in THIRD_PARTY_IN_HEADERS and not POSIX.match(included):
            return 'public headers use the standard library and xxhash.h only'
        return None
    there = room_of(target)
    if includer.startswith('include/') and not target.startswith('include/'):
        return 'a public header may not include a private one'
    if target == 'include/membrane/version.hpp' or target == C_HEADER and here in ('c', 'python') or here == there or here == UMBRELLA:
        return None
    if there == UMBRELLA:
        return 'the umbrella is for users of the library'
    if here not in MAY_INCLUDE:
        return f'room `{here}` is not in the table of tools/check_layers.py'
    if there not in MAY_INCLUDE[here]:
        return f'`{here}` may include only: {", ".join(sorted(MAY_INCLUDE[here])) or "nothing"}'
    return None


def find_cycle(edges):
    """A list of files that include each other in a ring, or None."""
    done, path = set(), []

    def visit(file):
        if file in path:
            return path[path.index(file):] + [file]
        if file in done:
            return None
        path.append(file)
        for target in edges.get(file, ()):
            ring = visit(target)
            if ring:
                return ring
        path.pop()
        done.add(file)
        return None

    for file in sorted(edges):
        ring = visit(file)
        if ring:
            return ring
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else '.'
    files = list(source_files(root))
    known = set(files)
    edges, complaints = {}, []
    for file in files:
        with open(os.path.join(root, file), encoding='utf-8') as handle:
            for number, line in enumerate(handle, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = resolve(match.group(2), file, known)
                if target:
                    edges.setdefault(file, []).append(target)
                reason = offence(file, match.group(2), target)
                if reason:
                    complaints.append(f'{file}:{number}: #include {match.group(2)}: {reason}')
    ring = find_cycle(edges)
    if ring:
        complaints.append('cycle: ' + ' -> '.join(ring))
    complaints += list_sources.differences(root)
    for complaint in complaints:
        print(complaint)
    print(f'layers: {len(files)} files, {sum(map(len, edges.values()))} includes, {len(complaints)} offences')
    sys.exit(1 if complaints else 0)


if __name__ == '__main__':
    main()
