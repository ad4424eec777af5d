"""The hashes of doc/format.md and the places they give in a flat array, written from the document alone (format_reader.py)."""
import struct

MASK = (1 << 64) - 1


def rotate(word, by):
    return ((word << by) | (word >> (64 - by))) & MASK


def siphash13(low, high, data):
    v = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D ^ 0xEE, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]

    def rounds(count):
        for _ in range(count):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = rotate(v[1], 13) ^ v[0]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = rotate(v[1], 17) ^ v[2]
            v[2] = rotate(v[2], 32)

    tail = data[len(data) // 8 * 8:]
    words = list(struct.unpack(f"<{len(data) // 8}Q", data[:len(data) // 8 * 8]))
    words.append(int.from_bytes(tail, "little") | (len(data) & 255) << 56)
    for word in words:
        v[3] ^= word
        rounds(1)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(3)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(3)
    return first, v[0] ^ v[1] ^ v[2] ^ v[3]


def finalise(word):
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
    return word ^ word >> 31


def mix(low, high, number):
    first = finalise(number ^ low)
    return first, finalise((first + high + 0x9E3779B97F4A7C15) & MASK)


def fold(a, b):
    return (a * b & MASK) ^ (a * b >> 64)


def fold_of_integer(low, high, number):
    spread = (fold(number ^ low, 0x9E3779B97F4A7C15) + (high ^ 0x94D049BB133111EB)) & MASK
    first = fold(spread, 0xBF58476D1CE4E5B9)
    return first, (rotate(first, 32) + spread) & MASK


def remix(key_hash, stream):
    a = key_hash[0] ^ (0x9E3779B97F4A7C15 + stream * 0xBF58476D1CE4E5B9) & MASK
    b = key_hash[1] ^ (0xD1B54A32D192ED03 + stream * 0x94D049BB133111EB) & MASK
    return fold(a, b)


def fastrange(word, size):
    return word * size >> 64


def positions(h, size, k, probes, growth, strides, sub_array, fold, first_stream=0):
    f = [lambda i: i * i, lambda i: i ** 3, lambda i: (i ** 3 - i) // 6][growth] if probes == 2 else lambda i: 0
    start, stride = remix(h, first_stream), remix(h, first_stream + 1)
    for i in range(k):
        if probes == 0:
            at = fastrange(remix(h, first_stream + 0x200 + i), size)
        elif probes == 3:
            at = i * sub_array + (fastrange(start, sub_array) + i * fastrange(stride, sub_array)) % sub_array
        else:
            step = fastrange(stride, size) if strides == 1 else 2 * fastrange(stride, size // 2) + 1
            at = (fastrange(start, size) + i * step + f(i)) % size
        yield (at // 64 >> fold) * 64 + at % 64
