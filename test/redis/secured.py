#!/usr/bin/env python3
"""`membrane push` and `query` with servers that want a password, TLS, a certificate or another database; and what the tool says to each
mistake. The certificates are made here."""
import contextlib
import os
import pty
import select
import shutil
import subprocess
import tempfile

from support.cluster import wait_until
from support.server import Server, free_port

TOOL = os.environ['MEMBRANE']
PASSWORD = 'a secret: with words'
FOLDER = tempfile.mkdtemp(prefix='membrane_tls_')


def openssl(*words):
    subprocess.run(['openssl', *words], cwd=FOLDER, check=True, capture_output=True)


def authority(name):
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', f'/CN={name}',
            '-keyout', f'{name}.key', '-out', f'{name}.pem')


def certificate(name, by, names, days=2):
    """`names` is what the certificate says whose it is, such as IP:127.0.0.1."""
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', f'/CN={name}', '-keyout', f'{name}.key', '-out',
            f'{name}.request')
    with open(os.path.join(FOLDER, 'names'), 'w', encoding='ascii') as file:
        file.write(f'subjectAltName={names}\n')
    openssl('x509', '-req', '-in', f'{name}.request', '-CA', f'{by}.pem', '-CAkey', f'{by}.key', '-CAcreateserial', '-days', str(days),
            '-extfile', 'names', '-out', f'{name}.pem')


def pem(name):
    return os.path.join(FOLDER, name + '.pem')


def key(name):
    return os.path.join(FOLDER, name + '.key')


def tool(*words, password=None, keys=b'1\n2\nstranger\n', **more):
    environment = {name: value for name, value in os.environ.items() if name != 'REDISCLI_AUTH'}
    if password is not None:
        environment['REDISCLI_AUTH'] = password
    done = subprocess.run([TOOL, *words], input=keys, capture_output=True, env=environment, timeout=60, check=False, **more)
    done.text = done.stderr.decode()
    return done


def found(done):
    assert done.returncode == 0 and done.stdout == b'1\n2\n', (done.returncode, done.stdout, done.text)


def refused(done, *parts, code=4):
    assert done.returncode == code and done.stdout == b'', (done.returncode, done.stdout, done.text)
    assert all(part in done.text for part in parts), (parts, done.text)
    assert PASSWORD not in done.text


def answer_on_terminal(words, typed):
    """Runs the tool with a terminal of its own, on which the password is typed, and keys on standard input."""
    keys, feed = os.pipe()
    os.write(feed, b'1\n2\nstranger\n')
    os.close(feed)
    results, written = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.pop('REDISCLI_AUTH', None)
        os.dup2(keys, 0)
        os.dup2(written, 1)
        os.execv(TOOL, [TOOL, *words])
    os.close(written)
    os.close(keys)
    shown = b''
    while b'Password for ' not in shown or not shown.endswith(b': '):
        assert select.select([terminal], [], [], 10)[0], shown
        shown += os.read(terminal, 4096)
    os.write(terminal, typed)
    output = b''
    while part := os.read(results, 4096):
        output += part
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output, shown


