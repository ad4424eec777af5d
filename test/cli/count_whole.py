#!/usr/bin/env python3
"""count add, merge, info, top --json, and the most counted keys while a stream is counted."""
import json
import os
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def counts(path, *keys):
    answered = run('count', 'query', path, stdin='\n'.join(keys).encode() + b'\n').out.decode()
    return [int(line.split('\t')[0]) for line in answered.splitlines()]


print('add')
must('count', 'build', '-q', '-o', 'c.mbr', '--key', KEY, stdin=b'a\nb\na\n')
said = must('count', 'add', 'c.mbr', '--label', 'day=2', stdin=b'a\nc\n\n')
check('says what it did', said.err == 'membrane: input: 1 blank line left out\nmembrane: c.mbr: 2 occurrences added, 5 in all\n' and said.out == b'', repr(said))
check('every count', counts('c.mbr', 'a', 'b', 'c', 'd') == [3, 1, 1, 0])
top = json.loads(must('count', 'top', '--json', 'c.mbr').out)
check('top --json', top['total'] == 5 and [(each['key'], each['count']) for each in top['top']][0] == ('a', 3), str(top))
must('count', 'build', '-q', '-o', 'whole.mbr', '--key', KEY, stdin=b'a\nb\na\na\nc\n')
must('count', 'add', '-q', 'c.mbr', '--label', 'day=', stdin=b'')
check('the same file as counted at once', digest('c.mbr') == digest('whole.mbr'))
before = digest('c.mbr')
check('nothing to add: unchanged', run('count', 'add', '-q', 'c.mbr', stdin=b'').code == 0 and digest('c.mbr') == before)
check('a missing file is an error', run('count', 'add', 'nosuch.mbr', stdin=b'a\n').code == 4 and not os.path.exists('nosuch.mbr'))
must('build', '-q', '-o', 'filter.mbr', stdin=b'a\n')
for command in (['add', 'filter.mbr'], ['info', 'filter.mbr'], ['merge', '-o', 'new.mbr', 'c.mbr', 'filter.mbr'], ['top', 'filter.mbr']):
    refused = run('count', *command, stdin=b'a\n')
    check(f'count {command[0]} of a filter is refused', refused.code == 2 and 'filter.mbr: ' in refused.err, repr(refused))

print('merge')
for name, text in (('1', b'a\nb\n' * 10), ('2', b'a\nc\n' * 5), ('3', b'd\n')):
    must('count', 'build', '-q', '-o', f'{name}.mbr', '--key', KEY, stdin=text)
said = must('count', 'merge', '-o', 'all.mbr', '1.mbr', '2.mbr', '3.mbr').err
check('says the occurrences', said == 'membrane: all.mbr: 3 filters merged, 31 occurrences\n', said)
check('adds up', counts('all.mbr', 'a', 'b', 'c', 'd', 'e') == [15, 10, 5, 1, 0])
check('top of all', must('count', 'top', '-n', '2', 'all.mbr').out == b'15\ta\n10\tb\n')
info = must('count', 'info', 'all.mbr').out.decode()
check('info', 'occurrences           31\n' in info and 'too high by at most 0 (0.1 % of all' in info and '4 remembered' in info, info)

print('the most counted keys of a stream')


def start(*arguments):
    return subprocess.Popen([TOOL, 'count', 'add', *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def feed(process, text):
    process.stdin.write(text)
    process.stdin.flush()


def read_for(process, seconds):
    got = b''
    end = time.monotonic() + seconds
    while time.monotonic() < end and select.select([process.stdout], [], [], 0.05)[0] or not got and time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.05)[0]:
            part = os.read(process.stdout.fileno(), 65536)
            if not part:
                break
            got += part
    return got


must('count', 'build', '-q', '-o', 's.mbr', stdin=b'x\n')
process = start('s.mbr', '--top-every', '0.2s', '-n', '2')
feed(process, b'y\ny\ny\nx\n')
check('--top-every time, while the input is idle', read_for(process, 3) == b'3\ty\n2\tx\n')
feed(process, b'x\nx\n')
check('again, after a blank line', read_for(process, 3) == b'\n4\tx\n3\ty\n')
process.send_signal(signal.SIGTERM)
check('SIGTERM: saved', process.wait(timeout=10) == -signal.SIGTERM and counts('s.mbr', 'x', 'y') == [4, 3])
found = must('count', 'add', '-q', 's.mbr', '--top-every', '1', '-n', '1', '--json', stdin=b'z\n').out.splitlines()
check('--json: an object on each line', len(found) == 2 and all(json.loads(line)['top'][0]['key'] == 'x' for line in found), str(found))
many = must('count', 'add', '-q', 's.mbr', '--top-every', '2000', '-n', '1', stdin=b'w\n' * 5000).out.decode()
check('--top-every keys', [int(line.split('\t')[0]) for line in many.splitlines() if line.endswith('\tw')] [-1] == 5000 and many.count('\tw') >= 3, many)
process = start('s.mbr', '--save-every', '0.2s')
feed(process, b'v\n' * 7)
end = time.monotonic() + 5
while counts('s.mbr', 'v') != [7] and time.monotonic() < end:
    time.sleep(0.05)
check('--save-every', counts('s.mbr', 'v') == [7])
process.kill()
process.wait()
finish()
