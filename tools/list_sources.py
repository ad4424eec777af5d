#!/usr/bin/env python3
"""list_sources.py [ROOT] [--check]: writes cmake/sources.cmake, the list of every .cpp file, from the tree.

Run it after adding, moving or removing a .cpp file. --check writes nothing: it prints every difference between the list and the
tree and exits with 1 if there is one. CMake reads a list instead of globbing, so that a forgotten file is an error message, and
a build does not search the tree.

A room is a folder of at most two levels: src/model and everything below it is the room src_model. sources_of_<room> are its
files; sources_of_<top folder> are the files of all its rooms; rooms_of_test names the rooms of the tests.
"""
import os
import re
import sys

TOP_FOLDERS = ('src', 'plot', 'report', 'lab', 'timing', 'cli', 'redis', 'python', 'web', 'bench', 'fuzz', 'example', 'test')
LIST_FILE = 'cmake/sources.cmake'
# A project of its own that tests build from outside; a program of the tests of the package for Python.
NOT_LISTED = {'test/install', 'test/python'}
HEADING = """\
# Every source file, one list per room, sorted. Written by tools/list_sources.py: run it after adding, moving or removing a file.
"""


def room_of(path):
    return '_'.join(path.split('/')[:-1][:2])


def sources_in(root):
    """Every .cpp file under the top folders, relative to the root, sorted."""
    found = []
    for top in TOP_FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith('.cpp') and '/'.join(path.split('/')[:2]) not in NOT_LISTED:
                    found.append(path)
    return sorted(found)


def list_text(paths):
    rooms = {}
    for path in paths:
        rooms.setdefault(room_of(path), []).append(path)
    lines = [HEADING]
    for top in TOP_FOLDERS:
        inner = sorted(room for room in rooms if room.startswith(top + '_'))
        for room in inner:
            lines.append(f'set(sources_of_{room}\n  ' + '\n  '.join(rooms[room]) + '\n)\n')
        parts = rooms.get(top, []) + [f'${{sources_of_{room}}}' for room in inner]
        if parts:
            lines.append(f'set(sources_of_{top}\n  ' + '\n  '.join(parts) + '\n)\n')
    tests = sorted(room[len('test_'):] for room in rooms if room.startswith('test_'))
    lines.append('set(rooms_of_test\n  ' + '\n  '.join(tests) + '\n)\n')
    return '\n'.join(lines)


def differences(root):
    """What is wrong with the list, one sentence each; empty if it is what this script would write."""
    paths = sources_in(root)
    try:
        with open(os.path.join(root, LIST_FILE), encoding='utf-8') as handle:
            text = handle.read()
    except FileNotFoundError:
        return [f'{LIST_FILE} is missing: run tools/list_sources.py']
    listed = re.findall(r'^  ([^\s$)]+\.cpp)\)?$', text, re.MULTILINE)
    found = [f'{path} is not in {LIST_FILE}: run tools/list_sources.py' for path in paths if path not in set(listed)]
    found += [f'{LIST_FILE} lists {path}, which does not exist: run tools/list_sources.py'
              for path in listed if path not in set(paths)]
    if not found and text != list_text(paths):
        found.append(f'{LIST_FILE} is not sorted or was edited by hand: run tools/list_sources.py')
    return found


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != '--check']
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    if '--check' in sys.argv[1:]:
        found = differences(root)
        print('\n'.join(found) or f'{LIST_FILE} is right')
        sys.exit(1 if found else 0)
    with open(os.path.join(root, LIST_FILE), 'w', encoding='utf-8') as handle:
        handle.write(list_text(sources_in(root)))


if __name__ == '__main__':
    main()