def test_passwords(server, client):
    url = f'redis://127.0.0.1:{server.port}'
    client('CONFIG', 'SET', 'requirepass', PASSWORD)
    refused(tool('query', 'seen', '--redis', url), 'wants a password', 'REDISCLI_AUTH', '--password-file')
    refused(tool('query', 'seen', '--redis', url, password='wrong'), 'AUTH: WRONGPASS')
    refused(tool('query', 'seen', '--redis', f'redis://:{PASSWORD.replace(" ", "%20")}@127.0.0.1:{server.port}'), 'on the command line is visible', code=2)
    found(tool('query', 'seen', '--redis', url, password=PASSWORD))
    found(tool('query', 'seen', '--redis', f'127.0.0.1:{server.port}', password=PASSWORD))
    secret = os.path.join(FOLDER, 'password')
    with open(secret, 'w', encoding='ascii') as file:
        file.write(PASSWORD + '\nanother line\n')
    found(tool('query', 'seen', '--redis', url, '--password-file', secret))
    found(tool('query', 'seen', '--redis', url, '--password-file', secret, password='the file comes first'))
    refused(tool('query', 'seen', '--redis', url, '--password-file', os.path.join(FOLDER, 'no such file')), 'cannot open', 'No such file')
    refused(tool('query', 'seen', '--redis', url, '--password-file', '/dev/null'), 'expected the password', code=3)
    refused(tool('query', 'seen', '--redis', url, '--ask-password', start_new_session=True), 'there is no terminal')
    code, output, shown = answer_on_terminal(['query', 'seen', '--redis', url, '--ask-password'], PASSWORD.encode() + b'xy\x7f\x7f\r')
    assert code == 0 and output == b'1\n2\n' and PASSWORD.encode() not in shown, (code, output, shown)
    code, output, shown = answer_on_terminal(['query', 'seen', '--redis', url, '--ask-password'], b'half\x03')
    assert code == 4 and output == b'' and b'no password was given' in shown, (code, output, shown)

    client('ACL', 'SETUSER', 'reader@home', 'on', f'>{PASSWORD}', '~*', '-@all', '+cluster|slots', '+get', '+mbr.mexists', '+select')
    user = f'redis://reader%40home@127.0.0.1:{server.port}'
    found(tool('query', 'seen', '--redis', user, password=PASSWORD))
    refused(tool('query', 'seen', '--redis', user), "the user 'reader@home' needs a password", code=2)
    refused(tool('push', '--redis', user, '--name', 'seen', '--force', password=PASSWORD), 'NOPERM')
    refused(tool('query', 'seen', '--redis', f'redis://nobody@127.0.0.1:{server.port}', password=PASSWORD), 'AUTH: WRONGPASS')

    print('databases')
    refused(tool('query', 'seen', '--redis', url + '/3', password=PASSWORD), 'no such key')
    assert tool('push', '--redis', url + '/3', '--name', 'three', '-q', keys=b'1\n2\n', password=PASSWORD).returncode == 0
    found(tool('query', 'three', '--redis', url + '/3', password=PASSWORD))
    refused(tool('query', 'three', '--redis', url, password=PASSWORD), 'no such key')
    refused(tool('query', 'three', '--redis', url + '/99', password=PASSWORD), 'SELECT 99: ERR')
    for wrong in ('http://127.0.0.1', 'redis://127.0.0.1/three', 'redis://127.0.0.1:0', 'redis://127.0.0.1:70000', '127.0.0.1/3', 'a@127.0.0.1', ''):
        refused(tool('query', 'three', '--redis', wrong), 'expected HOST:PORT, redis://', code=2)
    client('CONFIG', 'SET', 'requirepass', '')
    refused(tool('query', 'seen', '--redis', url, password=PASSWORD), 'AUTH: ERR')


