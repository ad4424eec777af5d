#!/usr/bin/env python3
"""Every example of redis/README.md gives the reply that is printed there."""
import os
import re
import shutil
import subprocess

from support.server import served


def examples():
    with open(os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'redis', 'README.md'), encoding='utf-8') as file:
        for block in re.findall(r'```redis\n(.*?)```', file.read(), re.S):
            for example in re.findall(r'^> (.*)\n((?:(?!> ).*\n)*)', block, re.M):
                yield example


def main():
    count = 0
    with served() as (server, _):
        for command, wanted in examples():
            done = subprocess.run([shutil.which('redis-cli'), '--no-raw', '-p', str(server.port), *command.split()], capture_output=True, text=True, check=True)
            assert done.stdout == wanted, f'{command}\nprinted: {wanted}\ngot: {done.stdout}'
            count += 1
    assert count >= 30, count
    print(f'{count} examples')


main()
