#!/usr/bin/env python3
"""The progress bar: on a terminal only, with rate and time left, wiped at the end; never in a pipe or with --quiet."""
import os
import pty
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, finish, must, numbers, read_terminal, scratch  # noqa: E402

scratch()


def on_terminal(arguments, feed):
    """Runs the tool with a terminal as standard error and slowly feeds its input; what the terminal got."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([TOOL, *arguments], stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env=dict(os.environ, NO_COLOR='1'))
    os.close(theirs)
    for part in feed:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(0.15)
    if feed:
        process.stdin.close()
    shown = read_terminal(ours)
    return process.wait(), shown


slow = [numbers(i * 2000, i * 2000 + 1999) for i in range(8)]
code, shown = on_terminal(['build', '-o', 'a.mbr'], slow)
check('a pipe: keys and rate', code == 0 and re.search(r'\rreading  [\d.]+ ?k? keys  [\d.]+ ?[kMG]? keys/s', shown), repr(shown))
check('wiped before the message', re.search(r'\r\x1b\[Kmembrane: \w+, 16,000 keys', shown), repr(shown))
code, shown = on_terminal(['build', '-q', '-o', 'q.mbr'], slow)
check('--quiet: nothing at all', code == 0 and shown == '', repr(shown))
code, shown = on_terminal(['build', '-o', 'fast.mbr'], slow[:1])
check('short work: no bar', 'keys/s' not in shown, repr(shown))

print('a known total')
must('build', '-q', '-o', 'small.mbr', stdin=numbers(1, 1000))


def check_bar(what, arguments, bar):
    """Runs a command that would take hours until it shows the bar."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([TOOL, *arguments], stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b''
    while not re.search(bar, shown) and len(shown) < 10_000:
        shown += os.read(ours, 65536)
    process.kill()
    process.wait()
    os.close(ours)
    check(what, re.search(bar, shown), repr(shown[-400:]))


check_bar('bar, percent, rate and time left', ['verify', 'small.mbr', '--probes', '1000G'],
          rb'\rstrangers  \[#*\.+\] +\d+ %  [\d.]+ [kM] keys  [\d.]+ [kM] keys/s  \d+ (s|min|h).* left')
check_bar('bench: the kind, percent and time left', ['bench', '--keys', '1k', '--rounds', '1M', '--kind', 'bloom'],
          rb'\rbloom  \[#*\.+\] +\d+ %  \d+ (s|min|h).* left')

print('not a terminal')
process = subprocess.Popen([TOOL, 'build', '--kind', 'auto', '-o', 'pipe.mbr'], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
for part in slow:
    process.stdin.write(part)
    process.stdin.flush()
    time.sleep(0.15)
message = process.communicate()[1].decode()
check('no bar', process.returncode == 0 and message.count('\n') == 2 and '\r' not in message, repr(message))
finish()
