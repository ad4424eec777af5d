"""Runs commands of the tool while one call of a system function fails, and checks what is left: files as before or as after the whole
command, an error that names what was wrong, no other file."""
import os
import random
import subprocess

from tool import KEY, TOOL, check, finish, must, run, scratch

SHIM = os.environ['MEMBRANE_FAULTS']
CODES = {
    'malloc': ['ENOMEM'],
    'mmap': ['ENOMEM'],
    'open': ['EACCES', 'EMFILE'],
    'read': ['EIO', 'EINTR', 'short'],
    'write': ['ENOSPC', 'EIO', 'EINTR', 'short'],
    'fsync': ['EIO', 'ENOSPC'],
    'rename': ['EIO', 'ENOSPC'],
    'ftruncate': ['EIO', 'ENOSPC'],
}
HARMLESS = {'EINTR', 'short'}  # the command goes on as if nothing had happened

# Name -> arguments, standard input, and the file that changes. Every other file stays as it is. `verify` asks for random strangers: its
# output differs.
COMMANDS = {
    'build': (['build', '-q', '--force', '--key', KEY, '-o', 'made.mbr', 'keys.txt'], b'', 'made.mbr'),
    'build from a pipe': (['build', '-q', '--force', '--key', KEY, '-o', 'made.mbr'], b'a\nb\nc\n', 'made.mbr'),
    'build fixed': (['build', '-q', '--force', '--key', KEY, '--kind', 'blocked_bloom', '-o', 'made.mbr', 'keys.txt'], b'', 'made.mbr'),
    'add': (['add', '-q', 'grown.mbr', 'more.txt'], b'', 'grown.mbr'),
    'remove': (['remove', '-q', 'erasable.mbr'], b'k1\nk2\n', 'erasable.mbr'),
    'merge': (['merge', '-q', '--force', '-o', 'both.mbr', 'grown.mbr', 'other.mbr'], b'', 'both.mbr'),
    'shrink': (['shrink', '-q', 'roomy.mbr', '--fit'], b'', 'roomy.mbr'),
    'pack': (['pack', '-q', '--force', '-o', 'grown.mbp', 'grown.mbr'], b'', 'grown.mbp'),
    'unpack': (['unpack', '-q', '--force', '-o', 'unpacked.mbr', 'ready.mbp'], b'', 'unpacked.mbr'),
    'diff': (['diff', '-q', '--force', '-o', 'made.patch', 'grown.mbr', 'newer.mbr'], b'', 'made.patch'),
    'patch': (['patch', '-q', 'grown.mbr', 'ready.patch'], b'', 'grown.mbr'),
    'dedup': (['dedup', '-q', 'seen.mbr'], b'k1\nnew\nnew\n', 'seen.mbr'),
    'count build': (['count', 'build', '-q', '--force', '--key', KEY, '-o', 'counts.mbr', 'keys.txt'], b'', 'counts.mbr'),
    'count add': (['count', 'add', '-q', 'counted.mbr', 'more.txt'], b'', 'counted.mbr'),
    'query': (['query', 'grown.mbr', 'keys.txt'], b'', None),
    'info': (['info', 'grown.mbr'], b'', None),
    'verify': (['verify', '--probes', '1000', 'grown.mbr'], b'', None),
    'compare': (['compare', 'grown.mbr', 'newer.mbr'], b'', None),
    'count top': (['count', 'top', 'counted.mbr'], b'', None),
}
# What came before the failure is saved: a file between the two, and whole.
LIVE = {'count add', 'dedup'}


def prepare():
    """The files that the commands read."""
    with open('keys.txt', 'w') as keys:
        keys.writelines(f'k{i}\n' for i in range(300))
    with open('more.txt', 'w') as keys:
        keys.writelines(f'm{i}\n' for i in range(400))
    growing = ['--key', KEY, '--grow-to', '100k']
    must('build', '-q', '-o', 'grown.mbr', *growing, 'keys.txt')
    must('build', '-q', '-o', 'other.mbr', *growing, 'more.txt')
    must('build', '-q', '-o', 'newer.mbr', *growing, 'keys.txt', 'more.txt')
    must('build', '-q', '-o', 'roomy.mbr', '--keys', '50k', *growing, 'keys.txt')
    must('build', '-q', '-o', 'erasable.mbr', '--delete', *growing, 'keys.txt')
    must('pack', '-q', '-o', 'ready.mbp', 'grown.mbr')
    must('diff', '-q', '-o', 'ready.patch', 'grown.mbr', 'newer.mbr')
    must('dedup', '-q', 'seen.mbr', stdin=b'k1\nk2\n')
    must('count', 'build', '-q', '--key', KEY, '-o', 'counted.mbr', 'keys.txt')


