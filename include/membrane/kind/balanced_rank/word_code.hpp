// Words in the instructions that rank_code is compiled for: counting ones, cutting, and the cells of a chain in the word of
// chain starts. BMI2 deposits a bit where it belongs; NEON counts the ones of eight bytes at a time.
#pragma once

#include <membrane/base/instructions.hpp>

#if defined(MEMBRANE_HAVE_KERNELS)

#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>

#if defined(MEMBRANE_HAVE_AVX2)
#include <immintrin.h>
#define MEMBRANE_RANK_CODE [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] inline
// A lambda has no part in its function's target.
#define MEMBRANE_RANK_LAMBDA __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"), always_inline))
#else
#include <arm_neon.h>
#define MEMBRANE_RANK_CODE inline
#define MEMBRANE_RANK_LAMBDA __attribute__((always_inline))
#endif

namespace membrane {

// The first cell of a chain, or where it would be, and the cell behind its last, as single bits; `behind` is 0 if that is cell 64.
struct chain_cells {
    std::uint64_t first;
    std::uint64_t behind;
    std::uint64_t mask() const noexcept { return behind - first; }
};

#if defined(MEMBRANE_HAVE_AVX2)

MEMBRANE_RANK_CODE unsigned count_ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(_mm_popcnt_u64(word));
}
// The bits at positions below `count`.
MEMBRANE_RANK_CODE std::uint64_t cut_at(std::uint64_t word, unsigned count) noexcept {
    return _bzhi_u64(word, count);
}
// 64 if there is none.
MEMBRANE_RANK_CODE unsigned lowest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(_tzcnt_u64(word));
}
// Of a word that is not 0.
MEMBRANE_RANK_CODE unsigned highest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(63 - _lzcnt_u64(word));
}
// `chain`, here and below: its bit in `used`. As many chains begin before this one as `used` has ones below that, and they begin at
// the ones of ~(continues << 1). 0 if it is not in use.
MEMBRANE_RANK_CODE std::uint64_t start_of_chain(std::uint64_t used, std::uint64_t chain,
                                                std::uint64_t continues) noexcept {
    return _pdep_u64(_pext_u64(chain, used), ~(continues << 1));
}
// Its cells: added to `continues` where it begins, a one turns every bit up to the zero at its end.
MEMBRANE_RANK_CODE std::uint64_t mask_of_chain(std::uint64_t used, std::uint64_t chain,
                                               std::uint64_t continues) noexcept {
    return (continues + start_of_chain(used, chain, continues)) ^ continues;
}
// Its last cell likewise: chains end at the zeros of `continues`.
MEMBRANE_RANK_CODE std::uint64_t end_of_chain(std::uint64_t used, std::uint64_t chain,
                                              std::uint64_t continues) noexcept {
    return _pdep_u64(_pext_u64(chain, used), ~continues);
}
// The bits from this one on move up, and leave a 0.
MEMBRANE_RANK_CODE std::uint64_t with_zero_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return _pdep_u64(word, ~bit);
}
MEMBRANE_RANK_CODE chain_cells cells_of_chain(std::uint64_t used, std::uint64_t chain,
                                              std::uint64_t continues) noexcept {
    const std::uint64_t first = start_of_chain(used | chain, chain, continues);
    return {first, first + mask_of_chain(used, chain, continues)};
}
// Twice `answers`, and one more if the word is not 0. Two instructions, where compilers take four.
MEMBRANE_RANK_CODE std::uint64_t with_answer(std::uint64_t answers, std::uint64_t word) noexcept {
    asm("neg{q} %1\n\tadc{q} %0, %0" : "+r"(answers), "+r"(word) : : "cc");
    return answers;
}
// Whether the sum, as a signed number, is beyond the largest or the least one. The word is read by the addition itself, whatever a
// compiler has in a register: for branches that wait for memory.
MEMBRANE_RANK_CODE bool overflows(std::uint64_t added, const std::byte* word) noexcept {
    bool is_beyond = false;
    asm("add{q} {%2, %0|%0, %2}"
        : "+r"(added), "=@cco"(is_beyond)
        : "m"(*reinterpret_cast<const std::byte(*)[8]>(word)));
    return is_beyond;
}

