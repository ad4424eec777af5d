// The 64 bytes of a rank-indexed line in four NEON registers: what line_registers.hpp has in two of AVX2, under the same name.
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_NEON)

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/kind/balanced_rank/word_code.hpp>

namespace membrane {

struct line_registers {
    uint8x16_t part[4];

    static line_registers of(const std::byte* bytes) noexcept {
        const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes);
        return {{vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48)}};
    }
    // The last two of the eight words.
    struct tail {
        std::uint64_t sixth;
        std::uint64_t last;
    };
    tail last_words() const noexcept {
        const uint64x2_t words = vreinterpretq_u64_u8(part[3]);
        return {vgetq_lane_u64(words, 0), vgetq_lane_u64(words, 1)};
    }
    void store(std::byte* bytes) const noexcept {
        auto* const to = reinterpret_cast<std::uint8_t*>(bytes);
        for (unsigned i = 0; i < 4; ++i) vst1q_u8(to + 16 * i, part[i]);
    }
    void store_other_words(std::byte* bytes) const noexcept {
        auto* const to = reinterpret_cast<std::uint8_t*>(bytes);
        for (unsigned i = 0; i < 3; ++i) vst1q_u8(to + 16 * i, part[i]);
    }

    // Bit i: the highest bit of byte i.
    std::uint64_t signs() const noexcept { return byte_signs(part[0], part[1], part[2], part[3]); }
    // Is there a byte of ones among what a comparison gives?
    bool is_any_after(std::uint64_t) const noexcept { return has_any() != 0; }
    // The same as 0 or 1.
    std::uint64_t has_any() const noexcept {
        const uint8x16_t all = vorrq_u8(vorrq_u8(part[0], part[1]), vorrq_u8(part[2], part[3]));
        return vmaxvq_u32(vreinterpretq_u32_u8(all)) != 0 ? 1 : 0;
    }

    // The bits of every byte that `mask` has.
    line_registers in(std::uint64_t mask) const noexcept {
        const uint8x16_t value = vdupq_n_u8(static_cast<std::uint8_t>(mask));
        return each([&](uint8x16_t bytes) { return vandq_u8(bytes, value); });
    }
    line_registers without_signs() const noexcept { return in(0x7f); }
    // All ones in the bytes that equal this one, or are not above it, or not below; zeros in the others.
    line_registers equal_to(std::uint64_t byte) const noexcept {
        const uint8x16_t wanted = vdupq_n_u8(static_cast<std::uint8_t>(byte));
        return each([&](uint8x16_t bytes) { return vceqq_u8(bytes, wanted); });
    }
    line_registers not_above(std::uint64_t byte) const noexcept {
        const uint8x16_t most = vdupq_n_u8(static_cast<std::uint8_t>(byte));
        return each([&](uint8x16_t bytes) { return vcleq_u8(bytes, most); });
    }
    line_registers not_below(std::uint64_t byte) const noexcept {
        const uint8x16_t least = vdupq_n_u8(static_cast<std::uint8_t>(byte));
        return each([&](uint8x16_t bytes) { return vcgeq_u8(bytes, least); });
    }

    // Cells from `at` on move up by one, the last one drops out, and `value` stands at `at`.
    void open(unsigned at, unsigned cells, std::uint64_t value) noexcept {
        const uint8x16_t place = vdupq_n_u8(static_cast<std::uint8_t>(at));
        const uint8x16_t end = vdupq_n_u8(static_cast<std::uint8_t>(cells));
        const uint8x16_t put = vdupq_n_u8(static_cast<std::uint8_t>(value));
        uint8x16_t below = vdupq_n_u8(0);
        for (unsigned i = 0; i < 4; ++i) {
            const uint8x16_t old = part[i], number = numbers(i);
            const uint8x16_t moves = vandq_u8(vcgtq_u8(number, place), vcltq_u8(number, end));
            const uint8x16_t moved = vbslq_u8(moves, vextq_u8(below, old, 15), old);
            part[i] = vbslq_u8(vceqq_u8(number, place), put, moved);
            below = old;
        }
    }
    // Cells behind `at` move down by one, and `value` stands in the last one.
    void close(unsigned at, unsigned cells, std::uint64_t value) noexcept {
        const uint8x16_t first = vdupq_n_u8(static_cast<std::uint8_t>(at));
        const uint8x16_t last = vdupq_n_u8(static_cast<std::uint8_t>(cells - 1));
        const uint8x16_t put = vdupq_n_u8(static_cast<std::uint8_t>(value));
        for (unsigned i = 0; i < 4; ++i) {
            const uint8x16_t old = part[i], number = numbers(i);
            const uint8x16_t above = i < 3 ? part[i + 1] : vdupq_n_u8(0);
            const uint8x16_t moves = vandq_u8(vcgeq_u8(number, first), vcltq_u8(number, last));
            const uint8x16_t moved = vbslq_u8(moves, vextq_u8(old, above, 1), old);
            part[i] = vbslq_u8(vceqq_u8(number, last), put, moved);
        }
    }
    // Sets the highest bit of a byte if `is_set` is 1.
    void put_sign(unsigned at, std::uint64_t is_set) noexcept {
        const uint8x16_t place = vdupq_n_u8(static_cast<std::uint8_t>(at));
        const uint8x16_t sign = vdupq_n_u8(static_cast<std::uint8_t>(is_set << 7));
        for (unsigned i = 0; i < 4; ++i)
            part[i] = vorrq_u8(part[i], vandq_u8(sign, vceqq_u8(numbers(i), place)));
    }
    // The highest bits of the first `cells` bytes.
    void put_signs(std::uint64_t bits, unsigned cells) noexcept {
        const uint8x16_t word = vreinterpretq_u8_u64(vdupq_n_u64(bits));
        const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
        const uint8x16_t end = vdupq_n_u8(static_cast<std::uint8_t>(cells));
        for (unsigned i = 0; i < 4; ++i) {
            // Each byte gets the byte that its bit stands in, and tests the bit.
            const uint8x16_t number = numbers(i);
            const uint8x16_t is_set = vtstq_u8(vqtbl1q_u8(word, vshrq_n_u8(number, 3)), bit);
            const uint8x16_t mark = vandq_u8(vcltq_u8(number, end), vdupq_n_u8(0x80));
            part[i] = vbslq_u8(mark, is_set, part[i]);
        }
    }

private:
    template <class Of>
    line_registers each(const Of& of) const noexcept {
        return {{of(part[0]), of(part[1]), of(part[2]), of(part[3])}};
    }
    static uint8x16_t numbers(unsigned number) noexcept {
        const uint8x16_t first = vcombine_u8(vcreate_u8(0x0706050403020100), vcreate_u8(0x0f0e0d0c0b0a0908));
        return vaddq_u8(first, vdupq_n_u8(static_cast<std::uint8_t>(16 * number)));
    }
};

}  // namespace membrane

#endif