def contents(name):
    try:
        with open(name, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return None


def put(name, data):
    if data is None:
        if os.path.exists(name):
            os.unlink(name)
        return
    with open(name, 'wb') as file:
        file.write(data)


class Injected:
    """One command, run again and again with another call that fails."""

    def __init__(self, name):
        self.name = name
        self.arguments, self.stdin, self.changes = COMMANDS[name]
        self.before = contents(self.changes) if self.changes else None
        self.code, self.out, _ = self.start({'MEMBRANE_FAULT_COUNTS': '../counts'})
        self.after = contents(self.changes) if self.changes else None
        with open('../counts') as counts:
            self.calls = {function: int(times) for function, times in (line.split() for line in counts)}
        self.injections = 0
        self.names = sorted(os.listdir('.'))

    def start(self, environment):
        if self.changes:
            put(self.changes, self.before)
        done = subprocess.run([TOOL, *self.arguments], input=self.stdin, capture_output=True, timeout=60, check=False,
                              env={**os.environ, **environment, 'LD_PRELOAD': SHIM})
        return done.returncode, done.stdout, done.stderr.decode('utf-8', 'replace')

    def faults(self):
        """(function, number of the call, error) of every fault; memory that is short stays short in half of them."""
        for function, calls in self.calls.items():
            for number in range(1, calls + 1):
                for code in CODES[function]:
                    yield function, f'{number}', code
                if function == 'malloc':
                    yield function, f'{number}+', 'ENOMEM'

    def problem_of(self, function, number, error):
        """What is wrong after this fault, or None."""
        code, out, said = self.start({'MEMBRANE_FAULT': f'{function}:{number}:{error}'})
        self.injections += 1
        left = contents(self.changes) if self.changes else None
        if sorted(os.listdir('.')) != self.names and sorted(set(os.listdir('.')) | {self.changes}) != self.names:
            return f'files left: {set(os.listdir(".")) - set(self.names)}'
        if code == self.code:
            if left != self.after:
                return 'it says that all is well, but the file is not as without the fault'
            return None if out == self.out or self.name == 'verify' else 'it says that all is well, but its output is not as without the fault'
        if error in HARMLESS:
            return f'exit {code}: {said}'
        if code < 0 or code > 5:
            return f'ended with {code}: {said}'
        if not said.startswith('membrane: ') or len(said) < 15:
            return f'exit {code} without a message: {said!r}'
        if left not in (self.before, self.after):
            if self.name in LIVE and run('info', self.changes).code == 0:
                return None
            return 'the file is neither the one before nor the one after'
        return None


def inject_sample(most_each, seed='1'):
    """At most so many faults for each command, spread over its functions."""
    scratch()
    os.mkdir('work')
    os.chdir('work')
    prepare()
    total = 0
    for name in COMMANDS:
        command = Injected(name)
        by_function = {}
        for fault in command.faults():
            by_function.setdefault(fault[0], []).append(fault)
        chosen = []
        for faults in by_function.values():
            share = max(1, most_each // len(by_function))
            chosen += faults if len(faults) <= share else random.Random(f'{seed} {name}').sample(faults, share)
        problems = []
        for fault in chosen:
            if problem := command.problem_of(*fault):
                problems.append(f'{":".join(fault)}: {problem}')
        total += command.injections
        check(f'{name}: {command.injections} faults of {sum(map(len, by_function.values()))}, each an error or as if it had not been',
              not problems, '; '.join(problems[:5]) + f' ({len(problems)} in all)')
        if command.changes:
            put(command.changes, command.before)
    print(f'{total} faults')
    finish()
