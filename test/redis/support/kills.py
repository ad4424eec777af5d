"""kill -9 of a server under load: every key whose addition was acknowledged before is there after the restart.

Each writer also fills filters of several sizes, so that one of them is in the middle of a growth nearly always.
"""
import random
import socket
import threading
import time

from support.resp import Client
from support.server import Server


GROWING = 12  # filters


def create(client):
    client('BF.RESERVE', 'bf', '0.001', '200')
    client('CF.RESERVE', 'cf', '200', 'EXPANSION', '2')
    for i in range(GROWING):
        client('BF.RESERVE' if i % 2 else 'CF.RESERVE', f'{"bf" if i % 2 else "cf"} {i}', *(['0.01'] if i % 2 else []), 3000 + 700 * i)
    # So large that a growth takes several commands.
    for i in range(1, GROWING, 2):
        for first in range(0, 40_000, 1000):
            client('BF.MADD', f'bf {i}', *range(first, first + 1000))


def grows_now(client):
    """Whether a filter holds two tables, as it does while it grows."""
    return any(client('MEMORY', 'USAGE', f'bf {i}') > 1.5 * client('BF.INFO', f'bf {i}', 'SIZE')[0] for i in range(1, GROWING, 2))


class Writer(threading.Thread):
    """Adds keys until the server is killed, and keeps the acknowledged ones."""

    def __init__(self, port, cycle, number):
        super().__init__()
        self.port, self.name_of = port, f'{cycle} {number} '
        self.bloom, self.cuckoo, self.erased, self.counted = [], [], [], 0
        self.grown = []

    def run(self):
        try:
            client = Client(self.port)
            for i in range(1000000):
                batch = [f'{self.name_of}{i} {j}' for j in range(20)]
                if client('BF.MADD', 'bf', *batch):
                    self.bloom += batch
                if client('CF.INSERT', 'cf', 'ITEMS', *batch):
                    self.cuckoo += batch
                gone = batch[0]
                self.erased.append(gone)  # may be present or not, from here on
                client('CF.DEL', 'cf', gone)
                client('CMS.INCRBY', 'cms', self.name_of, '3')
                self.counted += 3
                # A growth of these moves a few lines with each command.
                key, several = f'{"bf" if i % 2 else "cf"} {i % GROWING}', [f'{self.name_of}{i} {j} of several' for j in range(150)]
                if client('BF.MADD', key, *several) if i % 2 else client('CF.INSERT', key, 'ITEMS', *several):
                    self.grown += [(key, item) for item in several]
                client('TOPK.ADD', 'topk', self.name_of)
        except (ConnectionError, OSError, socket.timeout):
            pass


def run_kills(cycles, seed):
    """Returns the number of acknowledged keys that were checked."""
    source = random.Random(seed)
    acknowledged = 0
    with Server('--appendonly', 'yes', '--appendfsync', 'always', '--auto-aof-rewrite-min-size', '200kb',
                '--auto-aof-rewrite-percentage', '50') as server:
        client = server.client()
        create(client)
        client('CMS.INITBYDIM', 'cms', '1000', '4')
        client('TOPK.RESERVE', 'topk', '10')
        killed_while_growing = 0
        for cycle in range(cycles):
            writers = [Writer(server.port, cycle, number) for number in range(2)]
            for writer in writers:
                writer.start()
            time.sleep(source.uniform(0.02, 0.25))
            if cycle % 2:  # waits for a growth for a moment
                deadline = time.time() + 3
                while not (is_growing := grows_now(client)) and time.time() < deadline:
                    pass
                killed_while_growing += is_growing
            server.kill()
            for writer in writers:
                writer.join()
            server.start()
            client = server.client()
            for writer in writers:
                erased = set(writer.erased)
                kept = [key for key in writer.cuckoo if key not in erased]
                several = [(f'{key[:2].upper()}.MEXISTS', key, [item for at, item in writer.grown if at == key])
                           for key in sorted({key for key, _ in writer.grown})]
                for command, key, members in (('BF.MEXISTS', 'bf', writer.bloom), ('CF.MEXISTS', 'cf', kept), *several):
                    for first in range(0, len(members), 1000):
                        part = members[first:first + 1000]
                        answers = client(command, key, *part)
                        lost = [member for member, there in zip(part, answers) if not there]
                        assert not lost, f'cycle {cycle}: {command} lost {len(lost)} keys, among them {lost[:3]}'
                    acknowledged += len(members)
                estimate = client('CMS.QUERY', 'cms', writer.name_of)[0]
                assert estimate >= writer.counted, (estimate, writer.counted)
            assert client('DEBUG', 'DIGEST')
            # Starts again with an empty stack, so that a long run does not only test a large one.
            if client('BF.CARD', 'bf') > 100000 or client('BF.CARD', 'bf 1') > 200000:
                client('FLUSHALL')
                create(client)
                client('CMS.INITBYDIM', 'cms', '1000', '4')
                client('TOPK.RESERVE', 'topk', '10')
        print(f'{killed_while_growing} of {cycles} kills while a filter grew')
        assert killed_while_growing, 'no kill met a growth'
        assert server.log_text().count('DB loaded from') >= cycles
    return acknowledged
