#!/usr/bin/env python3
"""Servers that do not speak the protocol, or speak it to do harm: the tool says so and ends, with exit code 4. No reply that is not the
expected one is taken for the absence of a key, nothing that a server sends reaches the terminal as a command, and each whole reply must come in
time."""
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import check, finish, run, scratch  # noqa: E402

scratch()

NO_CLUSTER = b'-ERR This instance has cluster support disabled\r\n'
FILTER = (NO_CLUSTER, b'-WRONGTYPE a filter\r\n')
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
    'a number below nil': [b'*-2\r\n'],
    'a text longer than announced': [NO_CLUSTER, b'$3\r\nabcdef\r\n'],
    'lists of lists that take memory': [b'*1000000\r\n' + b'*1000000\r\n' * 3],
    'a list of a billion': [b'*1000000000\r\n'],
    'a text to the slots': [b'+OK\r\n'],
    'nil to the slots': [b'*-1\r\n'],
    'an error to the slots': [b'-ERR no\r\n'],
    'an integer to the name': [NO_CLUSTER, b':1\r\n'],
    'a list to the name': [NO_CLUSTER, b'*0\r\n'],
    'an error to the name': [NO_CLUSTER, b'-ERR no\r\n'],
    'nil to the name': [NO_CLUSTER, b'$-1\r\n'],
    'an empty text to the name': [NO_CLUSTER, b'$0\r\n\r\n'],
    'a text that is no map of shards': [NO_CLUSTER, b'+membrane-shards 1 none\r\n'],
    'an error to the keys': [*FILTER, b'-ERR no\r\n'],
    'a text to the keys': [*FILTER, b'+0\r\n'],
    'nil to the keys': [*FILTER, b'*-1\r\n'],
    'nothing for the keys': [*FILTER, b'*0\r\n'],
    'nil for a key': [*FILTER, b'*1\r\n$-1\r\n'],
    'a text for a key': [*FILTER, b'*1\r\n$1\r\n0\r\n'],
    'an error for a key': [*FILTER, b'*1\r\n-ERR no\r\n'],
    'a list for a key': [*FILTER, b'*1\r\n*0\r\n'],
    'a number beyond 1 for a key': [*FILTER, b'*1\r\n:2\r\n'],
    'a redirection to nowhere': [*FILTER, b'-MOVED 1 nowhere:port\r\n'],
    'escape sequences': [NO_CLUSTER, b'-ERR \x1b]0;title\x07\x1b[2J\xc2\x9b31m\r\rgone\nmembrane: all is well\r\n'],
    'a long error': [NO_CLUSTER, b'-ERR ' + b'x' * 60000 + b'\r\n'],
    'answers for other keys': [*FILTER, b'*2\r\n:1\r\n:1\r\n'],
    'an answer that is no list': [*FILTER, b':1\r\n'],
}
# The messages that begin with the name of the filter, not of the server.
OUR_WORDS = ('nil to the name', 'an empty text to the name', 'a text that is no map of shards')


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


