"""Servers for the tests: on a free loopback port, in a temporary folder; stopped and deleted at the end.

MEMBRANE_REDIS_MODULE names the module. If that was built with AddressSanitizer (MEMBRANE_REDIS_PRELOAD names its
libraries), a report of the sanitizer in the server's log fails the test.
"""
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from support.resp import Client, ReplyError

MODULE = os.environ['MEMBRANE_REDIS_MODULE']
IS_LONG = os.environ.get('MEMBRANE_LONG') == '1'


def free_port():
    """Below the ephemeral ports; its cluster port (10,000 above) is free too."""
    while True:
        port = random.SystemRandom().randrange(12000, 22000)
        with contextlib.suppress(OSError), socket.socket() as first, socket.socket() as second:
            first.bind(('127.0.0.1', port))
            second.bind(('127.0.0.1', port + 10000))
            return port


class Server:
    """A server with the module. `start` and `stop` may be repeated: the folder stays until the end of the test."""

    # A fixed hash key makes the replies reproducible; None: random.
    def __init__(self, *options, module_arguments=(), hash_key='000102030405060708090a0b0c0d0e0f', folder=None, port=None):
        self.folder = folder or tempfile.mkdtemp(prefix='membrane_redis_')
        self.port = port or free_port()
        self.options = list(options)
        self.module_arguments = list(module_arguments)
        if hash_key is not None:
            path = os.path.join(self.folder, f'hash_key.{os.urandom(4).hex()}')
            with open(path, 'w', encoding='ascii') as file:
                file.write(hash_key)
            self.module_arguments += ['HASH-KEY-FILE', path]
        self.process = None
        self.log = os.path.join(self.folder, f'log.{self.port}')

    def start(self, wait_seconds=30):
        program = shutil.which('redis-server')
        assert program, 'redis-server is not installed: ./dev setup test'
        command = [program, '--port', str(self.port), '--bind', '127.0.0.1', '--dir', self.folder, '--save', '',
                   '--enable-debug-command', 'local', '--repl-diskless-sync-delay', '0', '--loglevel', 'notice',
                   *self.options, '--loadmodule', MODULE, *self.module_arguments]
        environment = dict(os.environ)
        if os.environ.get('MEMBRANE_REDIS_PRELOAD'):
            environment['LD_PRELOAD'] = os.environ['MEMBRANE_REDIS_PRELOAD']
            environment.setdefault('ASAN_OPTIONS', 'detect_leaks=1:allocator_may_return_null=1')
        with open(self.log, 'ab') as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        deadline = time.time() + wait_seconds
        while True:
            try:
                with contextlib.closing(Client(self.port)) as client:
                    client('PING')
                return self
            except (ConnectionError, OSError):
                pass
            except ReplyError as loading:
                assert 'LOADING' in str(loading), loading
            if self.process.poll() is not None or time.time() > deadline:
                raise AssertionError(f'the server did not start:\n{self.log_text()[-3000:]}')
            time.sleep(0.02)

    def client(self, protocol=2):
        return Client(self.port, protocol)

    def log_text(self):
        with open(self.log, encoding='utf-8', errors='replace') as log:
            return log.read()

    def stop(self):
        """Shuts the server down without saving."""
        if self.process is None:
            return
        with contextlib.suppress(Exception):
            with contextlib.closing(self.client()) as client:
                client.send('SHUTDOWN', 'NOSAVE')
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def restart(self):
        self.stop()
        return self.start()

    def check_log(self):
        text = self.log_text()
        for sign in ('ERROR: AddressSanitizer', 'ERROR: LeakSanitizer', 'runtime error:', 'REDIS BUG REPORT', 'Guru Meditation'):
            assert sign not in text, f'{sign} in the log of the server:\n{text[text.index(sign) - 200:][:4000]}'

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, *_):
        try:
            self.stop()
            if kind is None:
                self.check_log()
            else:
                print(self.log_text()[-2000:], file=sys.stderr)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def served(*options, protocol=2, **settings):
    """A server and a client of it."""
    with Server(*options, **settings) as server:
        client = server.client(protocol)
        try:
            yield server, client
        finally:
            client.close()
