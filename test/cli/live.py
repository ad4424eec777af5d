#!/usr/bin/env python3
"""Live streams: every hit appears at once, through a pipe and on a terminal, also with --invert; nothing is lost when the pipe is killed."""
import os
import pty
import select
import statistics
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, finish, must, numbers, scratch  # noqa: E402

scratch()
SOON = 0.05  # seconds from a line to its answer while the input is idle
must('build', '-q', '-o', 'seen.mbr', '--fpr', '1e-9', stdin=numbers(1, 1000))


def answer(descriptor, wait):
    """What can be read within `wait` seconds; b'' if nothing."""
    return os.read(descriptor, 65536) if select.select([descriptor], [], [], wait)[0] else b''


def delays(send, receive, lines, wanted):
    """Seconds between each line and its answer."""
    found = []
    for line, answers in zip(lines, wanted):
        time.sleep(0.01)
        start = time.monotonic()
        os.write(send, line)
        got = b''
        while len(got) < len(answers):
            part = answer(receive, 5)
            if not part:
                return found, got
            got += part
        found.append(time.monotonic() - start)
        if got != answers:
            return found, got
    return found, None


def check_soon(what, times, problem, count):
    # The median: a single answer may be late because another process has the processor.
    check(f'{what}: each of {count} answers by itself, within {SOON * 1000:.0f} ms', problem is None and len(times) == count and
          statistics.median(times) < SOON, f'{problem!r} {times}')


for options, first in (([], 1), (['--invert'], 5001), (['--line-buffered'], 1), (['--threads', '1'], 1)):
    process = subprocess.Popen([TOOL, 'query', 'seen.mbr', *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lines = [b'%d\n' % i for i in range(first, first + 40)]
    times, problem = delays(process.stdin.fileno(), process.stdout.fileno(), lines, lines)
    check_soon(f'pipe {" ".join(options)}', times, problem, 40)
    os.write(process.stdin.fileno(), b'%d\nhalf a line' % (first + 50))
    check('  a line is answered while the next is incomplete', answer(process.stdout.fileno(), 5) == b'%d\n' % (first + 50))
    process.kill()
    process.wait()
    check('  killed: nothing was left to print', process.stdout.read() == b'')

process = subprocess.Popen([TOOL, 'count', 'query', 'counts.mbr'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) \
    if must('count', 'build', '-q', '-o', 'counts.mbr', stdin=b'a\nb\na\n') else None
times, problem = delays(process.stdin.fileno(), process.stdout.fileno(), [b'a\n', b'b\n'] * 10, [b'2\ta\n', b'1\tb\n'] * 10)
check_soon('count query', times, problem, 20)
process.stdin.close()
process.wait()

print('on a terminal')
ours, theirs = pty.openpty()
settings = termios.tcgetattr(theirs)
settings[3] &= ~termios.ECHO
termios.tcsetattr(theirs, termios.TCSANOW, settings)
process = subprocess.Popen([TOOL, 'query', 'seen.mbr'], stdin=theirs, stdout=theirs, stderr=theirs)
os.close(theirs)
lines = [b'%d\n' % i for i in range(1, 41)]
times, problem = delays(ours, ours, lines, [line.replace(b'\n', b'\r\n') for line in lines])
check_soon('terminal', times, problem, 40)
time.sleep(0.7)  # longer than the time after which a bar appears
os.write(ours, b'77\n')
check('no bar between the results', answer(ours, 5) == b'77\r\n')
os.write(ours, b'absent\n\x04')
check('the end of the input ends it, exit 0', process.wait(timeout=5) == 0)
os.close(ours)

print('a stream that does not pause')
process = subprocess.Popen([TOOL, 'query', 'seen.mbr', '--line-buffered'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
sent = numbers(1, 1000) * 20
got = process.communicate(sent)[0]
check('--line-buffered: every line, in order', got == sent, len(got))
plain = subprocess.run([TOOL, 'query', 'seen.mbr'], input=sent, capture_output=True, check=False)
check('the same without', plain.stdout == sent)
finish()
