"""A client of the Redis protocol for the tests: RESP2 and RESP3, and pipelines that cost little more than their bytes."""
import socket


class ReplyError(Exception):
    """An error reply."""


def pack(*words):
    parts = [b'*%d\r\n' % len(words)]
    for word in words:
        if isinstance(word, str):
            word = word.encode()
        elif not isinstance(word, bytes):
            word = str(word).encode()
        parts.append(b'$%d\r\n' % len(word))
        parts.append(word)
        parts.append(b'\r\n')
    return b''.join(parts)


def as_map(reply):
    """A map of RESP3, or the flat list of RESP2."""
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2]))


class Client:
    def __init__(self, port, protocol=2, timeout=60):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile('rb', buffering=1 << 16)
        if protocol == 3:
            self('HELLO', '3')

    def close(self):
        self.stream.close()
        self.socket.close()

    def send(self, *words):
        self.socket.sendall(pack(*words))

    def read(self):
        """The next reply; an error reply is returned, not raised."""
        line = self.stream.readline()
        if not line.endswith(b'\r\n'):
            raise ConnectionError('the server closed the connection')
        sign, rest = line[:1], line[1:-2]
        if sign == b':':
            return int(rest)
        if sign == b'+':
            return rest.decode()
        if sign == b'-':
            return ReplyError(rest.decode())
        if sign == b'$':
            return None if rest == b'-1' else self.stream.read(int(rest) + 2)[:-2]
        if sign == b'=':  # a text with its form, txt:
            return self.stream.read(int(rest) + 2)[4:-2]
        if sign in b'*~':
            return None if rest == b'-1' else [self.read() for _ in range(int(rest))]
        if sign == b'#':
            return rest == b't'
        if sign == b'%':
            return {self.read(): self.read() for _ in range(int(rest))}
        if sign == b',':
            return float(rest)
        if sign == b'_':
            return None
        raise ValueError(f'reply begins with {line!r}')

    def __call__(self, *words):
        self.send(*words)
        reply = self.read()
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    def error(self, *words):
        """The text of the error that this command must give."""
        self.send(*words)
        reply = self.read()
        assert isinstance(reply, ReplyError), f'{words[:4]}: expected an error, got {reply!r}'
        return str(reply)

    def pipeline(self, commands, batch=200):
        replies = []
        for first in range(0, len(commands), batch):
            part = commands[first:first + batch]
            self.socket.sendall(b''.join(pack(*words) for words in part))
            replies.extend(self.read() for _ in part)
        return replies

    def info(self, section):
        return dict(line.split(b':', 1) for line in self('INFO', section).split(b'\r\n') if b':' in line)

    def used_bytes(self):
        return int(self.info('memory')[b'used_memory'])

    def add_until_growing(self, command, key, first):
        """Adds integers, from this one on, until the filter holds its old and its new table; the next one that is not in it."""
        before = self('MEMORY', 'USAGE', key)
        while True:
            *_, used = self.pipeline([(command, key, first + i) for i in range(8)] + [('MEMORY', 'USAGE', key)])
            first += 8
            if used > 1.5 * before:
                return first
            before = used

    def chunks(self, command, *words):
        """All chunks from SCANDUMP or DUMP: pairs of iterator and bytes."""
        found, iterator = [], 0
        while True:
            iterator, data = self(command, *words, iterator)
            if iterator == 0:
                assert data == b''
                return found
            found.append((iterator, data))
