#!/usr/bin/env python3
"""The progress bar: on a terminal only, with rate and time left, wiped at the end; never in a pipe or with --quiet."""
import os
import pty
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def on_terminal(arguments, feed):
    """Runs the tool with a terminal as standard error and slowly feeds its input; what the terminal got."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([TOOL, *arguments], stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    for part in feed:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(0.15)
    if feed:
        process.stdin.close()
    shown = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode()


slow = [numbers(i * 2000, i * 2000 + 1999) for i in range(8)]
code, shown = on_terminal(['build', '-o', 'a.mbr'], slow)
check('a pipe: keys and rate', code == 0 and re.search(r'\rreading  [\d.]+ ?k? keys  [\d.]+ ?[kMG]? keys/s', shown), repr(shown))
check('wiped before the message', '\r\x1b[Kmembrane: bloom, 16,000 keys' in shown, repr(shown))
code, shown = on_terminal(['build', '-q', '-o', 'q.mbr'], slow)
check('--quiet: nothing at all', code == 0 and shown == '', repr(shown))
code, shown = on_terminal(['build', '-o', 'fast.mbr'], slow[:1])
check('short work: no bar', 'keys/s' not in shown, repr(shown))

with open('keys', 'wb') as file:
    file.write(numbers(1, 1000))
must('build', '-q', '-o', 'big.mbr', 'keys')
code, shown = on_terminal(['verify', 'big.mbr', '--probes', '200M'], [])
check('a known total: bar, percent and time left', re.search(r'\rstrangers  \[#+\.*\] +\d+ %  [\d.]+ M keys  [\d.]+ M keys/s  \d+ (s|min).* left', shown), repr(shown[-400:]))
outcome = run('verify', 'big.mbr', '--probes', '60M')
check('no bar in a pipe', outcome.err == '', repr(outcome))
finish()
