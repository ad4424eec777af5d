"""Values changed by an attacker who knows the format: all checksums are computed again after a change.

A saved value is taken apart into the numbers and strings that the module wrote; these are changed, their own checksums
(XXH3 of headers and payloads) and the server's (CRC64 of the dump) are computed anew, so that what is tested are the checks
behind them. Every change comes from a seed, and the server must answer PING after each.
"""
import ctypes
import os
import random
import struct
import subprocess
import tempfile

from support.resp import ReplyError

XXH = ctypes.CDLL('libxxhash.so.0')
XXH.XXH3_64bits.restype = ctypes.c_uint64
XXH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

MODULE_TYPE, OPCODE_END, OPCODE_NUMBER, OPCODE_STRING = 7, 0, 2, 5
STACK_HEADER, STACK_SUM_AT = 96, 88
MBR_HEADER_LENGTH_AT, MBR_PAYLOAD_SUM_AT = 12, 88
TOPK_HEADER, TOPK_SUM_AT, TOPK_ITEM_BYTES_AT = 80, 72, 56


def xxh3(data):
    return XXH.XXH3_64bits(bytes(data), len(data))


def crc64_table():
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x95ac9329ac4bc9b5 if value & 1 else 0)
        table.append(value)
    return table


TABLE = crc64_table()


def crc64(data):
    value = 0
    for byte in data:
        value = TABLE[(value ^ byte) & 255] ^ value >> 8
    return value


def length(number):
    if number < 64:
        return bytes([number])
    if number < 1 << 14:
        return bytes([0x40 | number >> 8, number & 255])
    if number < 1 << 32:
        return b'\x80' + struct.pack('>I', number)
    return b'\x81' + struct.pack('>Q', number)


def read_length(data, at):
    first = data[at]
    if first >> 6 == 0:
        return first, at + 1
    if first >> 6 == 1:
        return (first & 63) << 8 | data[at + 1], at + 2
    if first == 0x80:
        return struct.unpack_from('>I', data, at + 1)[0], at + 5
    return struct.unpack_from('>Q', data, at + 1)[0], at + 9


def unpress(data, size):
    """LZF, the compression of strings in RDB."""
    out, at = bytearray(), 0
    while at < len(data):
        control = data[at]
        at += 1
        if control < 32:
            out += data[at:at + control + 1]
            at += control + 1
            continue
        count = control >> 5
        if count == 7:
            count += data[at]
            at += 1
        start = len(out) - ((control & 31) << 8) - data[at] - 1
        at += 1
        for i in range(count + 2):
            out.append(out[start + i])
    assert len(out) == size
    return bytes(out)


def take_apart(dump):
    """The number of the module and the list of its saved fields: integers and bytes."""
    assert dump[0] == MODULE_TYPE and crc64(dump[:-8]) == struct.unpack('<Q', dump[-8:])[0]
    module, at = read_length(dump, 1)
    parts = []
    while True:
        opcode, at = read_length(dump, at)
        if opcode == OPCODE_END:
            return module, parts
        if opcode == OPCODE_NUMBER:
            number, at = read_length(dump, at)
            parts.append(number)
        elif dump[at] == 0xc3:
            pressed, at = read_length(dump, at + 1)
            size, at = read_length(dump, at)
            parts.append(unpress(dump[at:at + pressed], size))
            at += pressed
        else:
            size, at = read_length(dump, at)
            parts.append(dump[at:at + size])
            at += size


def put_together(module, parts, version):
    data = bytes([MODULE_TYPE]) + length(module)
    for part in parts:
        if isinstance(part, int):
            data += length(OPCODE_NUMBER) + length(part)
        else:
            data += length(OPCODE_STRING) + length(len(part)) + part
    return with_crc(data + length(OPCODE_END) + version)


def with_crc(data):
    return data + struct.pack('<Q', crc64(data))


def mend_file(file):
    """Computes the checksums of a .mbr file again, if its header can be found."""
    if len(file) < 128:
        return file
    file = bytearray(file)
    size = struct.unpack_from('<I', file, MBR_HEADER_LENGTH_AT)[0]
    if not 128 <= size <= len(file):
        return bytes(file)
    struct.pack_into('<Q', file, MBR_PAYLOAD_SUM_AT, xxh3(file[size:]))
    struct.pack_into('<Q', file, size - 8, xxh3(file[:size - 8]))
    return bytes(file)


def mend_stack_header(header):
    if len(header) < STACK_HEADER:
        return header
    return header[:STACK_SUM_AT] + struct.pack('<Q', xxh3(header[:STACK_SUM_AT])) + header[STACK_HEADER:]


def mend_numbers(image):
    return image[:-8] + struct.pack('<Q', xxh3(image[:-8])) if len(image) >= 16 else image


