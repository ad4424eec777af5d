"""Runs commands of the tool while one call of a system function fails, and checks what is left: files as before or as after the whole
command, an error that names what was wrong, no other file."""
import itertools
import os
import socket
import subprocess
import threading

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
    'connect': ['ECONNREFUSED'],
    'send': ['ECONNRESET', 'EINTR', 'short'],
    'recv': ['ECONNRESET', 'EINTR', 'short'],
}
HARMLESS = {'EINTR', 'short'}  # the command goes on as if nothing had happened

# A server that takes every filter; its port is put in place of this word.
SERVER = 'SERVER'

# Name -> arguments, standard input, and the file that changes. Every other file stays as it is. `verify` asks for random strangers: its
# output differs.
COMMANDS = {
    'build': (['build', '-q', '--force', '--key', KEY, '-o', 'made.mbr', 'keys.txt'], b'', 'made.mbr'),
    'build from a pipe': (['build', '-q', '--force', '--key', KEY, '-o', 'made.mbr'], b'a\nb\nc\n', 'made.mbr'),
    'build fixed': (['build', '-q', '--force', '--key', KEY, '--kind', 'blocked_bloom', '-o', 'made.mbr', 'keys.txt'], b'', 'made.mbr'),
    'add': (['add', '-q', 'grown.mbr', 'more.txt'], b'', 'grown.mbr'),
    'remove': (['remove', '-q', 'erasable.mbr'], b'k1\nk2\n', 'erasable.mbr'),
    'merge': (['merge', '-q', '--force', '-o', 'both.mbr', 'grown.mbr', 'other.mbr'], b'', 'both.mbr'),
    'improve': (['improve', '-q', '--rounds', '3', 'choice.mbr', 'keys.txt'], b'', 'choice.mbr'),
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
    'count query': (['count', 'query', 'counted.mbr', 'keys.txt'], b'', None),
    'push': (['push', '-q', '--redis', SERVER, '--name', 'pushed', '--force', 'keys.txt'], b'', None),
    'push a file': (['push', '-q', '--redis', SERVER, '--name', 'pushed', '--force', 'grown.mbr'], b'', None),
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
    must('build', '-q', '-o', 'choice.mbr', '--key', KEY, '--kind', 'choice_bloom', 'keys.txt')
    must('dedup', '-q', 'seen.mbr', stdin=b'k1\nk2\n')
    must('count', 'build', '-q', '--key', KEY, '-o', 'counted.mbr', 'keys.txt')


def answer(link):
    """What a server with the module says to `push`, until the tool has gone."""
    replies = {b'CLUSTER': b'-ERR This instance has cluster support disabled\r\n', b'GET': b'$-1\r\n', b'UNLINK': b':0\r\n'}
    with link, link.makefile('rb') as asked:
        try:
            while line := asked.readline():
                words = []
                for _ in range(int(line[1:])):
                    words.append(asked.read(int(asked.readline()[1:]) + 2)[:-2])
                link.sendall(replies.get(words[0], b'+OK\r\n'))
        except (OSError, ValueError):
            pass


def start_server():
    """Its address. It lives as long as the test."""
    listening = socket.create_server(('127.0.0.1', 0))

    def accept():
        while True:
            threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    return f'127.0.0.1:{listening.getsockname()[1]}'


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

    def __init__(self, name, server):
        self.name = name
        self.arguments, self.stdin, self.changes = COMMANDS[name]
        self.arguments = [server if word == SERVER else word for word in self.arguments]
        self.before = contents(self.changes) if self.changes else None
        self.code, self.out, _ = self.start({'MEMBRANE_FAULT_COUNTS': '../counts'})
        self.after = contents(self.changes) if self.changes else None
        with open('../counts') as counts:
            self.calls = {function: int(times) for function, times in (line.split() for line in counts)}
        if self.changes:
            put(self.changes, self.before)
        self.names = set(os.listdir('.')) - {self.changes}

    def start(self, environment):
        if self.changes:
            put(self.changes, self.before)
        done = subprocess.run([TOOL, *self.arguments], input=self.stdin, capture_output=True, timeout=60, check=False,
                              env={**os.environ, **environment, 'LD_PRELOAD': SHIM})
        return done.returncode, done.stdout, done.stderr.decode('utf-8', 'replace')

    def faults(self):
        """(function, number of the call, error) of every fault, in turns over the functions. Memory that is short stays short in half of
        them. Of allocations the last ones come first: thousands before them only read the command line, in every command alike."""
        by_function = []
        for function, calls in self.calls.items():
            errors = [(error, '') for error in CODES[function]] + ([('ENOMEM', '+')] if function == 'malloc' else [])
            numbers = range(calls, 0, -1) if function == 'malloc' else range(1, calls + 1)
            by_function.append([(function, f'{number}{lasts}', error) for number in numbers for error, lasts in errors])
        return in_turns(by_function)

    def problem_of(self, function, number, error):
        """What is wrong after this fault, or None."""
        code, out, said = self.start({'MEMBRANE_FAULT': f'{function}:{number}:{error}'})
        left = contents(self.changes) if self.changes else None
        names = set(os.listdir('.')) - {self.changes}
        if names != self.names:
            return f'files left: {names - self.names}, gone: {self.names - names}'
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


def in_turns(lists):
    """The first of each list, the second of each, ..."""
    return [each for round_ in itertools.zip_longest(*lists) for each in round_ if each is not None]


def commands():
    """All commands, each after a run without a fault."""
    scratch()
    os.mkdir('work')
    os.chdir('work')
    prepare()
    server = start_server()
    return [Injected(name, server) for name in COMMANDS]


def try_faults(command, faults):
    problems = []
    for fault in faults:
        if problem := command.problem_of(*fault):
            problems.append(f'{":".join(fault)}: {problem}')
    if command.changes:
        put(command.changes, command.before)
    check(f'{command.name}: {len(faults)} faults, each an error or as if it had not been', not problems,
          '; '.join(problems[:5]) + f' ({len(problems)} in all)')


def inject_sample(most_each):
    """At most so many faults for each command: of each function some, at even distances."""
    total = 0
    for command in commands():
        functions = {}
        for fault in command.faults():
            functions.setdefault(fault[0], []).append(fault)
        share = max(1, most_each // len(functions))
        chosen = [faults[i * len(faults) // min(share, len(faults))] for faults in functions.values() for i in range(min(share, len(faults)))]
        try_faults(command, chosen)
        total += len(chosen)
    print(f'{total} faults')
    finish()


def inject_from(first, count):
    """So many of all faults of all commands, in turns over the commands; those before `first` were tried before."""
    every = in_turns([[(command, fault) for fault in command.faults()] for command in commands()])
    chosen = {}
    for command, fault in every[first:first + count]:
        chosen.setdefault(command, []).append(fault)
    for command, faults in chosen.items():
        try_faults(command, faults)
    print(f'from {first}, of {len(every)}')
    print(f'{sum(map(len, chosen.values()))} faults')
    finish()
