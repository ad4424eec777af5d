// The operations on a line's 64 bytes and on words of cells that differ by target. All targets give the same results.
//
//   sign_bits(line)                    bit i: the highest bit of byte i
//   put_signs(line, bits)              sets them
//   equal_bytes(line, byte, mask)      bit i: byte i equals `byte` in the bits of `mask`
//   count_equal_byte(line, byte, mask) 1 if any byte does, else 0; without a branch
//   has_equal_byte(.., after)          the same for a branch; `after` is computed before the comparison
//   bytes_not_above, bytes_not_below   likewise, unsigned comparisons
//   open_byte(line, at, end, value)    bytes at .. end - 2 move up by one, `value` goes to `at`
//   close_byte(line, at, last, value)  bytes at + 1 .. last move down by one, `value` goes to `last`
//
//   count_ones, lowest_one (64 if none), highest_one (of a word that is not 0), cut_at (the bits below a position)
//   start_of_chain, end_of_chain, mask_of_chain(used, chain, continues)
//                                      first cell, last cell and all cells of a chain, as bits; 0 if it has none. `chain` is its
//                                      bit in `used`. The r-th chain in use starts at the r-th one of ~(continues << 1).
//   with_zero_at(word, bit)            the bits from `bit` on move up by one and leave a 0 there
//   without_bit_at(word, bit)          `bit` goes, and the bits above it move down by one
//   with_answer(answers, word)         answers << 1, plus 1 if the word is not 0
//   overflows(added, word)             whether the sum overflows as a signed number; the word is read by the addition itself
//   fastrange_of(uniform, range)       fastrange of a number in memory, which the multiplication reads itself
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/kind/balanced_rank/line_bytes_avx2.hpp>
#include <membrane/kind/balanced_rank/line_bytes_neon.hpp>

#if !defined(MEMBRANE_TARGET_AVX2)

MEMBRANE_TARGET_BEGIN

inline unsigned count_ones(std::uint64_t word) noexcept {
#if defined(MEMBRANE_TARGET_NEON)
    return static_cast<unsigned>(std::popcount(word));
#else
    return portable_popcount(word);
#endif
}
inline std::uint64_t cut_at(std::uint64_t word, unsigned count) noexcept { return word & low_bits(count); }
inline unsigned lowest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(std::countr_zero(word));
}
inline unsigned highest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(63 - std::countl_zero(word));
}

#if !defined(MEMBRANE_TARGET_NEON)
// The one that has `rank` ones below it, as a single bit; 0 if there is none.
inline std::uint64_t one_of_rank(std::uint64_t word, unsigned rank) noexcept {
    return count_ones(word) > rank ? std::uint64_t{1} << select_bit(word, rank) : 0;
}
#endif
inline std::uint64_t start_of_chain(std::uint64_t used, std::uint64_t chain,
                                    std::uint64_t continues) noexcept {
    return (used & chain) != 0 ? one_of_rank(~(continues << 1), count_ones(used & (chain - 1))) : 0;
}
inline std::uint64_t end_of_chain(std::uint64_t used, std::uint64_t chain, std::uint64_t continues) noexcept {
    return (used & chain) != 0 ? one_of_rank(~continues, count_ones(used & (chain - 1))) : 0;
}
inline std::uint64_t mask_of_chain(std::uint64_t used, std::uint64_t chain,
                                   std::uint64_t continues) noexcept {
    return (continues + start_of_chain(used, chain, continues)) ^ continues;
}
inline std::uint64_t with_zero_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return word + (word & (0 - bit));
}
inline std::uint64_t without_bit_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return (word & (bit - 1)) | (word >> 1 & (0 - bit));
}
inline std::uint64_t with_answer(std::uint64_t answers, std::uint64_t word) noexcept {
    return answers << 1 | (word != 0 ? 1 : 0);
}
inline bool overflows(std::uint64_t added, const std::byte* word) noexcept {
    std::int64_t sum = 0;
    return __builtin_add_overflow(static_cast<std::int64_t>(added),
                                  static_cast<std::int64_t>(load_le<std::uint64_t>(word)), &sum);
}
inline std::uint64_t fastrange_of(const std::uint64_t& uniform, std::uint64_t range) noexcept {
    return fastrange(uniform, range);
}

