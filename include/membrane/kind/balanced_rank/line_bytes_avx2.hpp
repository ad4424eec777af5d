// avx2: comparing and moving the bytes of a line, and finding the cells of a chain (line_bytes.hpp says what each function does).
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_AVX2)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

MEMBRANE_TARGET_BEGIN

inline unsigned count_ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(_mm_popcnt_u64(word));
}
inline std::uint64_t cut_at(std::uint64_t word, unsigned count) noexcept { return _bzhi_u64(word, count); }
inline unsigned lowest_one(std::uint64_t word) noexcept { return static_cast<unsigned>(_tzcnt_u64(word)); }
inline unsigned highest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(63 - _lzcnt_u64(word));
}

inline std::uint64_t start_of_chain(std::uint64_t used, std::uint64_t chain,
                                    std::uint64_t continues) noexcept {
    return _pdep_u64(_pext_u64(chain, used), ~(continues << 1));
}
inline std::uint64_t end_of_chain(std::uint64_t used, std::uint64_t chain, std::uint64_t continues) noexcept {
    return _pdep_u64(_pext_u64(chain, used), ~continues);
}
inline std::uint64_t mask_of_chain(std::uint64_t used, std::uint64_t chain,
                                   std::uint64_t continues) noexcept {
    // Added to `continues` where the chain starts, a one flips every bit up to the zero at the chain's end.
    return (continues + start_of_chain(used, chain, continues)) ^ continues;
}
inline std::uint64_t with_zero_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return _pdep_u64(word, ~bit);
}

inline std::uint64_t without_bit_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return _pext_u64(word, ~bit);
}

inline std::uint64_t with_answer(std::uint64_t answers, std::uint64_t word) noexcept {
    // Two instructions, where compilers take four.
    asm("neg{q} %1\n\tadc{q} %0, %0" : "+r"(answers), "+r"(word) : : "cc");
    return answers;
}
inline bool overflows(std::uint64_t added, const std::byte* word) noexcept {
    bool is_beyond = false;
    asm("add{q} {%2, %0|%0, %2}"
        : "+r"(added), "=@cco"(is_beyond)
        : "m"(*reinterpret_cast<const std::byte(*)[8]>(word)));
    return is_beyond;
}
inline std::uint64_t fastrange_of(const std::uint64_t& uniform, std::uint64_t range) noexcept {
    std::uint64_t high;
    asm("mulx{q} {%2, %0, %0|%0, %0, %2}" : "=r"(high) : "d"(range), "m"(uniform));
    return high;
}

struct two_registers {
    __m256i low;
    __m256i high;

    static two_registers load(const std::byte* line) noexcept {
        const auto* const halves = reinterpret_cast<const __m256i*>(line);
        return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
    }
    static __m256i filled_with(std::uint64_t byte) noexcept {
        return _mm256_set1_epi8(static_cast<char>(byte & 0xff));
    }
    two_registers masked(std::uint64_t mask) const noexcept {
        const __m256i value = filled_with(mask);
        return {_mm256_and_si256(low, value), _mm256_and_si256(high, value)};
    }
    two_registers equal_to(std::uint64_t byte) const noexcept {
        const __m256i value = filled_with(byte);
        return {_mm256_cmpeq_epi8(low, value), _mm256_cmpeq_epi8(high, value)};
    }
    __m256i either() const noexcept { return _mm256_or_si256(low, high); }
    std::uint64_t signs() const noexcept {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
    }
    void store(std::byte* line) const noexcept {
        auto* const halves = reinterpret_cast<__m256i*>(line);
        _mm256_storeu_si256(halves, low);
        _mm256_storeu_si256(halves + 1, high);
    }
    template <long long First>
    static __m256i numbers() noexcept {
        constexpr long long all = First * 0x0101010101010101;
        return _mm256_setr_epi64x(all + 0x0706050403020100, all + 0x0f0e0d0c0b0a0908,
                                  all + 0x1716151413121110, all + 0x1f1e1d1c1b1a1918);
    }
};

