#!/usr/bin/env python3
"""Reads every golden file by doc/format.md alone and answers as the library does.

A second reader, written from the document and sharing no line with the library: what the document leaves out, this
would not know. It computes siphash13, fold, mix of integers and ready hashes; xxh3 is a published function that Python has
not, so keys that need it are left out, and so are the checksums.
"""
import os
import pathlib
import struct
import sys

from support.balanced_rank import FIXED, ERASABLE, BalancedRank
from support.format_hashes import MASK, fastrange, finalise, fold_of_integer, mix, positions, remix, siphash13

# bloom, counting_bloom, blocked_bloom, count_min, choice_bloom, balanced_bloom, rank, balanced_rank
KINDS = {1, 2, 3, 4, 5, 6, 7, 8}


class Filter:
    def __init__(self, data):
        assert data[:8] == b"\x89MBR\r\n\x1a\n"
        version, header_bytes, self.kind, self.hash, must, _ = struct.unpack_from("<IIIIQQ", data, 8)
        assert version == 1 and header_bytes % 64 == 0 and must == 0
        self.low, self.high, self.planned_keys = struct.unpack_from("<QQQ", data, 40)
        payload_bytes = struct.unpack_from("<Q", data, 80)[0]
        count, reserved = struct.unpack_from("<II", data, 96)
        self.fields = struct.unpack_from(f"<{count}Q", data, 104)
        self.payload = data[header_bytes:]
        assert reserved == 0 and len(self.payload) == payload_bytes
        self.chained = {}
        self.lines = BalancedRank(self.fields, self.payload) if self.kind == 8 else None

    def hash_of(self, i):
        """Key number i of the golden files, hashed; None where that needs xxh3."""
        if i % 3 == 2:
            return finalise(i), finalise(~i & MASK)
        if self.hash == 1 or (self.hash == 5 and i % 3 == 0):
            return siphash13(self.low, self.high, f"key-{i}".encode() if i % 3 == 0 else struct.pack("<Q", i))
        if self.hash == 3 and i % 3 == 1:
            return mix(self.low, self.high, i)
        if self.hash == 5:
            return fold_of_integer(self.low, self.high, i)
        return None

    def flat_positions(self, h):
        return positions(h, *self.fields)

    def group_positions(self, h, group):
        size, _, k, probes, growth, strides = self.fields[:6]
        if probes == 3:
            return self.block_positions(h, size // 512, 512, k, 0, 0x10000 * group)
        return positions(h, size, k, probes, growth, strides, 0, 0, 0x10000 * group)

    def block_positions(self, h, blocks, block_bits, k, fold, streams=0):
        block = fastrange(remix(h, 2), blocks) >> fold
        width = {256: 8, 512: 9}[block_bits]
        for i in range(k):
            word = remix(h, 0x100 + streams + i // (64 // width))
            yield block * block_bits + (word >> width * (i % (64 // width))) % block_bits

    def lane_positions(self, h, blocks, block_bits, k, fold, lanes):
        lane_bits = {1: 32, 2: 64}[lanes]
        first = (fastrange(h[0], blocks) >> fold) * block_bits
        for lane in range(k):
            word, j = h[1] if lane < 8 else remix(h, 0x100), lane % 8
            if lane_bits == 64:
                position = word >> 58 - 6 * j & 63
            else:
                position = word >> 32 * (j % 2) + 27 - 5 * (j // 2) & 31
            yield first + lane * lane_bits + position

    def columns(self, h):
        rows, width, depth, copies = self.fields[:4]
        for row in range(depth * copies):
            copy, j = divmod(row, depth)
            if rows == 0:
                column = fastrange(remix(h, 0x300 + row), width)
            else:
                column = (fastrange(remix(h, 0x400 + copy), width) + j * fastrange(remix(h, 0x500 + copy), width)) % width
            yield row * width + column

    def balanced_answer(self, h):
        scheme, rule, block_bits, k, d, slots, accesses_permille = self.fields[:7]
        tables = [self.fields[7 + 3 * t:10 + 3 * t] for t in range(3)]
        blocks_bytes = -(-sum(blocks for blocks, _, _ in tables) * block_bits // 8 // 64) * 64
        has_budget = scheme == 1 and accesses_permille != 0
        is_spent = has_budget and self.number(blocks_bytes) >= -(-self.planned_keys * accesses_permille // 1000)
        list_at = blocks_bytes + (64 if has_budget else 0) + 64
        word = remix(h, 8) or 1
        listed = int(any(self.number(list_at + 8 * slot) == word for slot in range(slots)))
        for j in range(d):
            t = j if scheme == 2 else 0
            blocks, threshold, p = tables[t]
            block = sum(count for count, _, _ in tables[:t]) + fastrange(remix(h, 0x900 + j), blocks)
            state_bits = (threshold + (3 if rule >= 2 else 1)).bit_length()
            usable = block_bits - state_bits
            positions = [(remix(h, 0xB00 + i // 4) >> 16 * (i % 4) & 0xFFFF) * usable >> 16 for i in range(k)]
            if all(self.bit(block * block_bits + at) for at in positions):
                return 1
            state = sum(self.bit(block * block_bits + usable + i) << i for i in range(state_bits))
            load, refused = (state, False) if state < threshold + 2 else (state - 2, True)
            coin = remix(h, 0xA00 + j) >> 32 < p
            if load < threshold or (rule >= 2 and not refused) or (rule % 2 == 1 and load == threshold and coin):
                return listed if is_spent else 0
        return listed

    def bits(self, at, count):
        return sum(self.bit(at + i) << i for i in range(count))

    def chained_bucket(self, item):
        """Of the kind rank: base bits, higher bits and cells of a bucket with its extensions."""
        _, buckets, chains, width = self.fields[:4]
        cells, counts, cell_bits = self.fields[4:7], (buckets, *self.fields[7:9]), width + self.fields[9]
        links = [(count - 1).bit_length() if count else 0 for count in counts[1:]]
        sizes = [chains + cells[0] * (1 + cell_bits) + 1 + links[0], cells[1] * (1 + cell_bits) + 1 + links[1],
                 cells[2] * (1 + cell_bits)]
        first = [0, buckets * sizes[0] + counts[1]]
        first.append(first[1] + counts[1] * sizes[1] + counts[2])
        at = item * sizes[0]
        base = [self.bit(at + i) for i in range(chains)]
        at += chains
        higher, entries = [], []
        for level in range(3):
            higher += [self.bit(at + i) for i in range(cells[level])]
            at += cells[level]
            follows = level < 2 and self.bit(at)
            if level < 2:
                item = self.bits(at + 1, links[level])
                at += 1 + links[level]
            entries += [self.bits(at + i * cell_bits, cell_bits) for i in range(cells[level])]
            if not follows:
                break
            at = first[level + 1] + item * sizes[level + 1]
        return base, higher, entries

    def chained_answer(self, h):
        """Of the kind rank: how often its fingerprint is in the key's chain."""
        mode, buckets, chains, width = self.fields[:4]
        product = remix(h, 0x710) * buckets
        item, number = product >> 64, fastrange(product & MASK, chains)
        if item not in self.chained:
            self.chained[item] = self.chained_bucket(item)
        marks, higher, entries = self.chained[item]
        fingerprint, times, begin = remix(h, 0x711) % (1 << width), 0, 0
        while marks[number]:
            number, end = sum(marks[:number]), begin + sum(marks)
            cell = entries[begin + number]
            if cell % (1 << width) == fingerprint:
                times += 1 + ((cell >> width) if mode == 1 else 0)
            marks, begin = higher[begin:end], end
        return times

    def number(self, at):
        return int.from_bytes(self.payload[at:at + 8], "little")

    def bit(self, i):
        return self.payload[i // 8] >> i % 8 & 1

    def estimate(self, h):
        """The least cell of a key; kinds of bits have cells of 0 and 1."""
        if self.kind == 1:
            return min(self.bit(at) for at in self.flat_positions(h))
        if self.kind == 2:
            return min(self.payload[at // 2] >> 4 * (at % 2) & 15 for at in self.flat_positions(h))
        if self.kind == 3:
            has_lanes = self.fields[4] != 0
            places = self.lane_positions(h, *self.fields) if has_lanes else self.block_positions(h, *self.fields[:4])
            return min(self.bit(at) for at in places)
        if self.kind == 5:
            groups = range(self.fields[1])
            return max(min(self.bit(at) for at in self.group_positions(h, group)) for group in groups)
        if self.kind == 6:
            return self.balanced_answer(h)
        if self.kind == 8:
            return self.lines.answer(h)
        if self.kind == 7:
            return self.chained_answer(h)
        size = self.fields[4] // 8
        return min(int.from_bytes(self.payload[at * size:at * size + size], "little") for at in self.columns(h))


def check_numbers(name, filter, members):
    """That a growable or erasable filter stands for the numbers of its members, as far as they can be hashed here."""
    numbers = filter.lines.numbers()
    hashes = list(map(filter.hash_of, members))
    expected = {filter.lines.number_of(h) for h in hashes if h is not None}
    assert expected <= numbers.keys() and (None in hashes or expected == numbers.keys()), f"{name}: other numbers"
    assert filter.lines.form == ERASABLE or set(numbers.values()) == {1}, f"{name}: a number twice"


def check(path):
    golden = Filter(path.read_bytes())
    pinned = dict(line.split(":") for line in path.with_suffix(".txt").read_text().splitlines())
    members = range(golden.planned_keys)
    estimates = pinned.get("estimates of the members", " 1" * len(members)).split()
    found = next(value for name, value in pinned.items() if name.startswith("false positives")).split()
    yes = dict((int(i), int(count or 1)) for i, _, count in (entry.partition("=") for entry in found))
    if golden.kind == 8 and golden.lines.form != FIXED:
        check_numbers(path.name, golden, members)
    checked = 0
    for i in [*members, *range(1_000_000, 1_000_001 + max(yes))]:
        key_hash = golden.hash_of(i)
        if key_hash is None:
            continue
        expected = int(estimates[i]) if i < len(members) else yes.get(i - 1_000_000, 0)
        answer = golden.estimate(key_hash)
        assert answer == expected, f"{path.name}: key {i}: {answer}, expected {expected}"
        checked += 1
    return checked


def main():
    folder = pathlib.Path(os.environ.get("MEMBRANE_SOURCE_DIR", ".")) / "test/golden/v1"
    files = sorted(folder.glob("*.mbr"))
    if not files:
        sys.exit(f"{folder}: no golden file")
    known = [path for path in files if Filter(path.read_bytes()).kind in KINDS]
    answers = sum(check(path) for path in known)
    print(f"{len(known)} golden files, {answers} answers agree; {len(files) - len(known)} files of other kinds left out")


if __name__ == "__main__":
    main()
