#!/usr/bin/env python3
"""One file, asked by C++, C, the tool, Python and Redis, gives the same bits: of keys that are in it and of strangers, of which a fifth are false
positives, for text, bytes and integers; C++ and Python also for pairs."""
import os
import random
import subprocess
import sys
import tempfile
import unittest

import membrane

try:
    import numpy
except ImportError:
    numpy = None

SOURCE = os.environ['MEMBRANE_SOURCE_DIR']


# MEMBRANE_COUNT: about so many keys for each filter, of the seed MEMBRANE_SEED.
TIMES = max(1, int(os.environ.get('MEMBRANE_COUNT', '0')) // 1700)
SEED = int(os.environ.get('MEMBRANE_SEED', '7'))


def some_keys():
    chance = random.Random(SEED)
    texts = ['', 'ann', 'Straße', '日本', '\U0001f600', ' x ', '0', '1', 'a\0b']
    texts += [f'user{chance.randrange(10**9)}@example.org' for _ in range(600 * TIMES)]
    binary = [chance.randbytes(length) for length in list(range(1, 70)) * 4]
    numbers = [0, 1, -1, 255, 2**31, 2**32 - 1, -2**63, 2**63 - 1, 2**63, 2**64 - 2]
    numbers += [chance.getrandbits(64) for _ in range(300 * TIMES)] + [-chance.getrandbits(40) for _ in range(300 * TIMES)]
    return texts, binary, numbers


def as_bytes(key):
    return key.encode() if isinstance(key, str) else key


def eight_bytes(number):
    return (number % 2**64).to_bytes(8, 'little')


class SameAnswers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, 'asked.mbr')

    def tearDown(self):
        self.folder.cleanup()

    def ask_program(self, name, texts, numbers, pairs=()):
        program = os.environ.get(name)
        if not program:
            return None
        lines = [f'b {as_bytes(key).hex()}' for key in texts] + [f'i {number}' for number in numbers]
        lines += [f'p {as_bytes(text).hex()} {number}' for text, number in pairs]
        run = subprocess.run([program, self.path], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=True)
        return [line == '1' for line in run.stdout.split()]

    def ask_tool(self, texts, numbers):
        tool = os.environ.get('MEMBRANE')
        if not tool:
            return None
        lines = [as_bytes(key).hex() for key in texts]
        found = subprocess.run([tool, 'query', '--keep-blank', '--format', 'hex', self.path], input='\n'.join(lines) + '\n', capture_output=True, text=True,
                               check=False).stdout.split('\n')[:-1]
        hits = set(found)
        records = b''.join(map(eight_bytes, numbers))
        found_numbers = subprocess.run([tool, 'query', '--format', 'u64', self.path], input=records, capture_output=True, check=False).stdout
        number_hits = {found_numbers[i:i + 8] for i in range(0, len(found_numbers), 8)}
        return [line in hits for line in lines] + [eight_bytes(number) in number_hits for number in numbers]

    def ask_redis(self, client, key, keys):
        with open(self.path, 'rb') as file:
            content = file.read()
        self.assertEqual(client('MBR.LOAD', key, len(content) + 1, content), 'OK')
        return self.asked_redis(client, key, keys)

    @staticmethod
    def asked_redis(client, key, keys):
        # Filters that erase are those of the CF commands.
        return [answer == 1 for answer in client('CF.MEXISTS' if 'erasable' in key else 'BF.MEXISTS', key, *keys)]

    def check(self, make, client, name):
        texts, binary, numbers = some_keys()
        pairs = [(text, index - 5) for index, text in enumerate(texts[:200 * TIMES])]
        texts = texts + binary
        # Sized for as many keys as are added: so full that a fifth of the strangers are false positives.
        seen = make(sum(map(len, (texts[::2], numbers[::2], pairs[::2]))))
        seen.update(texts[::2])
        seen.update(numbers[::2])
        seen.update(pairs[::2])
        seen.save(self.path)
        everything = texts + numbers
        with membrane.open(self.path) as mapped:
            wanted = [key in mapped for key in everything]
            of_pairs = [key in mapped for key in pairs]
            self.assertEqual(mapped.contains(everything + pairs), wanted + of_pairs)
            if numpy is not None:
                unsigned = numpy.array([number % 2**64 for number in numbers], dtype=numpy.uint64)
                self.assertEqual(list(mapped.contains(unsigned)), wanted[len(texts):])
                self.assertEqual(list(mapped.contains(unsigned.astype(numpy.int64))), wanted[len(texts):])
                lengths = numpy.array([0] + [len(as_bytes(text)) for text in texts])
                packed = membrane.Strings(lengths.cumsum(), b''.join(map(as_bytes, texts)))
                self.assertEqual(list(mapped.contains(packed)), wanted[:len(texts)])
        self.assertTrue(all(wanted[:len(texts):2]) and all(wanted[len(texts)::2]) and all(of_pairs[::2]))
        strangers = wanted[1:len(texts):2] + wanted[len(texts) + 1::2]
        # One fifth of the answers can differ: 5 sigma around the planned rate, which few keys of a filter of many sizes meet exactly.
        self.assertLess(abs(sum(strangers) / len(strangers) - 0.2), 5 * (0.16 / len(strangers)) ** 0.5 + 0.01)
        asked = 1
        for who in ('MEMBRANE_ASK_CPP', 'MEMBRANE_ASK_C'):
            is_cpp = who.endswith('CPP')
            found = self.ask_program(who, texts, numbers, pairs if is_cpp else ())
            if found is not None:
                self.assertEqual(found, wanted + of_pairs if is_cpp else wanted, f'{who}, {name}')
                asked += 1
        found = self.ask_tool(texts, numbers)
        if found is not None:
            self.assertEqual(found, wanted, f'the tool, {name}')
            asked += 1
        if client is not None:
            self.assertEqual(self.ask_redis(client, name, [as_bytes(text) for text in texts]), wanted[:len(texts)], name)
            if 'fold' not in name:  # with the others an integer is its eight bytes
                self.assertEqual(self.asked_redis(client, name, map(eight_bytes, numbers)), wanted[len(texts):])
            asked += 1
        return asked

    def test_same_answers(self):
        askers = set()

        def all_filters(client):
            for kind, names in (('grows', {}), ('erasable', {'erase': True}), ('blocked', {'kind': 'blocked_bloom'})):
                for hash in ('fold', 'siphash13', 'xxh3'):
                    askers.add(self.check(lambda keys, of=(hash, names): membrane.Filter(keys, 0.2, hash=of[0], **of[1]), client, f'{kind} {hash}'))
        if os.environ.get('MEMBRANE_REDIS_MODULE'):
            sys.path.insert(0, os.path.join(SOURCE, 'test', 'redis'))
            from support.server import Server
            with Server() as server:
                all_filters(server.client())
        else:
            all_filters(None)
        print(f'{askers} askers', file=sys.stderr)
        self.assertEqual(len(askers), 1)


if __name__ == '__main__':
    unittest.main()