#else

MEMBRANE_RANK_CODE unsigned count_ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(std::popcount(word));
}
MEMBRANE_RANK_CODE std::uint64_t cut_at(std::uint64_t word, unsigned count) noexcept {
    return word & low_bits(count);
}
MEMBRANE_RANK_CODE unsigned lowest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(std::countr_zero(word));
}
MEMBRANE_RANK_CODE unsigned highest_one(std::uint64_t word) noexcept {
    return static_cast<unsigned>(63 - std::countl_zero(word));
}

// How many of eight numbers in ascending order are not above `most`, in bits: 8 for each.
MEMBRANE_RANK_CODE unsigned bits_not_above(uint8x8_t numbers, unsigned most) noexcept {
    const uint8x8_t is_not_above = vcle_u8(numbers, vdup_n_u8(static_cast<std::uint8_t>(most)));
    return static_cast<unsigned>(std::countr_one(vget_lane_u64(vreinterpret_u64_u8(is_not_above), 0)));
}
// The one that has `rank` ones below it, as a single bit; 0 if there is none.
MEMBRANE_RANK_CODE std::uint64_t one_of_rank(std::uint64_t word, unsigned rank) noexcept {
    // The ones up to and with each byte.
    const std::uint64_t sums =
        vget_lane_u64(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word))), 0) * 0x0101010101010101;
    const unsigned shift = bits_not_above(vcreate_u8(sums), rank);
    const unsigned in_word = shift & 63;
    const auto before = static_cast<unsigned>(sums << 8 >> in_word & 0xff);
    // And the same with the bits of the byte in which it is.
    const uint8x8_t up_to_bits = vcnt_u8(
        vand_u8(vdup_n_u8(static_cast<std::uint8_t>(word >> in_word)), vcreate_u8(0xff7f3f1f0f070301)));
    const unsigned bit = bits_not_above(up_to_bits, rank - before) / 8;
    return shift == 64 ? 0 : std::uint64_t{1} << in_word << bit;
}
MEMBRANE_RANK_CODE chain_cells cells_of_chain(std::uint64_t used, std::uint64_t chain,
                                              std::uint64_t continues) noexcept {
    const std::uint64_t starts = ~(continues << 1);
    const std::uint64_t first = one_of_rank(starts, count_ones(used & (chain - 1)));
    const std::uint64_t above = starts & ~(first | (first - 1));
    return {first, (used & chain) != 0 ? above & (~above + 1) : first};
}
MEMBRANE_RANK_CODE std::uint64_t start_of_chain(std::uint64_t used, std::uint64_t chain,
                                                std::uint64_t continues) noexcept {
    return (used & chain) != 0 ? one_of_rank(~(continues << 1), count_ones(used & (chain - 1))) : 0;
}
MEMBRANE_RANK_CODE std::uint64_t with_zero_at(std::uint64_t word, std::uint64_t bit) noexcept {
    return word + (word & (0 - bit));
}
MEMBRANE_RANK_CODE bool overflows(std::uint64_t added, const std::byte* word) noexcept {
    std::int64_t sum = 0;
    return __builtin_add_overflow(static_cast<std::int64_t>(added),
                                  static_cast<std::int64_t>(load_le<std::uint64_t>(word)), &sum);
}
MEMBRANE_RANK_CODE std::uint64_t mask_of_chain(std::uint64_t used, std::uint64_t chain,
                                               std::uint64_t continues) noexcept {
    return cells_of_chain(used, chain, continues).mask();
}
MEMBRANE_RANK_CODE std::uint64_t end_of_chain(std::uint64_t used, std::uint64_t chain,
                                              std::uint64_t continues) noexcept {
    return (used & chain) != 0 ? one_of_rank(~continues, count_ones(used & (chain - 1))) : 0;
}

#endif

}  // namespace membrane

#endif