def ask(sent, *command):
    """The outcome of a command with a server that sends these replies."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener, sent))
        thread.start()
        outcome = run(*command, '--redis', f'127.0.0.1:{listener.getsockname()[1]}', stdin=b'key\n')
        thread.join()
    if '-v' in sys.argv:
        print('      ' + outcome.err, end='')
    return outcome


def is_clean_refusal(outcome):
    return (outcome.code == 4 and outcome.out == b'' and len(outcome.err) < 600 and outcome.err.count('\n') == 1 and
            outcome.err.startswith('membrane: ') and not any(letter < ' ' or '\x7f' <= letter < '\xa0' for letter in outcome.err[:-1]))


print('query')
for what, sent in REPLIES.items():
    outcome = ask(sent, 'query', 'name')
    check(what, is_clean_refusal(outcome) and outcome.err.startswith('membrane: 127.0.0.1:') == (what not in OUR_WORDS), repr(outcome))

# What a server says to each request of a push, and what it must not be taken for: that the filter is there.
PUSH = {'SLOTS': NO_CLUSTER, 'GET': b'$-1\r\n', 'UNLINK': b':0\r\n', 'LOAD': b'+OK\r\n'}
SHARDS = {**PUSH, 'UNLINK of the second': b':0\r\n', 'LOAD of the second': b'+OK\r\n', 'SET': b'+OK\r\n'}
HOSTILE = {
    'an error': b'-ERR no\r\n',
    'an unknown command': b"-ERR unknown command 'x', with args beginning with: \x1b[2J\r\n",
    'nil': b'$-1\r\n',
    'a list': b'*1\r\n:1\r\n',
    'lists in lists without end': b'*1\r\n' * 1000000,
    'an endless line': b'+' + b'x' * (8 << 20),
    'another protocol': b'HTTP/1.1 400 Bad Request\r\n\r\n',
    'nothing': b'',
    'a redirection to nowhere': b'-MOVED 1 nowhere:port\r\n',
    'escape sequences': b'-ERR \x1b]0;title\x07\x1b[2J\xc2\x9b31m\r\rgone\nmembrane: all is well\r\n',
    'a long error': b'-ERR ' + b'x' * 60000 + b'\r\n',
}
OTHER_FORM = {'a text': b'+OK\r\n', 'an integer': b':1\r\n', 'a text that is cut off': b'$5\r\nab'}

print('push')
for flow, options in ((PUSH, ()), (SHARDS, ('--shards', '2'))):
    sound = ask([*flow.values()], 'push', '--name', 'name', '-q', *options)
    check(f'a server that is as it should be, {" ".join(options) or "one filter"}', sound.code == 0 and sound.err == '', repr(sound))
    for step, usual in flow.items():
        before = [*flow.values()][:[*flow].index(step)]
        others = {what: reply for what, reply in OTHER_FORM.items() if reply[:1] != usual[:1] or what.endswith('cut off')}
        for what, reply in {**HOSTILE, **others}.items():
            # Nil says that there is no such filter yet, and an integer is no text.
            if step == 'GET' and what in ('nil', 'a text'):
                continue
            outcome = ask([*before, reply], 'push', '--name', 'name', '-q', *options)
            check(f'{what} to {step}', is_clean_refusal(outcome), repr(outcome))
there = ask([*FILTER], 'push', '--name', 'name', '-q')
check('a name that is taken is refused, and nothing sent', there.code == 5 and '--force' in there.err, repr(there))

print('replies that take their time')
SECONDS = 7  # what a reply may take; a byte comes every 3


def drip(listener, replies, slow):
    """The replies, the one with the number `slow` byte by byte."""
    try:
        connection, _ = listener.accept()
        with connection:
            for number, reply in enumerate(replies):
                if not connection.recv(1 << 16):
                    break
                if number != slow:
                    connection.sendall(reply)
                    continue
                for byte in reply:
                    connection.sendall(bytes([byte]))
                    time.sleep(3)
    except OSError:
        pass


def ask_slow(what, replies, slow, outcomes, options=()):
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener, replies, slow), daemon=True)
        thread.start()
        start = time.monotonic()
        scheme = 'rediss' if '--tls-name' in options else 'redis'
        outcome = run('query', 'name', '--redis', f'{scheme}://127.0.0.1:{listener.getsockname()[1]}', '--timeout', str(SECONDS), *options,
                      stdin=b'key\n')
        outcomes.append((what, outcome, time.monotonic() - start))


slow_outcomes = []
threads = [threading.Thread(target=ask_slow, args=(what, replies, slow, slow_outcomes, options))
           for what, replies, slow, options in (('a byte every 3 s to the slots', [NO_CLUSTER], 0, ()),
                                                ('a byte every 3 s to the name', FILTER, 1, ()),
                                                ('a byte every 3 s in the handshake of TLS', [b'\x16\x03\x03\x40\x00' + b'\0' * 99], 0,
                                                 ('--tls-name', 'a.test')))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for what, outcome, seconds in slow_outcomes:
    check(f'{what}: given up after {seconds:.1f} s', outcome.code == 4 and outcome.out == b'' and SECONDS <= seconds < 2 * SECONDS, repr(outcome))
check('three outcomes', len(slow_outcomes) == 3)
finish()
