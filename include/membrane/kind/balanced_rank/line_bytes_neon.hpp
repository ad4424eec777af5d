// neon: comparing and moving the bytes of a line, and selecting a one in a word (line_bytes.hpp says what each function does).
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_NEON)

#include <arm_neon.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>

MEMBRANE_TARGET_BEGIN

// How many of eight ascending numbers are not above `most`, in bits: 8 for each.
inline unsigned bits_not_above(uint8x8_t numbers, unsigned most) noexcept {
    const uint8x8_t is_not_above = vcle_u8(numbers, vdup_n_u8(static_cast<std::uint8_t>(most)));
    return static_cast<unsigned>(std::countr_one(vget_lane_u64(vreinterpret_u64_u8(is_not_above), 0)));
}
inline std::uint64_t one_of_rank(std::uint64_t word, unsigned rank) noexcept {
    // The number of ones in all bytes up to and including each byte.
    const std::uint64_t sums =
        vget_lane_u64(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word))), 0) * 0x0101010101010101;
    const unsigned shift = bits_not_above(vcreate_u8(sums), rank);
    const unsigned in_word = shift & 63;
    const auto before = static_cast<unsigned>(sums << 8 >> in_word & 0xff);
    // The same over the bits of the byte that holds it.
    const uint8x8_t up_to_bits = vcnt_u8(
        vand_u8(vdup_n_u8(static_cast<std::uint8_t>(word >> in_word)), vcreate_u8(0xff7f3f1f0f070301)));
    const unsigned bit = bits_not_above(up_to_bits, rank - before) / 8;
    return shift == 64 ? 0 : std::uint64_t{1} << in_word << bit;
}

struct four_registers {
    uint8x16_t part[4];

    static four_registers load(const std::byte* line) noexcept {
        const auto* const from = reinterpret_cast<const std::uint8_t*>(line);
        return {{vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48)}};
    }
    void store(std::byte* line) const noexcept {
        auto* const to = reinterpret_cast<std::uint8_t*>(line);
        for (unsigned i = 0; i < 4; ++i) vst1q_u8(to + 16 * i, part[i]);
    }
    // compare(bytes) of each register, the bytes masked first.
    template <class Compare>
    four_registers compared(std::uint64_t mask, const Compare& compare) const noexcept {
        const uint8x16_t kept = filled_with(mask);
        return {{compare(vandq_u8(part[0], kept)), compare(vandq_u8(part[1], kept)),
                 compare(vandq_u8(part[2], kept)), compare(vandq_u8(part[3], kept))}};
    }
    std::uint64_t signs() const noexcept { return byte_signs(part[0], part[1], part[2], part[3]); }
    static uint8x16_t filled_with(std::uint64_t byte) noexcept {
        return vdupq_n_u8(static_cast<std::uint8_t>(byte));
    }
    static uint8x16_t numbers(unsigned number) noexcept {
        const uint8x16_t first = vcombine_u8(vcreate_u8(0x0706050403020100), vcreate_u8(0x0f0e0d0c0b0a0908));
        return vaddq_u8(first, filled_with(16 * number));
    }
};

inline std::uint64_t sign_bits(const std::byte* line) noexcept { return four_registers::load(line).signs(); }
inline void put_signs(std::byte* line, std::uint64_t bits) noexcept {
    four_registers bytes = four_registers::load(line);
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    for (unsigned i = 0; i < 4; ++i, bits >>= 16) {
        // Each byte gets the byte that its bit stands in, and tests the bit.
        const uint8x16_t spread = vcombine_u8(vdup_n_u8(static_cast<std::uint8_t>(bits)),
                                              vdup_n_u8(static_cast<std::uint8_t>(bits >> 8)));
        bytes.part[i] = vbslq_u8(four_registers::filled_with(0x80), vtstq_u8(spread, bit), bytes.part[i]);
    }
    bytes.store(line);
}
inline std::uint64_t equal_bytes(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const uint8x16_t wanted = four_registers::filled_with(byte & mask);
    return four_registers::load(line)
        .compared(mask, [&](uint8x16_t bytes) { return vceqq_u8(bytes, wanted); })
        .signs();
}
inline std::uint64_t count_equal_byte(const std::byte* line, std::uint64_t byte,
                                      std::uint64_t mask) noexcept {
    const uint8x16_t wanted = four_registers::filled_with(byte & mask);
    const auto [part] =
        four_registers::load(line).compared(mask, [&](uint8x16_t bytes) { return vceqq_u8(bytes, wanted); });
    const uint8x16_t any = vorrq_u8(vorrq_u8(part[0], part[1]), vorrq_u8(part[2], part[3]));
    return vmaxvq_u32(vreinterpretq_u32_u8(any)) != 0 ? 1 : 0;
}
inline std::uint64_t bytes_not_above(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const uint8x16_t most = four_registers::filled_with(byte & mask);
    return four_registers::load(line)
        .compared(mask, [&](uint8x16_t bytes) { return vcleq_u8(bytes, most); })
        .signs();
}
inline std::uint64_t bytes_not_below(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const uint8x16_t least = four_registers::filled_with(byte & mask);
    return four_registers::load(line)
        .compared(mask, [&](uint8x16_t bytes) { return vcgeq_u8(bytes, least); })
        .signs();
}

inline void open_byte(std::byte* line, unsigned at, unsigned end, std::uint64_t value) noexcept {
    four_registers bytes = four_registers::load(line);
    const uint8x16_t place = four_registers::filled_with(at), behind = four_registers::filled_with(end);
    uint8x16_t below = vdupq_n_u8(0);
    for (unsigned i = 0; i < 4; ++i) {
        const uint8x16_t old = bytes.part[i], number = four_registers::numbers(i);
        const uint8x16_t moves = vandq_u8(vcgtq_u8(number, place), vcltq_u8(number, behind));
        const uint8x16_t moved = vbslq_u8(moves, vextq_u8(below, old, 15), old);
        bytes.part[i] = vbslq_u8(vceqq_u8(number, place), four_registers::filled_with(value), moved);
        below = old;
    }
    bytes.store(line);
}
inline void close_byte(std::byte* line, unsigned at, unsigned last, std::uint64_t value) noexcept {
    four_registers bytes = four_registers::load(line);
    const uint8x16_t first = four_registers::filled_with(at), end = four_registers::filled_with(last);
    for (unsigned i = 0; i < 4; ++i) {
        const uint8x16_t old = bytes.part[i], number = four_registers::numbers(i);
        const uint8x16_t above = i < 3 ? bytes.part[i + 1] : vdupq_n_u8(0);
        const uint8x16_t moves = vandq_u8(vcgeq_u8(number, first), vcltq_u8(number, end));
        const uint8x16_t moved = vbslq_u8(moves, vextq_u8(old, above, 1), old);
        bytes.part[i] = vbslq_u8(vceqq_u8(number, end), four_registers::filled_with(value), moved);
    }
    bytes.store(line);
}

MEMBRANE_TARGET_END

#endif
