"""A filter in shards of a cluster, queried while the shards move to other nodes and while a node is killed."""
import os
import subprocess
import tempfile

from support.cluster import Cluster, Load, slot_of, wait_until

TOOL = os.environ['MEMBRANE']


def run_tool(*words, keys=None):
    done = subprocess.run([TOOL, *words], input=keys, capture_output=True, check=False)
    assert done.returncode in (0, 1), (words, done.stderr.decode())
    return done.stdout


def run_scenario(keys, shards, strangers=20000):
    with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        members = os.path.join(folder, 'members')
        with open(members, 'w', encoding='ascii') as file:
            file.writelines(f'member {i}\n' for i in range(keys))
        others = b''.join(b'stranger %d\n' % i for i in range(strangers))
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

        # The third node dies; its replica has every key that was acknowledged with WAIT.
        replicated = frozenset(key for key in filters if slot_of(key) >= 2 * 16384 // 3)
        load = Load([cluster.servers[number].port for number in (0, 1, 3)], sorted(replicated), replicated)
        load.start()
        wait_until(lambda: len(load.acknowledged) > 20, 'keys to be added')
        cluster.servers[2].kill()
        check_answers(3)  # waits for the replica to be promoted
        assert b'role:master' in cluster.servers[3].client()('INFO', 'replication')
        print(f'{load.check()} keys acknowledged around the failover')
