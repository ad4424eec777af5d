// A whole rank-indexed line (kind/balanced_rank/line.hpp) from its entries in ascending order: all bits of a plane are brought
// together eight at a time by one multiplication, instead of entry by entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/line.hpp>

namespace membrane {

// Bit `bit` of each of the first `count` bytes, byte 0 lowest; bytes up to a multiple of eight are read.
inline std::uint64_t plane_of_bytes(const std::byte* bytes, std::size_t count, unsigned bit) noexcept {
    constexpr std::uint64_t each_byte = 0x0101010101010101;
    constexpr std::uint64_t to_the_top =
        0x0102040810204080;  // byte j's bit 0 to bit 56 + j; no two meet below
    std::uint64_t plane = 0;
    for (std::size_t i = 0; i < count; i += 8) {
        const std::uint64_t ones = load_le<std::uint64_t>(bytes + i) >> bit & each_byte;
        plane |= (ones * to_the_top >> 56) << i;
    }
    return plane;
}

// The line is empty; entries as chain << fingerprint_bits | fingerprint, ascending, no more than there are cells.
template <class Packed>
void fill_rank_line(const rank_line_shape& shape, std::byte* line, std::span<const Packed> entries) noexcept {
    const unsigned width = shape.fingerprint_bits();
    std::uint64_t used = 0, continues = 0, before = UINT64_MAX;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint64_t chain = std::uint64_t{entries[i]} >> width;
        // Bit i - 1, and nothing for the first entry: its chain differs from what is before.
        continues |= (chain == before ? std::uint64_t{1} : 0) << i >> 1;
        used |= std::uint64_t{1} << chain;
        before = chain;
    }
    alignas(8) std::byte column[64] = {};
    const unsigned mark = shape.continues_in_bytes() ? 0x80 : 0;
    unsigned plane = 0;
    for (unsigned shift = 0; shift < width; shift += 8) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::uint64_t value = (std::uint64_t{entries[i]} & low_bits(width)) >> shift & 0xff;
            column[i] = static_cast<std::byte>(value | (continues >> i << 7 & mark));
        }
        if (shape.has_bytes() && shift == 0) {
            std::memcpy(line, column, entries.size());
            continue;
        }
        for (unsigned bit = 0; bit < std::min(8u, width - shift); ++bit)
            write_bits(line, shape.plane_at(plane++), shape.cells(),
                       plane_of_bytes(column, entries.size(), bit));
    }
    if (!shape.continues_in_bytes()) write_bits(line, shape.continues_at(), shape.cells(), continues);
    write_bits(line, shape.in_use_at(), shape.chains(), used);
}

}  // namespace membrane
