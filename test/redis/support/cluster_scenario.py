"""A filter in shards of a cluster, queried while the shards move to other nodes and while a node is killed."""
import os
import random
import subprocess
import tempfile

from support.cluster import Cluster, Load, slot_of, wait_until

TOOL = os.environ['MEMBRANE']


def run_tool(*words, keys=None):
    done = subprocess.run([TOOL, *words], input=keys, capture_output=True, check=False)
    assert done.returncode in (0, 1), (words, done.stderr.decode())
    return done.stdout


def run_scenario(keys, shards, strangers=20000, failovers=1, seed=1):
    source = random.Random(seed)
    with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        members = os.path.join(folder, 'members')
        with open(members, 'w', encoding='ascii') as file:
            file.writelines(f'member {seed} {i}\n' for i in range(keys))
        others = b''.join(b'stranger %d %d\n' % (seed, i) for i in range(strangers))
        run_tool('push', members, '-q', '--redis', cluster.address(), '--name', 'seen', '--shards', str(shards), '--fpr', '0.1%')

        def check_answers(number):
            count = int(run_tool('query', 'seen', members, '--redis', cluster.address(number), '--count'))
            assert count == keys, f'{keys - count} of {keys} keys are missing'
            wrong = int(run_tool('query', 'seen', '--redis', cluster.address(number), '--count', keys=others))
            assert wrong <= 0.001 * strangers + 5 * (0.001 * strangers) ** 0.5, wrong

        check_answers(1)
        shares = [len(cluster.keys_in(number)) for number in range(3)]
        assert min(shares) > shards // 8, shares

        # A second push under the same name replaces the first filter, and all keys of the old one are deleted.
        again = subprocess.run([TOOL, 'push', members, '-q', '--redis', cluster.address(), '--name', 'seen'], capture_output=True, check=False)
        assert again.returncode == 5 and b'--force' in again.stderr
        run_tool('push', members, '-q', '--redis', cluster.address(2), '--name', 'seen', '--shards', str(shards), '--fpr', '0.1%', '--force')
        wait_until(lambda: sum(len(cluster.keys_in(number)) for number in range(3)) == shards + 1, 'deletion of the old shards')

        # Every shard of the first node moves to the second, under load.
        filters = [f'load:{{{i}}}' for i in range(shards)]
        load = Load([server.port for server in cluster.servers[:3]], filters)
        load.start()
        slots = sorted({slot_of(key.decode()) for key in cluster.keys_in(0)} | {slot_of(key) for key in filters if slot_of(key) < 16384 // 3})
        for slot in slots:
            cluster.move_slot(slot, 0, 1)
            if slot == slots[len(slots) // 2]:
                check_answers(0)
        print(f'{len(slots)} slots moved, {load.check()} keys added meanwhile')
        assert cluster.keys_in(0) == []
        check_answers(0)

        # The third primary dies; its replica has every key that was acknowledged with WAIT. It comes back as the replica of the other
        # one, which dies in its turn.
        replicated = frozenset(key for key in filters if slot_of(key) >= 2 * 16384 // 3)
        primary, replica, acknowledged = 2, 3, 0
        for turn in range(failovers):
            load = Load([cluster.servers[number].port for number in (0, 1, replica)], sorted(replicated), replicated, f'{seed} {turn}')
            load.start()
            least = source.randrange(20, 300)
            wait_until(lambda: len(load.acknowledged) > least or load.problem, 'keys to be added')
            cluster.servers[primary].kill()
            check_answers(replica)  # waits for the replica to be promoted
            assert b'role:master' in cluster.servers[replica].client()('INFO', 'replication')
            acknowledged += load.check()
            if turn + 1 < failovers:
                cluster.restart_as_replica(primary, of=replica)
                primary, replica = replica, primary
        print(f'{acknowledged} keys acknowledged around {failovers} failovers')
