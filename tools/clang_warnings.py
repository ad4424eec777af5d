#!/usr/bin/env python3
"""Reads the tool, the C library, the extension of Python and the module by clang, with every warning of the builds as an error. Other builds
compile them by g++ alone. Nothing is made: the commands are those of the build folder's compile_commands.json.

usage: tools/clang_warnings.py FOLDER
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TARGETS = re.compile(r'CMakeFiles/(membrane|membrane_cli\w*|membrane_c_objects|membrane_python\w*|membrane_redis\w*|membrane_report|membrane_plot|membrane_lab|'
                     r'membrane_catalog|membrane_timing)\.dir/')
# g++ knows them and clang does not.
UNKNOWN = {'-fno-gnu-unique', '-mno-vzeroupper'}


def problem_of(entry):
    words = [word for word in shlex.split(entry['command']) if word not in UNKNOWN]
    at = words.index('-o')
    command = ['clang++' if entry['file'].endswith(('.cpp', '.cxx')) else 'clang', *words[1:at], *words[at + 2:], '-fsyntax-only', '-Werror']
    done = subprocess.run(command, cwd=entry['directory'], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ''


def main():
    entries = [each for each in json.loads((pathlib.Path(sys.argv[1]) / 'compile_commands.json').read_text()) if TARGETS.search(each['command'])]
    if not entries:
        sys.exit(f'{sys.argv[1]}: nothing to read')
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', os.cpu_count()))) as pool:
        problems = [text for text in pool.map(problem_of, entries) if text]
    for text in problems:
        print(text)
    print(f'{len(entries)} units read by clang, {len(problems)} with warnings')
    return 1 if problems else 0


sys.exit(main())
