// Bit operations on 64-bit words and on 64-byte lines: masks, select, insert and remove a bit, runs of bits in a line, byte
// comparisons of a whole line as a 64-bit mask. The vector and the portable versions return the same values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>

#if defined(MEMBRANE_HAS_NEON_TARGET)
#include <arm_neon.h>
#endif

namespace membrane {

// A mask of the lowest `count` bits, 0 <= count <= 64.
constexpr std::uint64_t low_bits(std::uint64_t count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// How many ones each byte of the word has, in that byte.
constexpr std::uint64_t ones_of_bytes(std::uint64_t word) noexcept {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
}
// std::popcount for portable code, where that is a call of the compiler's library.
constexpr unsigned portable_popcount(std::uint64_t word) noexcept {
    return static_cast<unsigned>(ones_of_bytes(word) * 0x0101010101010101 >> 56);
}

// The position of the one that has `rank` ones below it (select). The word must have more than `rank` ones.
constexpr unsigned select_bit(std::uint64_t word, unsigned rank) noexcept {
    constexpr std::uint64_t each_byte = 0x0101010101010101, top_bits = 0x8080808080808080;
    // The ones in all bytes up to and including each byte, and in how many bytes that is at most `rank`.
    const std::uint64_t sums = ones_of_bytes(word) * each_byte;
    const std::uint64_t not_above = ((rank * each_byte | top_bits) - sums) & top_bits;
    const auto byte = static_cast<unsigned>((not_above >> 7) * each_byte >> 56);
    rank -= static_cast<unsigned>(sums << 8 >> 8 * byte & 0xff);
    std::uint64_t rest = word >> 8 * byte;
    for (; rank != 0; --rank) rest &= rest - 1;
    return 8 * byte + static_cast<unsigned>(std::countr_zero(rest));
}
static_assert(portable_popcount(0) == 0 && portable_popcount(UINT64_MAX) == 64);
static_assert(select_bit(UINT64_MAX, 63) == 63 && select_bit(std::uint64_t{1} << 63, 0) == 63);

constexpr std::uint64_t with_bit_inserted(std::uint64_t word, unsigned at, bool bit) noexcept {
    const std::uint64_t below = low_bits(at);
    return (word & below) | std::uint64_t{bit} << at | (word & ~below) << 1;
}
constexpr std::uint64_t with_bit_removed(std::uint64_t word, unsigned at) noexcept {
    const std::uint64_t below = low_bits(at);
    return (word & below) | (word >> 1 & ~below);
}

// `count` bits (1 .. 64) from bit `at` of a 64-byte line, lowest first. Never reads outside the line.
inline std::uint64_t read_bits(const std::byte* line, unsigned at, unsigned count) noexcept {
    // Load the 8 bytes that begin with the run, or the last 8 of the line. A run of more than 57 bits may need a ninth byte.
    const unsigned byte = at / 8 < 56 ? at / 8 : 56;
    const unsigned shift = at - byte * 8;
    std::uint64_t word = load_le<std::uint64_t>(line + byte) >> shift;
    if (shift + count > 64) word |= std::to_integer<std::uint64_t>(line[byte + 8]) << (64 - shift);
    return word & low_bits(count);
}
inline void write_bits(std::byte* line, unsigned at, unsigned count, std::uint64_t value) noexcept {
    const unsigned byte = at / 8 < 56 ? at / 8 : 56;
    const unsigned shift = at - byte * 8;
    value &= low_bits(count);
    const std::uint64_t old = load_le<std::uint64_t>(line + byte);
    store_le(line + byte, (old & ~(low_bits(count) << shift)) | value << shift);
    if (shift + count > 64) {
        const auto rest = static_cast<unsigned>(low_bits(shift + count - 64));
        line[byte + 8] =
            (line[byte + 8] & static_cast<std::byte>(~rest)) | static_cast<std::byte>(value >> (64 - shift));
    }
}

#if defined(__SSE2__)
// Applies `of` to each 16 bytes of the line and collects the highest bit of every byte: bit i of the result is that of byte i.
template <class Of>
inline std::uint64_t byte_signs(const std::byte* line, const Of& of) noexcept {
    std::uint64_t signs = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + 16 * i));
        signs |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(of(part)))} << (16 * i);
    }
    return signs;
}
#elif defined(MEMBRANE_HAS_NEON_TARGET)
// The NEON form of movemask for 64 bytes: keep bit i % 8 of each byte whose sign is set, then add neighbours three times.
inline std::uint64_t byte_signs(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) noexcept {
    const auto bit_of = [](uint8x16_t bytes) {
        const uint8x16_t is_set = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(bytes), 7));
        return vandq_u8(is_set, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
    };
    const uint8x16_t quarters = vpaddq_u8(vpaddq_u8(bit_of(a), bit_of(b)), vpaddq_u8(bit_of(c), bit_of(d)));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}
template <class Of>
inline std::uint64_t byte_signs(const std::byte* line, const Of& of) noexcept {
    const auto part = [&](unsigned i) {
        return of(vld1q_u8(reinterpret_cast<const std::uint8_t*>(line) + 16 * i));
    };
    return byte_signs(part(0), part(1), part(2), part(3));
}
#endif

// Bit i: byte i of the 64 equals `value`.
inline std::uint64_t equal_bytes(const std::byte* line, unsigned char value) noexcept {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
    return byte_signs(line, [&](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
#elif defined(MEMBRANE_HAS_NEON_TARGET)
    const uint8x16_t wanted = vdupq_n_u8(value);
    return byte_signs(line, [&](uint8x16_t part) { return vceqq_u8(part, wanted); });
#else
    std::uint64_t equal = 0;
    for (unsigned i = 0; i < 64; ++i) equal |= std::uint64_t{line[i] == std::byte{value}} << i;
    return equal;
#endif
}
// Bit i: the highest bit of byte i of the 64.
inline std::uint64_t highest_bits(const std::byte* line) noexcept {
#if defined(__SSE2__)
    return byte_signs(line, [](__m128i part) { return part; });
#elif defined(MEMBRANE_HAS_NEON_TARGET)
    return byte_signs(line, [](uint8x16_t part) { return part; });
#else
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i) bits |= (std::to_integer<std::uint64_t>(line[i]) >> 7) << i;
    return bits;
#endif
}

// The word with its bits in reverse order.
constexpr std::uint64_t reversed_bits(std::uint64_t word) noexcept {
    const auto swapped = [](std::uint64_t bits, unsigned distance, std::uint64_t lower) {
        return (bits >> distance & lower) | (bits & lower) << distance;
    };
    word = swapped(word, 1, 0x5555555555555555);
    word = swapped(word, 2, 0x3333333333333333);
    word = swapped(word, 4, 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(word);
}
static_assert(reversed_bits(1) == std::uint64_t{1} << 63);
static_assert(reversed_bits(0x0123456789abcdef) == 0xf7b3d591e6a2c480);

}  // namespace membrane
