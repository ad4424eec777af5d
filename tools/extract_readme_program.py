#!/usr/bin/env python3
"""extract_readme_program.py README.md OUT.cpp: writes the C++ program of the README to a file, so that the build can compile it.

A program is a ```cpp block with a main(). There must be exactly one; #line makes compiler messages point into the README.
"""
import os
import re
import sys

BLOCK = re.compile(r'^```(?:cpp|c\+\+)[^\n]*\n(.*?)^```', re.MULTILINE | re.DOTALL)


def main():
    readme, out = sys.argv[1:3]
    with open(readme, encoding='utf-8') as file:
        text = file.read()
    programs = [m for m in BLOCK.finditer(text) if re.search(r'\bint main\s*\(', m.group(1))]
    if len(programs) != 1:
        sys.exit(f'{readme}: {len(programs)} C++ programs, expected 1')
    first_line = text.count('\n', 0, programs[0].start(1)) + 1
    with open(out, 'w', encoding='utf-8') as file:
        file.write(f'#line {first_line} "{os.path.abspath(readme)}"\n{programs[0].group(1)}')


if __name__ == '__main__':
    main()
