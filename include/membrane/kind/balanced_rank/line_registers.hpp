// The 64 bytes of a rank-indexed line in two AVX2 registers: cells that move up or down by a byte, and the highest bits of all bytes
// as one word. What a cell or a bit means is the line's affair (rank_code.hpp).
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_AVX2)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include <membrane/kind/balanced_rank/word_code.hpp>

namespace membrane {

struct line_registers {
    __m256i low;
    __m256i high;

    MEMBRANE_RANK_CODE static line_registers of(const std::byte* bytes) noexcept {
        const auto* const halves = reinterpret_cast<const __m256i*>(bytes);
        return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
    }
    // The last two of the eight words.
    struct tail {
        std::uint64_t sixth;
        std::uint64_t last;
    };
    MEMBRANE_RANK_CODE tail last_words() const noexcept {
        const __m128i words = _mm256_extracti128_si256(high, 1);
        return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(words)),
                static_cast<std::uint64_t>(_mm_extract_epi64(words, 1))};
    }
    MEMBRANE_RANK_CODE void store(std::byte* to) const noexcept {
        auto* const halves = reinterpret_cast<__m256i*>(to);
        _mm256_storeu_si256(halves, low);
        _mm256_storeu_si256(halves + 1, high);
    }
    MEMBRANE_RANK_CODE void store_other_words(std::byte* to) const noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 32), _mm256_castsi256_si128(high));
    }

    // Bit i: the highest bit of byte i.
    MEMBRANE_RANK_CODE std::uint64_t signs() const noexcept {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
    }

    // Is there a byte of ones among what a comparison gives? For a branch: no other register waits for it. `made`: what is to be
    // made before, since flags that are kept over an arithmetic instruction take a register and two instructions more.
    MEMBRANE_RANK_CODE bool is_any_after(std::uint64_t made) const noexcept {
        __m256i either = _mm256_or_si256(low, high);
        asm("" : "+x"(either) : "r"(made));
        return _mm256_testz_si256(either, either) == 0;
    }
    // The same as 0 or 1. By arithmetic, so that no compiler makes a branch of it.
    MEMBRANE_RANK_CODE std::uint64_t has_any() const noexcept {
        const std::uint64_t some =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(low, high)));
        return (0 - some) >> 63;
    }

    // The bits of every byte that `mask` has.
    MEMBRANE_RANK_CODE line_registers in(std::uint64_t mask) const noexcept {
        const __m256i value = _mm256_set1_epi8(static_cast<char>(mask));
        return {_mm256_and_si256(low, value), _mm256_and_si256(high, value)};
    }
    MEMBRANE_RANK_CODE line_registers without_signs() const noexcept { return in(0x7f); }
    MEMBRANE_RANK_CODE static line_registers filled_with(std::uint64_t byte) noexcept {
        const __m256i value = _mm256_set1_epi8(static_cast<char>(byte & 0xff));
        return {value, value};
    }
    MEMBRANE_RANK_CODE line_registers equal_to(const line_registers& other) const noexcept {
        return {_mm256_cmpeq_epi8(low, other.low), _mm256_cmpeq_epi8(high, other.high)};
    }
    // All ones in the bytes that equal this one, or are not above it, or not below; zeros in the others.
    MEMBRANE_RANK_CODE line_registers equal_to(std::uint64_t byte) const noexcept {
        return equal_to(filled_with(byte));
    }
    MEMBRANE_RANK_CODE line_registers not_above(std::uint64_t byte) const noexcept {
        const __m256i most = _mm256_set1_epi8(static_cast<char>(byte & 0xff));
        return {_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high)};
    }
    MEMBRANE_RANK_CODE line_registers not_below(std::uint64_t byte) const noexcept {
        const __m256i least = _mm256_set1_epi8(static_cast<char>(byte & 0xff));
        return {_mm256_cmpeq_epi8(_mm256_max_epu8(low, least), low),
                _mm256_cmpeq_epi8(_mm256_max_epu8(high, least), high)};
    }

    // Cells from `at` on move up by one, the last one drops out, and `value` stands at `at`.
    MEMBRANE_RANK_CODE void open(unsigned at, unsigned cells, std::uint64_t value) noexcept {
        const __m256i low_up = _mm256_alignr_epi8(low, _mm256_permute2x128_si256(low, low, 0x08), 15);
        const __m256i high_up = _mm256_alignr_epi8(high, _mm256_permute2x128_si256(low, high, 0x21), 15);
        const __m256i place = _mm256_set1_epi8(static_cast<char>(at));
        const __m256i end = _mm256_set1_epi8(static_cast<char>(cells));
        const __m256i put = _mm256_set1_epi8(static_cast<char>(value));
        const auto opened = [&](__m256i old, __m256i up, __m256i number) MEMBRANE_RANK_LAMBDA {
            const __m256i moves =
                _mm256_and_si256(_mm256_cmpgt_epi8(number, place), _mm256_cmpgt_epi8(end, number));
            const __m256i moved = _mm256_blendv_epi8(old, up, moves);
            return _mm256_blendv_epi8(moved, put, _mm256_cmpeq_epi8(number, place));
        };
        low = opened(low, low_up, numbers<0>());
        high = opened(high, high_up, numbers<32>());
    }
    // Cells behind `at` move down by one, and `value` stands in the last one.
    MEMBRANE_RANK_CODE void close(unsigned at, unsigned cells, std::uint64_t value) noexcept {
        const __m256i low_down = _mm256_alignr_epi8(_mm256_permute2x128_si256(low, high, 0x21), low, 1);
        const __m256i high_down = _mm256_alignr_epi8(_mm256_permute2x128_si256(high, high, 0x81), high, 1);
        const __m256i before = _mm256_set1_epi8(static_cast<char>(static_cast<int>(at) - 1));
        const __m256i last = _mm256_set1_epi8(static_cast<char>(cells - 1));
        const __m256i put = _mm256_set1_epi8(static_cast<char>(value));
        const auto closed = [&](__m256i old, __m256i down, __m256i number) MEMBRANE_RANK_LAMBDA {
            const __m256i moves =
                _mm256_and_si256(_mm256_cmpgt_epi8(number, before), _mm256_cmpgt_epi8(last, number));
            return _mm256_blendv_epi8(_mm256_blendv_epi8(old, down, moves), put,
                                      _mm256_cmpeq_epi8(number, last));
        };
        low = closed(low, low_down, numbers<0>());
        high = closed(high, high_down, numbers<32>());
    }
    // Sets the highest bit of a byte if `is_set` is 1.
    MEMBRANE_RANK_CODE void put_sign(unsigned at, std::uint64_t is_set) noexcept {
        const __m256i place = _mm256_set1_epi8(static_cast<char>(at));
        const __m256i sign = _mm256_set1_epi8(static_cast<char>(is_set << 7));
        low = _mm256_or_si256(low, _mm256_and_si256(sign, _mm256_cmpeq_epi8(numbers<0>(), place)));
        high = _mm256_or_si256(high, _mm256_and_si256(sign, _mm256_cmpeq_epi8(numbers<32>(), place)));
    }
    // The highest bits of the first `cells` bytes.
    MEMBRANE_RANK_CODE void put_signs(std::uint64_t bits, unsigned cells) noexcept {
        const __m256i end = _mm256_set1_epi8(static_cast<char>(cells));
        const auto with_signs = [&](__m256i old, std::uint64_t half, __m256i number) MEMBRANE_RANK_LAMBDA {
            // Each byte gets the byte that its bit stands in, and tests the bit.
            const __m256i spread = _mm256_shuffle_epi8(
                _mm256_set1_epi32(static_cast<int>(half & 0xffffffff)),
                _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
            const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
            const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
            const __m256i mark =
                _mm256_and_si256(_mm256_set1_epi8(static_cast<char>(0x80)), _mm256_cmpgt_epi8(end, number));
            return _mm256_or_si256(_mm256_andnot_si256(mark, old), _mm256_and_si256(is_set, mark));
        };
        low = with_signs(low, bits, numbers<0>());
        high = with_signs(high, bits >> 32, numbers<32>());
    }

private:
    template <long long First>
    MEMBRANE_RANK_CODE static __m256i numbers() noexcept {
        constexpr long long all = First * 0x0101010101010101;
        return _mm256_setr_epi64x(all + 0x0706050403020100, all + 0x0f0e0d0c0b0a0908,
                                  all + 0x1716151413121110, all + 0x1f1e1d1c1b1a1918);
    }
};

}  // namespace membrane

#endif
