#!/usr/bin/env python3
"""Processes that open one file share its memory: 32 of them with a file of 100 MB take less than 150 MB together, with every page of it read.

Memory is the sum of what Linux calls PSS: a page that k processes share counts 1/k for each. Forked processes, as servers of Python start their
workers; and interpreters that start anew, of which each takes some megabytes also without this package.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import membrane

PROCESSES = 32
FILE_BYTES = 100_000_000
WAIT = "print('ready', flush=True); sys.stdin.read()"
OPEN = 'import sys, membrane; seen = membrane.open(sys.argv[1]); assert all(key in seen for key in range(50_000))'


def memory_of(process, path):
    """(PSS of the process, PSS of the mapped file in it), in bytes."""
    whole = of_file = 0
    is_file = False
    with open(f'/proc/{process}/smaps', encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if not words[0].endswith(':'):
                is_file = words[-1] == path
            elif words[0] == 'Pss:':
                whole += 1024 * int(words[1])
                of_file += 1024 * int(words[1]) * is_file
    return whole, of_file


class SharedMemory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'shared.mbr')
        seen = membrane.Filter(50_000_000, 0.001, kind="blocked_bloom")
        seen.update(range(50_000))
        seen.save(self.path)
        self.size = os.path.getsize(self.path)
        self.assertGreater(self.size, 0.95 * FILE_BYTES)

    def tearDown(self):
        self.folder.cleanup()

    def check_file(self, of_file):
        # Every page of the file is there, once.
        self.assertGreater(of_file, 0.95 * self.size)
        self.assertLess(of_file, 1.01 * self.size)

    def test_forked(self):
        ready, done = os.pipe(), os.pipe()
        children = []
        for _ in range(PROCESSES):
            child = os.fork()
            if child == 0:
                os.close(done[1])
                code = 1
                try:
                    seen = membrane.open(self.path)
                    if all(key in seen for key in range(50_000)):
                        os.write(ready[1], b'x')
                        os.read(done[0], 1)
                        code = 0
                finally:
                    os._exit(code)
            children.append(child)
        for _ in children:
            self.assertEqual(os.read(ready[0], 1), b'x')
        whole, of_file = (sum(each) for each in zip(*(memory_of(child, self.path) for child in children)))
        self.check_file(of_file)
        os.close(done[1])
        self.assertEqual([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children], [0] * PROCESSES)
        for end in (*ready, done[0]):
            os.close(end)
        print(f'{PROCESSES} forked processes: {whole / 1e6:.0f} MB together, {of_file / 1e6:.0f} of them the file', file=sys.stderr)
        self.assertLess(whole, 150_000_000)

    def interpreters(self, program):
        """The memory of so many interpreters that run the program."""
        processes = [subprocess.Popen([sys.executable, '-c', program, self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                     for _ in range(PROCESSES)]
        for process in processes:
            self.assertEqual(process.stdout.readline(), b'ready\n')
        memory = [memory_of(process.pid, self.path) for process in processes]
        for process in processes:
            process.communicate()
            self.assertEqual(process.returncode, 0)
        return [sum(each) for each in zip(*memory)]

    def test_interpreters(self):
        without, _ = self.interpreters(f'import sys; {WAIT}')
        whole, of_file = self.interpreters(f'{OPEN}; {WAIT}')
        self.check_file(of_file)
        print(f'{PROCESSES} interpreters: {whole / 1e6:.0f} MB together, {of_file / 1e6:.0f} of them the file; {without / 1e6:.0f} without this package',
              file=sys.stderr)
        # What the package takes beside the file, in each of them.
        self.assertLess(whole - without - of_file, PROCESSES * 4_000_000)


if __name__ == '__main__':
    if os.environ.get('LD_PRELOAD'):
        print('SKIPPED: sanitizers take memory of their own')
        sys.exit(77)
    unittest.main()
