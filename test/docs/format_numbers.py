#!/usr/bin/env python3
"""Growable and erasable filters, their packed forms and patches, as the tool writes them, read by doc/format.md alone.

The golden files are small; these grow, have repeated keys, forwarded entries and entries in the list.
"""
import os
import pathlib
import struct
import subprocess
import tempfile

from format_reader import Filter
from support.balanced_rank import ERASABLE, GROWABLE, unpacked
from support.format_hashes import siphash13

TOOL = os.environ["MEMBRANE"]
PAYLOAD_CHECKSUM = 88  # in a header


def run(*arguments, keys=None):
    text = None if keys is None else "".join(f"{key}\n" for key in keys).encode()
    return subprocess.run([TOOL, *arguments], input=text, check=True, stdout=subprocess.PIPE).stdout


def opened(path):
    return Filter(pathlib.Path(path).read_bytes())


def hash_of(filter, key):
    return siphash13(filter.low, filter.high, str(key).encode())


def expected_numbers(filter, keys):
    found = {}
    for key in keys:
        number = filter.lines.number_of(hash_of(filter, key))
        found[number] = found.get(number, 0) + 1 if filter.lines.form == ERASABLE else 1
    return found


def check_filter(path, keys):
    filter = opened(path)
    assert filter.lines.numbers() == expected_numbers(filter, keys), f"{path}: other numbers"
    asked = range(1, 2 * max(keys) + 2)
    yes = set(map(int, run("query", path, keys=asked).split()))
    for key in asked:
        assert (filter.lines.answer(hash_of(filter, key)) > 0) == (key in yes), f"{path}: key {key}"
    return filter, len(asked)


def header_of(data):
    size = struct.unpack_from("<I", data, 12)[0]
    fields = struct.unpack_from(f"<{struct.unpack_from('<I', data, 96)[0]}Q", data, 104)
    return data[:size], fields


def check_pack(path, filter):
    run("pack", "-q", "--force", path, "-o", "sent.pack")
    data = pathlib.Path("sent.pack").read_bytes()
    assert data[:8] == b"\x89MBP\r\n\x1a\n"
    header, fields = header_of(data[8:])
    at = 8 + len(header)
    size = struct.unpack_from("<Q", data, at)[0]
    assert len(data) == at + 16 + size
    assert unpacked(data[at + 16:], fields[10], fields[0]) == filter.lines.numbers(), f"{path}: other packed numbers"
    run("unpack", "-q", "--force", "sent.pack", "-o", "made.mbr")
    assert pathlib.Path("made.mbr").read_bytes()[:len(header)] == header
    assert opened("made.mbr").lines.numbers() == filter.lines.numbers()


def check_patch(old_path, new_path):
    run("diff", "-q", "--force", old_path, new_path, "-o", "day.mbp")
    data = pathlib.Path("day.mbp").read_bytes()
    assert data[:8] == b"\x89MBD\r\n\x1a\n"
    header, fields = header_of(data[8:])
    new = pathlib.Path(new_path).read_bytes()
    assert header == new[:len(header)]
    at = 8 + len(header)
    older, came_bytes, went_bytes, _ = struct.unpack_from("<4Q", data, at)
    assert older == struct.unpack_from("<Q", pathlib.Path(old_path).read_bytes(), PAYLOAD_CHECKSUM)[0]
    assert len(data) == at + 32 + came_bytes + went_bytes
    came = unpacked(data[at + 32:at + 32 + came_bytes], fields[10], fields[0])
    went = unpacked(data[at + 32 + came_bytes:], fields[10], fields[0])
    made = opened(old_path).lines.numbers()
    for number, times in went.items():
        made[number] -= times
    for number, times in came.items():
        made[number] = made.get(number, 0) + times
    assert {number: times for number, times in made.items() if times} == opened(new_path).lines.numbers()
    run("patch", "-q", "--force", old_path, "day.mbp", "-o", "made.mbr")
    assert pathlib.Path("made.mbr").read_bytes() == new
    return len(came), len(went)


def main():
    answers, forwarded, listed = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for form, options in ((GROWABLE, ["--kind", "balanced_rank:form=growable"]),
                              (ERASABLE, ["--kind", "balanced_rank:form=erasable", "--keep-duplicates"])):
            for first, then, *sizing in ((1, 5, "--fpr", "10%"), (3000, 5000, "--fpr", "1%"),
                                         (2000, 4000, "--fpr", "0.1%", "--grow-to", "1M"),
                                         (500, 700, "--fpr", "1e-9"), (2000, 5000, "--fpr", "30%")):
                keys = [*range(1, first + 1), *(range(1, first // 2 + 1))]
                if form == ERASABLE:
                    keys += [7] * 200  # more than two lines hold: the others are in the list
                run("build", "-q", "--force", "-o", "old.mbr", *options, *sizing, keys=keys)
                old, asked = check_filter("old.mbr", keys)
                assert old.lines.form == form
                check_pack("old.mbr", old)
                pathlib.Path("new.mbr").write_bytes(pathlib.Path("old.mbr").read_bytes())
                run("add", "-q", "new.mbr", keys=range(first + 1, then + 1))
                gone = range(1, first // 4 + 1) if form == ERASABLE else []
                if gone:
                    run("remove", "-q", "new.mbr", keys=gone)
                new = opened("new.mbr")
                if form == GROWABLE:
                    _, more = check_filter("new.mbr", [*keys, *range(first + 1, then + 1)])
                    asked += more
                came, went = check_patch("old.mbr", "new.mbr")
                assert came or went
                answers += asked
                lines = new.lines
                forwarded += sum(len(lines.line(lines.lines + i)[0]) for i in range(lines.second_lines))
                listed += len(lines.listed)
    assert forwarded > 0 and listed > 0
    print(f"{answers} answers, their numbers, packs and patches agree; "
          f"{forwarded} entries of second tables and {listed} of lists")


if __name__ == "__main__":
    main()
