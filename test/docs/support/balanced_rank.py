"""The kind balanced_rank, packed numbers and patches, written from doc/format.md alone (format_reader.py, format_numbers.py)."""
import struct

from support.format_hashes import MASK, fastrange, remix

FIXED, GROWABLE, ERASABLE = range(3)
GOLDEN = 0x9E3779B97F4A7C15


class BalancedRank:
    def __init__(self, fields, payload):
        (self.form, self.lines, self.chains, self.cells, self.bits, self.served,
         self.chains2, self.cells2, self.bits2, self.slots, self.universe) = fields
        self.payload = payload
        self.second_lines = -(-self.lines * self.chains // self.served)
        self.read_lines = {}
        self.count_bits = 64 - self.second_lines.bit_length() - 6 - self.bits2
        at = 64 * (self.lines + self.second_lines) + 64
        words = struct.unpack_from(f"<{self.slots}Q", payload, at)
        assert sum(word != 0 for word in words) == struct.unpack_from("<Q", payload, at - 64)[0]
        self.listed = {}
        for word in filter(None, words):
            number = (word >> self.count_bits) - 1
            self.listed[number] = self.listed.get(number, 0) + (word & (1 << self.count_bits) - 1) + 1
        self.check_spec()

    def check_spec(self):
        """The rules between the fields of a filter that a reader may open."""
        assert self.chains + self.cells * (self.bits + 1) + 1 <= 512
        assert self.chains2 + self.cells2 * (self.bits2 + 1) + 1 <= 512
        assert self.second_lines.bit_length() + 6 + self.bits2 <= 55
        if self.form == FIXED:
            assert self.universe == 0 and self.bits <= 32
            return
        odd = self.universe // (self.universe & -self.universe)
        self.stride = (1 << 64) // self.universe
        self.places = self.lines * self.chains << self.bits
        assert 2 <= self.universe <= 1 << 54 and odd < 4096 and self.lines < self.universe
        assert self.places <= 1 << 62 and self.places * self.stride >= 1 << 64
        assert self.bits2 >= self.bits and self.chains2 << self.bits2 - self.bits >= self.served

    def line(self, line):
        """The entries of a line of either table, in order, and whether it has forwarded."""
        if line not in self.read_lines:
            is_first = line < self.lines
            shape = (self.chains, self.cells, self.bits) if is_first else (self.chains2, self.cells2, self.bits2)
            self.read_lines[line] = self.parsed(line, *shape)
        return self.read_lines[line]

    def parsed(self, line, chains, cells, bits):
        whole = int.from_bytes(self.payload[64 * line:64 * line + 64], "little")
        take = lambda at, count: whole >> at & (1 << count) - 1
        in_bytes = 8 if bits >= 8 else 7 if bits == 7 else 0

        def fingerprint(i):
            value = take(8 * i, in_bytes) if in_bytes else 0
            for plane in range(bits - in_bytes):
                value |= take((8 if in_bytes else 0) * cells + plane * cells + i, 1) << in_bytes + plane
            return value

        def continues(i):
            return take(8 * i + 7, 1) if bits == 7 else take(511 - chains - cells + i, 1)

        entries = []
        for chain in range(chains):
            more = take(511 - chains + chain, 1)
            while more:
                more = continues(len(entries))
                entries.append((chain, fingerprint(len(entries))))
        assert entries == sorted(entries)
        return entries, take(511, 1)

    def number_of(self, h):
        return fastrange(h[0], self.universe)

    def entry_of(self, h):
        """Line, chain and fingerprint of a key in the first table."""
        low, high = h
        if self.form == FIXED:
            return fastrange(low, self.lines), (high >> 32) * self.chains >> 32, high & (1 << self.bits) - 1
        assert self.stride * self.lines < 1 << 64
        p = self.number_of(h) * (self.stride * self.lines)
        q = (p & MASK) * self.chains
        return p >> 64, q >> 64, (q & MASK) >> 64 - self.bits

    def second_of(self, line, chain, fingerprint):
        if self.form == FIXED:
            entry = (line << 6 | chain, fingerprint)
            word = remix(entry, 0x703)
            return fastrange(remix(entry, 0x702), self.second_lines), (word >> 32) * self.chains2 >> 32, word & (1 << self.bits2) - 1
        moved = (line + chain * fastrange(GOLDEN, self.lines)) % self.lines
        line2, y = divmod(moved * self.chains + chain, self.served)
        return line2, y % self.chains2, y // self.chains2 << self.bits | fingerprint

    def listed_number(self, line2, chain2, fingerprint2):
        return (line2 << 6 | chain2) << self.bits2 | fingerprint2

    def answer(self, h):
        """How often an erasable filter has the key's number; of the others, whether they have its entry."""
        line, chain, fingerprint = self.entry_of(h)
        entries, forwarded = self.line(line)
        times = entries.count((chain, fingerprint))
        if forwarded and chain >= entries[-1][0]:
            line2, chain2, fingerprint2 = self.second_of(line, chain, fingerprint)
            entries, forwarded = self.line(self.lines + line2)
            times += entries.count((chain2, fingerprint2))
            if forwarded and chain2 >= entries[-1][0]:
                times += self.listed.get(self.listed_number(line2, chain2, fingerprint2), 0)
        return times if self.form == ERASABLE else min(times, 1)

    # ---- growable and erasable: from the entries back to the numbers

    def origin(self, line2, chain2, fingerprint2):
        y = (fingerprint2 >> self.bits) * self.chains2 + chain2
        moved, chain = divmod(line2 * self.served + y, self.chains)
        assert y < self.served and moved < self.lines
        return (moved - chain * fastrange(GOLDEN, self.lines)) % self.lines, chain, fingerprint2 & (1 << self.bits) - 1

    def number_at(self, line, chain, fingerprint):
        place = (line * self.chains + chain << self.bits) + fingerprint
        number = -((-place << 64) // (self.stride * self.places))
        assert number < self.universe and number * self.stride * self.places >> 64 == place, "the entry of no number"
        return number

    def numbers(self):
        """Each number and how often it is there."""
        found = {}

        def add(entry, times):
            number = self.number_at(*entry)
            found[number] = found.get(number, 0) + times

        for line in range(self.lines):
            for entry in self.line(line)[0]:
                add((line, *entry), 1)
        for line2 in range(self.second_lines):
            for entry in self.line(self.lines + line2)[0]:
                add(self.origin(line2, *entry), 1)
        for number, times in self.listed.items():
            rest, fingerprint2 = number >> self.bits2, number & (1 << self.bits2) - 1
            add(self.origin(rest >> 6, rest & 63, fingerprint2), times)
        return found


class Bits:
    def __init__(self, data):
        self.value, self.count, self.at = int.from_bytes(data, "little"), 8 * len(data), 0
        self.text = "".join(f"{byte:08b}"[::-1] for byte in data)

    def take(self, count):
        assert self.at + count <= self.count
        piece = self.text[self.at:self.at + count]
        self.at += count
        return int(piece[::-1], 2) if piece else 0

    def ones(self):
        end = self.text.index("0", self.at)
        ones, self.at = end - self.at, end + 1
        return ones


def unpacked(data, universe, form):
    """Packed numbers: each and how often it is there."""
    distinct, parameter = struct.unpack_from("<QB", data)
    bits, found, last = Bits(data[9:]), {}, -1

    def rice():
        high = bits.ones()
        return high << parameter | bits.take(parameter)

    gap = rice() if form == ERASABLE else None
    for _ in range(distinct):
        gap = gap if form == ERASABLE else rice() + 1
        last += gap
        assert gap >= 1 and last < universe
        found[last] = 1
        if form == ERASABLE:
            gap = rice()
            if gap == 0:
                width = bits.ones()
                found[last] = (1 << width | bits.take(width)) + 1
                gap = rice()
    assert form != ERASABLE or gap == 1
    assert bits.count - bits.at < 8 and bits.take(bits.count - bits.at) == 0
    return found