#if !defined(MEMBRANE_TARGET_NEON)

// Eight bytes at a time: 0x80 in each byte of the word that is 0.
inline std::uint64_t zero_bytes_of(std::uint64_t word) noexcept {
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return ~(((word & low) + low) | word | low);
}
inline constexpr std::uint64_t one_in_each_byte = 0x0101010101010101;

// Bit i: of(byte i's word) has the highest bit of byte i set.
template <class Of>
std::uint64_t gathered_signs(const std::byte* line, const Of& of) noexcept {
    std::uint64_t bits = 0;
    for (unsigned word = 0; word < 8; ++word) {
        const std::uint64_t signs = of(load_le<std::uint64_t>(line + 8 * word)) >> 7 & one_in_each_byte;
        bits |= (signs * 0x0102040810204080 >> 56) << (8 * word);
    }
    return bits;
}
inline std::uint64_t sign_bits(const std::byte* line) noexcept { return highest_bits(line); }
inline void put_signs(std::byte* line, std::uint64_t bits) noexcept {
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    for (std::byte* word = line; word != line + 64; word += 8, bits >>= 8) {
        // Each byte keeps another one of the eight bits.
        const std::uint64_t spread = (bits & 0xff) * one_in_each_byte & 0x8040201008040201;
        store_le(word, (load_le<std::uint64_t>(word) & low) | ((spread + low) & ~low));
    }
}
inline std::uint64_t equal_bytes(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const auto wanted = static_cast<unsigned char>(byte & mask);
    if (mask == 0xff) return membrane::equal_bytes(line, wanted);
    return gathered_signs(line, [&](std::uint64_t word) {
        return zero_bytes_of((word & mask * one_in_each_byte) ^ wanted * one_in_each_byte);
    });
}
inline std::uint64_t count_equal_byte(const std::byte* line, std::uint64_t byte,
                                      std::uint64_t mask) noexcept {
    return equal_bytes(line, byte, mask) != 0 ? 1 : 0;
}
// 0x80 in each byte in which `low` is not above `high`.
inline std::uint64_t ordered_bytes_of(std::uint64_t low, std::uint64_t high) noexcept {
    constexpr std::uint64_t sign = 0x8080808080808080;
    const std::uint64_t difference = (high | sign) - (low & ~sign);
    return ((high & ~low) | (~(low ^ high) & difference)) & sign;
}
inline std::uint64_t bytes_not_above(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    return gathered_signs(line, [&](std::uint64_t word) {
        return ordered_bytes_of(word & mask * one_in_each_byte, (byte & mask) * one_in_each_byte);
    });
}
inline std::uint64_t bytes_not_below(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    return gathered_signs(line, [&](std::uint64_t word) {
        return ordered_bytes_of((byte & mask) * one_in_each_byte, word & mask * one_in_each_byte);
    });
}
inline void open_byte(std::byte* line, unsigned at, unsigned end, std::uint64_t value) noexcept {
    std::memmove(line + at + 1, line + at, end - 1 - at);
    line[at] = static_cast<std::byte>(value);
}
inline void close_byte(std::byte* line, unsigned at, unsigned last, std::uint64_t value) noexcept {
    std::memmove(line + at, line + at + 1, last - at);
    line[last] = static_cast<std::byte>(value);
}

#endif

inline bool has_equal_byte(const std::byte* line, std::uint64_t byte, std::uint64_t mask,
                           std::uint64_t) noexcept {
    return count_equal_byte(line, byte, mask) != 0;
}

MEMBRANE_TARGET_END

#endif