def mend_topk(image):
    if len(image) < TOPK_HEADER:
        return image
    image = image[:TOPK_SUM_AT] + struct.pack('<Q', xxh3(image[:TOPK_SUM_AT])) + image[TOPK_HEADER:]
    sum_at = TOPK_HEADER + struct.unpack_from('<Q', image, TOPK_ITEM_BYTES_AT)[0]
    if sum_at + 8 > len(image):
        return image
    return image[:sum_at] + struct.pack('<Q', xxh3(image[TOPK_HEADER:sum_at])) + mend_file(image[sum_at + 8:])


def mend(data):
    """Whatever these bytes are."""
    if data[:4] == b'\x89MBN':
        return mend_numbers(data)
    if data[:4] == b'\x89MBT':
        return mend_topk(data)
    return mend_file(data)


def mend_image(image):
    if image[:4] == b'\x89MBT':
        return mend_topk(image)
    image = mend_stack_header(image)
    out, at = image[:STACK_HEADER], STACK_HEADER
    while at + 8 <= len(image):
        size = struct.unpack_from('<Q', image, at)[0]
        out += image[at:at + 8] + mend(image[at + 8:at + 8 + size])
        at += 8 + size
    return out + image[at:] if at < len(image) else out


def change(source, data):
    """A few random changes: bits, whole numbers, cuts, repetitions."""
    data = bytearray(data)
    for _ in range(source.choice((1, 1, 1, 2, 3, 6))):
        if not data:
            return bytes(source.randbytes(source.randint(0, 40)))
        at = source.randrange(len(data))
        kind = source.randrange(8)
        if kind == 0:
            data[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            data[at] = source.choice((0, 1, 0x7f, 0x80, 0xff, source.randrange(256)))
        elif kind in (2, 3, 4):
            # Headers consist of fields of eight bytes.
            at = at // 8 * 8 if source.random() < 0.5 else source.randrange(min(len(data), 256)) // 8 * 8
            number = source.choice((0, 1, 2, 3, 63, 64, 65, 255, 1 << 31, 1 << 32, (1 << 40) + 1, (1 << 56), (1 << 63) - 1, 1 << 63,
                                    (1 << 64) - 1, source.randrange(1 << 64), source.randrange(1 << 16)))
            data[at:at + 8] = struct.pack('<Q', number)[:len(data[at:at + 8])]
        elif kind == 5:
            del data[at:]
        elif kind == 6:
            data[at:at] = source.randbytes(source.randint(1, 16))
        else:
            other = source.randrange(len(data))
            data[at:at + 16] = data[other:other + 16]
    return bytes(data)


class Attack:
    def __init__(self, client, seed):
        self.client = client
        self.source = random.Random(seed)
        self.dumps, self.images, self.files = [], [], []
        self.tried = self.accepted = 0

    def prepare(self):
        client = self.client
        # Kinds that the server does not plan come as files of the tool.
        with tempfile.TemporaryDirectory() as folder:
            for kind in ('choice_bloom', 'balanced_bloom'):
                path = os.path.join(folder, kind)
                subprocess.run([os.environ['MEMBRANE'], 'build', '-q', '-o', path, '--fpr', '0.02', '--kind', kind, '--key', '00' * 16],
                               check=True, input=b''.join(b'%d\n' % i for i in range(40)))
                with open(path, 'rb') as file:
                    content = file.read()
                client('MBR.LOAD', 'one ' + kind, len(content) + 1, content)
        for kind in ('bloom', 'counting_bloom', 'blocked_bloom', 'balanced_rank:form=fixed'):
            client('BF.RESERVE', 'one ' + kind, '0.02', '60', 'KIND', kind, 'NONSCALING')
            client('BF.MADD', 'one ' + kind, *range(40))
        client('BF.RESERVE', 'grown', '0.02', '20')
        client('BF.MADD', 'grown', *range(100))
        client('CF.RESERVE', 'cf', '30')
        client('CF.INSERT', 'cf', 'ITEMS', *range(100), *([7] * 60))
        client('BF.RESERVE', 'table', '0.02', '500', 'GROWTO', '600')
        client('BF.MADD', 'table', *range(700))
        client('TOPK.RESERVE', 'topk', '6', '10', '3', '0.9')
        client('TOPK.ADD', 'topk', *(i % 9 for i in range(50)))
        client('CMS.INITBYDIM', 'cms', '20', '3')
        client('CMS.INITBYPROB', 'cms two', '0.2', '0.2')
        client('CMS.INCRBY', 'cms', 'a', '1', 'b', '2')
        for key in sorted(client('KEYS', '*')):
            dump = client('DUMP', key)
            self.dumps.append((*take_apart(dump), dump[-10:-8], dump))
            self.images.append(self.read_all('MBR.SCANDUMP', key))
            if not key.startswith((b'table', b'topk')):
                self.files.append(self.read_all('MBR.DUMP', key))
        module, parts, version, dump = self.dumps[0]
        # Lists of numbers and TOPK begin with the marks by which their checksums are found.
        starts = {part[:4] for _, parts, _, _ in self.dumps for part in parts if not isinstance(part, int)}
        assert {b'\x89MBN', b'\x89MBT', b'\x89MBC'} <= starts, starts
        assert put_together(module, parts, version) != b'' and client('RESTORE', 'same', '0', put_together(module, parts, version)) == 'OK'
        client('RESTORE', 'half', '0', put_together(module, [1, 0, self.images[0][:200]], version))
        self.dumps.append((module, [1, 0, self.images[0][:200]], version, client('DUMP', 'half')))

    def read_all(self, command, key):
        return b''.join(data for _, data in self.client.chunks(command, key))

    def dump_commands(self):
        source = self.source
        module, parts, version, dump = source.choice(self.dumps)
        if source.random() < 0.1:
            return [('RESTORE', 'target', '0', with_crc(change(source, dump[:-8])))]
        parts = list(parts)
        for _ in range(source.choice((1, 1, 2))):
            which = source.randrange(len(parts))
            if isinstance(parts[which], int):
                parts[which] = source.choice((0, 1, 2, 1 << 63, source.randrange(1 << 64)))
                continue
            changed = change(source, parts[which])
            is_header = which == 1 and len(parts[which]) == STACK_HEADER
            parts[which] = mend_stack_header(changed) if is_header else mend(changed)
        if source.random() < 0.05:
            parts.insert(source.randrange(len(parts)), source.choice(parts))
        return [('RESTORE', 'target', '0', put_together(module, parts, version))]

    def chunk_commands(self):
        source = self.source
        if source.random() < 0.5:
            command, data = 'MBR.LOAD', mend_file(change(source, source.choice(self.files)))
        else:
            command, data = source.choice(('MBR.LOADCHUNK', 'BF.LOADCHUNK', 'CF.LOADCHUNK')), mend_image(change(source, source.choice(self.images)))
        cuts = sorted({len(data), *(source.randrange(len(data) + 1) for _ in range(source.choice((0, 0, 1, 2))))})
        commands, first = [], 0
        for cut in cuts:
            end = cut + 1 if source.random() < 0.95 else source.randrange(1 << 63)
            commands.append((command, 'target', end, data[first:cut]))
            first = cut
        return commands

    USES = [('MBR.STATS', 'target'), ('BF.MADD', 'target', *range(30)), ('BF.MEXISTS', 'target', *range(10)), ('BF.INFO', 'target'),
            ('CF.INSERT', 'target', 'NOCREATE', 'ITEMS', *range(30)), ('CF.DEL', 'target', 3), ('CF.DEL', 'target', 'x'),
            ('CF.COUNT', 'target', 7), ('CMS.INCRBY', 'target', 'a', 5), ('CMS.QUERY', 'target', 'a'), ('CMS.INFO', 'target'),
            ('TOPK.ADD', 'target', 'a', 'b', 'c'), ('TOPK.LIST', 'target', 'WITHCOUNT'), ('TOPK.INFO', 'target'), ('TOPK.QUERY', 'target', 'a'),
            ('MBR.MERGE', 'target', 'target'), ('CF.COMPACT', 'target'), ('DEBUG', 'DIGEST-VALUE', 'target'), ('MEMORY', 'USAGE', 'target'),
            ('COPY', 'target', 'other'), ('MBR.SCANDUMP', 'target', 0), ('DUMP', 'other'), ('DEL', 'other')]

    def run(self, count, most_bytes):
        """Sends `count` changed values and runs every command on those that are accepted."""
        for _ in range(count):
            commands = self.dump_commands() if self.source.random() < 0.5 else self.chunk_commands()
            replies = self.client.pipeline([*commands, ('EXISTS', 'target'), ('PING',)])
            assert replies[-1] == 'PONG', replies
            self.tried += 1
            if replies[-2] == 1:
                self.accepted += not isinstance(replies[-3], ReplyError)
                replies = self.client.pipeline([*self.USES, ('DEL', 'target'), ('PING',)])
                assert replies[-1] == 'PONG' and replies[-2] == 1, replies[-2:]
            if self.tried % 1000 == 0:
                self.check_memory(most_bytes)
        self.check_memory(most_bytes)

    def check_memory(self, most_bytes):
        used = self.client.used_bytes()
        assert used < most_bytes, f'{used} bytes are in use after {self.tried} changed values'
