#!/usr/bin/env python3
"""The completions of zsh as they are typed: a tab on a terminal, in a shell with the script that `membrane completion zsh` prints."""
import os
import pty
import re
import select
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import TOOL, check, finish, must, scratch  # noqa: E402

folder = scratch()
if not shutil.which('zsh'):
    print('zsh is not installed: ./dev setup test')
    finish()
with open('_membrane', 'wb') as script:
    script.write(must('completion', 'zsh').out)
os.mkdir('bin')
os.symlink(TOOL, 'bin/membrane')
os.environ.update({'PATH': f'{folder}/bin:{os.environ["PATH"]}', 'TERM': 'vt100', 'HOME': folder, 'ZDOTDIR': folder, 'LC_ALL': 'C.UTF-8'})
child, terminal = pty.fork()
if child == 0:
    os.execvp('zsh', ['zsh', '-f', '-i'])


def shown_after(typed, until, seconds=20):
    """What the terminal shows after the keys were typed, up to what `until` matches."""
    os.write(terminal, typed.encode())
    text, deadline = '', time.monotonic() + seconds
    while not re.search(until, text, re.S) and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            text += re.sub(r'\x1b[\[(][0-9;?]*[A-Za-z]|[\r\x08\0]', '', os.read(terminal, 65536).decode('utf-8', 'replace'))
    return text


ready = shown_after(f'stty cols 120 rows 400; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; LISTMAX=9999; echo IS"_"READY\r',
                    'IS_READY')
if check('zsh takes the script', 'IS_READY' in ready, repr(ready[-500:])):
    CLEAR = '\x15'
    for typed, wanted in (('membrane query --tls-\t\t', ('--tls-ca', '--tls-cert', '--tls-key', '--tls-name', 'private key')),
                          ('membrane push --pass\t', ('--password-file',)),
                          ('membrane dedup --save\t', ('--save-every',)),
                          ('membrane build --mod\t', ('--mode ',)),
                          ('membrane build --head\t', ('--headroom',)),
                          ('membrane query --each\t', ('--each-token',)),
                          ('membrane query --only\t', ('--only-matching',)),
                          ('membrane merge --lab\t', ('--label',)),
                          ('membrane build --hash \t\t', ('siphash13', 'xxh3')),
                          ('membrane count \t\t', ('add', 'info', 'merge', 'live stream'))):
        shown = shown_after(CLEAR + typed, '.*'.join(re.escape(word) for word in wanted))
        check(f'{typed.strip()}: {" ".join(wanted)}', all(word in shown for word in wanted), repr(shown[-800:]))
os.close(terminal)
os.waitpid(child, 0)
finish()
