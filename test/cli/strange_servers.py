#!/usr/bin/env python3
"""Servers that do not speak the protocol, or speak it to do harm: the tool says so and ends, with exit code 4."""
import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import check, finish, run, scratch  # noqa: E402

scratch()

NO_CLUSTER = b'-ERR This instance has cluster support disabled\r\n'
REPLIES = {
    'lists in lists without end': [b'*1\r\n' * 1000000],
    'negative slots': [b'*1\r\n*3\r\n:-1\r\n:-1\r\n*2\r\n$1\r\na\r\n:1\r\n'],
    'slots that are none': [b'*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n'],
    'a range without a node': [b'*1\r\n*2\r\n:0\r\n:16383\r\n'],
    'a number that is none': [b'*1\r\n*3\r\n:zero\r\n:16383\r\n*2\r\n$1\r\na\r\n:1\r\n'],
    'a number beyond 64 bits': [b'*1\r\n*3\r\n:99999999999999999999\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n'],
    'a text longer than any': [b'$99999999999999\r\n'],
    'a line without an end': [b'+' + b'x' * (8 << 20)],
    'another protocol': [b'HTTP/1.1 400 Bad Request\r\n\r\n'],
    'nothing': [b''],
    'answers for other keys': [NO_CLUSTER, b'-WRONGTYPE a filter\r\n', b'*2\r\n:1\r\n:1\r\n'],
    'an answer that is no list': [NO_CLUSTER, b'-WRONGTYPE a filter\r\n', b':1\r\n'],
}


def serve(listener, replies):
    """Each reply to the next request; then the connection ends."""
    try:
        connection, _ = listener.accept()
        with connection:
            for reply in replies:
                if not connection.recv(1 << 16):
                    break
                connection.sendall(reply)
    except OSError:
        pass  # the tool has had enough


for what, sent in REPLIES.items():
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener, sent))
        thread.start()
        address = f'127.0.0.1:{listener.getsockname()[1]}'
        outcome = run('query', 'name', '--redis', address, stdin=b'key\n')
        thread.join()
    check(what, outcome.code == 4 and outcome.err.startswith('membrane: ') and outcome.out == b'', repr(outcome))
finish()