inline std::uint64_t sign_bits(const std::byte* line) noexcept { return two_registers::load(line).signs(); }
inline void put_signs(std::byte* line, std::uint64_t bits) noexcept {
    const auto [low, high] = two_registers::load(line);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m256i values = two_registers::filled_with(0x7f);
    const auto with_signs = [&](__m256i old, std::uint64_t half) {
        // Each byte gets the byte that its bit stands in, and tests the bit.
        const __m256i spread = _mm256_shuffle_epi8(
            _mm256_set1_epi32(static_cast<int>(half & 0xffffffff)),
            _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
        const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
        return _mm256_or_si256(_mm256_and_si256(old, values), _mm256_andnot_si256(values, is_set));
    };
    two_registers{with_signs(low, bits), with_signs(high, bits >> 32)}.store(line);
}
inline std::uint64_t equal_bytes(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    return two_registers::load(line).masked(mask).equal_to(byte & mask).signs();
}
inline bool has_equal_byte(const std::byte* line, std::uint64_t byte, std::uint64_t mask,
                           std::uint64_t after) noexcept {
    __m256i either = two_registers::load(line).masked(mask).equal_to(byte & mask).either();
    // `after` is computed first: flags kept across an arithmetic instruction cost a register and two instructions.
    asm("" : "+x"(either) : "r"(after));
    return _mm256_testz_si256(either, either) == 0;
}
inline std::uint64_t count_equal_byte(const std::byte* line, std::uint64_t byte,
                                      std::uint64_t mask) noexcept {
    const std::uint64_t some = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(two_registers::load(line).masked(mask).equal_to(byte & mask).either()));
    return (0 - some) >> 63;
}
inline std::uint64_t bytes_not_above(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const two_registers bytes = two_registers::load(line).masked(mask);
    const __m256i most = two_registers::filled_with(byte & mask);
    return two_registers{_mm256_cmpeq_epi8(_mm256_min_epu8(bytes.low, most), bytes.low),
                         _mm256_cmpeq_epi8(_mm256_min_epu8(bytes.high, most), bytes.high)}
        .signs();
}
inline std::uint64_t bytes_not_below(const std::byte* line, std::uint64_t byte, std::uint64_t mask) noexcept {
    const two_registers bytes = two_registers::load(line).masked(mask);
    const __m256i least = two_registers::filled_with(byte & mask);
    return two_registers{_mm256_cmpeq_epi8(_mm256_max_epu8(bytes.low, least), bytes.low),
                         _mm256_cmpeq_epi8(_mm256_max_epu8(bytes.high, least), bytes.high)}
        .signs();
}

inline void open_byte(std::byte* line, unsigned at, unsigned end, std::uint64_t value) noexcept {
    const auto [low, high] = two_registers::load(line);
    const __m256i place = two_registers::filled_with(at), behind = two_registers::filled_with(end);
    const __m256i put = two_registers::filled_with(value);
    const auto opened = [&](__m256i old, __m256i up, __m256i number) {
        const __m256i moves =
            _mm256_and_si256(_mm256_cmpgt_epi8(number, place), _mm256_cmpgt_epi8(behind, number));
        return _mm256_blendv_epi8(_mm256_blendv_epi8(old, up, moves), put, _mm256_cmpeq_epi8(number, place));
    };
    const __m256i low_up = _mm256_alignr_epi8(low, _mm256_permute2x128_si256(low, low, 0x08), 15);
    const __m256i high_up = _mm256_alignr_epi8(high, _mm256_permute2x128_si256(low, high, 0x21), 15);
    two_registers{opened(low, low_up, two_registers::numbers<0>()),
                  opened(high, high_up, two_registers::numbers<32>())}
        .store(line);
}
inline void close_byte(std::byte* line, unsigned at, unsigned last, std::uint64_t value) noexcept {
    const auto [low, high] = two_registers::load(line);
    const __m256i before = _mm256_set1_epi8(static_cast<char>(static_cast<int>(at) - 1));
    const __m256i end = two_registers::filled_with(last), put = two_registers::filled_with(value);
    const auto closed = [&](__m256i old, __m256i down, __m256i number) {
        const __m256i moves =
            _mm256_and_si256(_mm256_cmpgt_epi8(number, before), _mm256_cmpgt_epi8(end, number));
        return _mm256_blendv_epi8(_mm256_blendv_epi8(old, down, moves), put, _mm256_cmpeq_epi8(number, end));
    };
    const __m256i low_down = _mm256_alignr_epi8(_mm256_permute2x128_si256(low, high, 0x21), low, 1);
    const __m256i high_down = _mm256_alignr_epi8(_mm256_permute2x128_si256(high, high, 0x81), high, 1);
    two_registers{closed(low, low_down, two_registers::numbers<0>()),
                  closed(high, high_down, two_registers::numbers<32>())}
        .store(line);
}

MEMBRANE_TARGET_END

#endif
