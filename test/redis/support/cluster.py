"""A cluster of servers on the loopback, and a client that follows its redirections."""
import contextlib
import threading
import time

from support.resp import Client, ReplyError
from support.server import Server

SLOTS = 16384


def slot_of(key):
    if '{' in key and '}' in key[key.index('{') + 1:]:
        tag = key[key.index('{') + 1:]
        tag = tag[:tag.index('}')]
        key = tag or key
    crc = 0
    for byte in key.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xffff
    return crc % SLOTS


def wait_until(condition, what, seconds=80):
    deadline = time.time() + seconds
    while not condition():
        assert time.time() < deadline, f'waited {seconds} s in vain: {what}'
        time.sleep(0.05)


class Cluster:
    """Three primaries; the last one has a replica."""

    def __init__(self, options=()):
        # Long enough that a busy node is not considered dead, short enough to wait for a promotion.
        self.servers = [Server('--cluster-enabled', 'yes', '--cluster-node-timeout', '3000', '--cluster-replica-validity-factor', '0',
                               *options) for _ in range(4)]

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        for server in self.servers:
            self.stack.enter_context(server)
        clients = [server.client() for server in self.servers]
        bounds = [0, SLOTS // 3, 2 * SLOTS // 3, SLOTS]
        for number in range(3):
            clients[number]('CLUSTER', 'ADDSLOTSRANGE', bounds[number], bounds[number + 1] - 1)
            clients[number]('CLUSTER', 'SET-CONFIG-EPOCH', number + 1)
        self.ids = [client('CLUSTER', 'MYID').decode() for client in clients]
        self._introduce(clients)
        wait_until(lambda: self._replicate(clients[3]), 'a replica')
        wait_until(lambda: all(b'cluster_state:ok' in client('CLUSTER', 'INFO') for client in clients), 'cluster state ok')
        wait_until(lambda: b'master_link_status:up' in clients[3]('INFO', 'replication'), 'the link of the replica')
        return self

    def restart_as_replica(self, number, of):
        """A node that was killed comes back and follows the one that was promoted."""
        self.servers[number].start()
        follower = self.servers[number].client()
        leader = f'master_port:{self.servers[of].port}'.encode()

        def follows():
            state = follower('INFO', 'replication')
            return leader in state and b'master_link_status:up' in state

        wait_until(follows, 'the killed node to follow the promoted one')

    def _introduce(self, clients):
        """Repeats handshakes: both sides drop a handshake that takes longer than the node timeout."""
        known = f'cluster_known_nodes:{len(clients)}'.encode()
        asked_at = 0

        def all_know_all():
            nonlocal asked_at
            if all(known in client('CLUSTER', 'INFO') for client in clients):
                return True
            if time.time() - asked_at > 4:
                asked_at = time.time()
                for client in clients[1:]:
                    client('CLUSTER', 'MEET', '127.0.0.1', self.servers[0].port)
            return False

        wait_until(all_know_all, 'all nodes known', seconds=120)

    def _replicate(self, client):
        client.send('CLUSTER', 'REPLICATE', self.ids[2])
        return not isinstance(client.read(), ReplyError)

    def __exit__(self, *error):
        return self.stack.__exit__(*error)

    def address(self, number=0):
        return f'127.0.0.1:{self.servers[number].port}'

    def keys_in(self, number):
        return self.servers[number].client()('KEYS', '*')

    def move_slot(self, slot, source, target):
        """As a resharding does it: key by key, while clients go on."""
        giving, taking = self.servers[source].client(), self.servers[target].client()
        taking('CLUSTER', 'SETSLOT', slot, 'IMPORTING', self.ids[source])
        giving('CLUSTER', 'SETSLOT', slot, 'MIGRATING', self.ids[target])
        while True:
            keys = giving('CLUSTER', 'GETKEYSINSLOT', slot, 10)
            if not keys:
                break
            giving('MIGRATE', '127.0.0.1', self.servers[target].port, '', 0, 20000, 'KEYS', *keys)
        for client in (taking, giving, self.servers[3 - source - target].client()):
            client('CLUSTER', 'SETSLOT', slot, 'NODE', self.ids[target])


class ClusterClient:
    """One command at a time, to whoever has the key."""

    def __init__(self, ports):
        self.ports, self.owners, self.links = ports, {}, {}

    def link(self, port):
        if port not in self.links:
            self.links[port] = Client(port, timeout=5)
        return self.links[port]

    def __call__(self, key, *words, after=None):
        """`after` is a command to the same node behind it, such as WAIT; the reply is then that of both."""
        deadline, asking = time.time() + 80, None
        slot = slot_of(key)
        while True:
            port = asking or self.owners.get(slot) or self.ports[int(time.time() * 20) % len(self.ports)]
            try:
                link = self.link(port)
                if asking:
                    link('ASKING')
                link.send(*words)
                reply = link.read()
                asking = None
                if isinstance(reply, ReplyError):
                    text = str(reply)
                    if text.startswith('MOVED'):
                        self.owners[slot] = int(text.rsplit(':', 1)[1])
                    elif text.startswith('ASK'):
                        asking = int(text.rsplit(':', 1)[1])
                    elif not text.startswith(('CLUSTERDOWN', 'TRYAGAIN', 'LOADING', 'READONLY')):
                        raise reply
                    else:
                        time.sleep(0.05)
                    assert time.time() < deadline, reply
                    continue
                return (reply, link(*after)) if after else reply
            except (ConnectionError, OSError):
                self.links.pop(port, None)
                self.owners.pop(slot, None)
                assert time.time() < deadline, f'no answer for {words[:2]}'
                time.sleep(0.05)


class Load(threading.Thread):
    """Adds keys to filters all over the cluster until told to stop; remembers what a replica has acknowledged too, where there
    is one."""

    def __init__(self, ports, filters, replicated=frozenset(), name=''):
        super().__init__()
        self.client, self.filters, self.replicated = ClusterClient(ports), filters, replicated
        self.is_stopped, self.acknowledged, self.problem, self.name = False, [], None, name

    def run(self):
        try:
            number = 0
            while not self.is_stopped:
                key = self.filters[number % len(self.filters)]
                batch = [f'{self.name} {number} {i}' for i in range(10)]
                if key in self.replicated:
                    _, copies = self.client(key, 'BF.MADD', key, *batch, after=('WAIT', 1, 1000))
                    if copies < 1:
                        continue
                else:
                    self.client(key, 'BF.MADD', key, *batch)
                self.acknowledged.append((key, batch))
                number += 1
        except BaseException as problem:  # told by the thread that joins
            self.problem = problem

    def check(self):
        self.is_stopped = True
        self.join()
        if self.problem:
            raise self.problem
        for key, batch in self.acknowledged:
            answers = self.client(key, 'BF.MEXISTS', key, *batch)
            assert answers == [1] * len(batch), f'{key} lost acknowledged keys'
        return 10 * len(self.acknowledged)