def test_tls(server, port):
    ca = ['--tls-ca', pem('authority')]
    url = f'rediss://127.0.0.1:{port}'
    found(tool('query', 'seen', '--redis', url, *ca))
    found(tool('query', 'seen', '--redis', f'rediss://localhost:{port}', *ca))
    found(tool('query', 'seen', '--redis', url, *ca, '--tls-name', 'redis.test'))
    refused(tool('query', 'seen', '--redis', url), 'not trusted: ', '--tls-ca')
    refused(tool('query', 'seen', '--redis', url, '--tls-ca', pem('stranger')), 'not trusted: ')
    refused(tool('query', 'seen', '--redis', url, *ca, '--tls-name', 'other.test'), 'not trusted: hostname mismatch', '--tls-name')
    refused(tool('query', 'seen', '--redis', url, *ca, '--tls-name', '127.0.0.2'), 'not trusted: IP address mismatch')
    refused(tool('query', 'seen', '--redis', f'rediss://127.0.0.1:{server.port}', *ca, '--timeout', '3'), f'127.0.0.1:{server.port}: ')
    refused(tool('query', 'seen', '--redis', f'redis://127.0.0.1:{port}', '--timeout', '3'), f'127.0.0.1:{port}: ')
    refused(tool('query', 'seen', '--redis', f'redis://127.0.0.1:{server.port}', *ca), 'the connection has no TLS', code=2)
    refused(tool('query', 'seen', '--redis', url, '--tls-ca', '/dev/null'), '/dev/null: cannot read certificates')
    many = b''.join(b'%d\n' % i for i in range(300000))
    pushed = tool('push', '--redis', url, *ca, '--name', 'large', '--fpr', '1e-6', '-q', keys=many)
    assert pushed.returncode == 0, pushed.text
    asked = tool('query', 'large', '--redis', url, *ca, keys=many)
    assert asked.returncode == 0 and asked.stdout == many, (asked.returncode, len(asked.stdout), asked.text)

    print('certificates of clients')
    with contextlib.closing(server.client()) as client:
        client('CONFIG', 'SET', 'tls-auth-clients', 'yes')
    refused(tool('query', 'seen', '--redis', url, *ca), f'127.0.0.1:{port}: ')
    mine = [*ca, '--tls-cert', pem('client'), '--tls-key', key('client')]
    found(tool('query', 'seen', '--redis', url, *mine))
    refused(tool('query', 'seen', '--redis', url, *ca, '--tls-cert', pem('client')), 'give both or none', code=2)
    refused(tool('query', 'seen', '--redis', url, *ca, '--tls-cert', pem('client'), '--tls-key', key('server')), 'cannot read the private key')


def test_cluster(server, port):
    """One node that owns all slots. It names itself by its address and the port of TLS; its certificate has only a name."""
    with contextlib.closing(server.client()) as client:
        client('CLUSTER', 'ADDSLOTSRANGE', 0, 16383)
        wait_until(lambda: b'cluster_state:ok' in client('CLUSTER', 'INFO'), 'the cluster')
        client('CONFIG', 'SET', 'requirepass', PASSWORD)
    known = ['--redis', f'rediss://localhost:{port}', '--tls-ca', pem('authority'), '--tls-name', 'node.test']
    pushed = tool('push', *known, '--name', 'spread', '--shards', '8', '--fpr', '1e-6', '-q', keys=b'1\n2\n', password=PASSWORD)
    assert pushed.returncode == 0, pushed.text
    found(tool('query', 'spread', *known, password=PASSWORD))
    refused(tool('query', 'spread', *known[:4], password=PASSWORD), 'not trusted: hostname mismatch')
    refused(tool('query', 'spread', *known), 'wants a password')


try:
    authority('authority')
    authority('stranger')
    certificate('server', 'authority', 'IP:127.0.0.1,DNS:localhost,DNS:redis.test')
    certificate('client', 'authority', 'DNS:client.test')
    tls_port = free_port()
    with Server('--tls-port', str(tls_port), '--tls-cert-file', pem('server'), '--tls-key-file', key('server'), '--tls-ca-cert-file', pem('authority'),
                '--tls-auth-clients', 'no') as running:
        pushed_first = tool('push', '--redis', f'127.0.0.1:{running.port}', '--name', 'seen', '--fpr', '1e-9', keys=b'1\n2\n')
        assert pushed_first.returncode == 0, pushed_first.text
        print('passwords')
        with contextlib.closing(running.client()) as connected:
            test_passwords(running, connected)
        print('TLS')
        test_tls(running, tls_port)
    print('a cluster')
    certificate('node', 'authority', 'DNS:node.test')
    tls_port = free_port()
    # Without tls-cluster a node names the ports that have no TLS.
    with Server('--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--tls-port', str(tls_port), '--tls-cert-file', pem('node'),
                '--tls-key-file', key('node'), '--tls-ca-cert-file', pem('authority'), '--tls-auth-clients', 'no') as running:
        test_cluster(running, tls_port)
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
