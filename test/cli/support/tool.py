"""What the tests of the command line share: running the tool, a scratch folder, and checks that print what they check."""
import atexit
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOL = os.environ.get('MEMBRANE') or shutil.which('membrane')
SOURCE = os.environ.get('MEMBRANE_SOURCE_DIR') or os.path.realpath(os.path.join(os.path.dirname(__file__), '../../..'))
KEY = '000102030405060708090a0b0c0d0e0f'

if not TOOL:
    sys.exit('set MEMBRANE to the path of the tool')
TOOL = os.path.realpath(TOOL)

_failures = []


def check(what, holds, detail=''):
    """Prints `what`; a check that does not hold makes the script fail at its end."""
    print(f'  {"ok  " if holds else "FAIL"} {what}' + (f': {detail}' if detail and not holds else ''), flush=True)
    if not holds:
        _failures.append(what)
    return holds


def finish():
    if _failures:
        print(f'{len(_failures)} failed: ' + '; '.join(_failures))
        sys.exit(1)
    sys.exit(0)


def scratch():
    """A new folder, made the current one and removed at the end."""
    folder = tempfile.mkdtemp(prefix='membrane-cli-')
    os.chdir(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def read_terminal(ours):
    """What is shown on a pseudo-terminal until its last user closes it, as text; closes our side of it."""
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
    return shown.decode()


class Outcome:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode('utf-8', 'replace')

    def __repr__(self):
        return f'exit {self.code}, out {self.out[:200]!r}, err {self.err[:500]!r}'


def run(*arguments, stdin=b'', **options):
    """Runs the tool; stdin is bytes."""
    if isinstance(stdin, bytes):
        options['input'] = stdin
    else:
        options['stdin'] = stdin
    return Outcome(subprocess.run([TOOL, *arguments], capture_output=True, timeout=300, check=False, **options))


def must(*arguments, **options):
    """Runs the tool where anything but success is a failed test."""
    outcome = run(*arguments, **options)
    if outcome.code != 0:
        check('membrane ' + ' '.join(arguments), False, repr(outcome))
        finish()
    return outcome


def numbers(first, last):
    return ''.join(f'{i}\n' for i in range(first, last + 1)).encode()


def commands(path=()):
    """Every command that --help lists, those of `count` too, as tuples of words."""
    text = must(*path, '--help').out.decode()
    listed = text.split('\nCommands:\n')[1] if '\nCommands:\n' in text else ''
    inner = [(*path, name) for name in re.findall(r'^  (\w+)  ', listed.split('\n\n')[0], re.M)]
    return [found for each in inner for found in commands(each)] or [tuple(path)]


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def folder_state():
    """Every file of the current folder with its contents' hash: equal states mean that nothing was touched."""
    return {name: digest(name) for name in sorted(os.listdir('.')) if os.path.isfile(name)}
