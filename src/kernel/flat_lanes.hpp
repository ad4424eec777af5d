// Lookups of flat filters eight keys at a time, one key in each 32-bit lane of an AVX2 register: a probe of all eight is
// one gather and six other instructions. Answers are those of the view, bit for bit.
//
// For double and enhanced hashing, whose next position is an addition away, in arrays of at most 2^31 cells, so that a
// sum of two positions fits a lane. Reducing it needs no comparison: of t and t - m, modulo 2^32, the smaller is right.
#pragma once

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_AVX2)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/part/batch.hpp>
#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>

namespace membrane::kernel {

// How a lane finds its cell: the number of the 32-bit word that holds it, and the sign bit set if it is in use.
template <class Cells>
struct lane_cell;

template <>
struct lane_cell<bit_span> {
    static constexpr int cells_per_word_log2 = 5;
    MEMBRANE_AVX2 static __m256i used(__m256i words, __m256i at) {
        return _mm256_sllv_epi32(words, _mm256_andnot_si256(at, _mm256_set1_epi32(31)));
    }
};

template <>
struct lane_cell<nibble_array> {
    static constexpr int cells_per_word_log2 = 3;
    MEMBRANE_AVX2 static __m256i used(__m256i words, __m256i at) {
        const __m256i shift = _mm256_slli_epi32(_mm256_and_si256(at, _mm256_set1_epi32(7)), 2);
        const __m256i count = _mm256_and_si256(_mm256_srlv_epi32(words, shift), _mm256_set1_epi32(15));
        return _mm256_sub_epi32(_mm256_setzero_si256(), count);
    }
};

template <class Cells, class Growth>
class flat_lanes {
public:
    static constexpr std::size_t lanes = 8;

    explicit flat_lanes(const flat_shape& shape) noexcept : shape_(shape) {}

    struct outcome {
        unsigned possible;  // bit i is 0: key i is certainly absent
        bool is_final;      // false: only the leading probes were asked, since few keys had passed them
    };

    // K: the number of probes, known to the compiler; 0: it is not.
    template <std::uint64_t K>
    MEMBRANE_AVX2 outcome ask(const std::uint32_t* starts, const std::uint32_t* steps) const noexcept {
        const std::uint64_t k = K != 0 ? K : shape_.k;
        constexpr std::uint64_t group = 4;
        constexpr int few = 2;
        const __m256i modulus = _mm256_set1_epi32(static_cast<int>(shape_.modulus));
        __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(starts));
        __m256i step = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(steps));
        __m256i all = _mm256_set1_epi32(-1);
        for (std::uint64_t probe = 1;; ++probe) {
            all = _mm256_and_si256(all, cell_at(at));
            if (probe == k) return {signs(all), true};
            if (probe == group)
                if (const unsigned possible = signs(all); std::popcount(possible) <= few)
                    return {possible, possible == 0};
            at = sum(at, step, modulus);
            if constexpr (Growth::after(1) != 0)
                step = sum(step, _mm256_set1_epi32(static_cast<int>(Growth::after(probe))), modulus);
        }
    }

private:
    MEMBRANE_AVX2 static __m256i sum(__m256i a, __m256i b, __m256i modulus) noexcept {
        const __m256i total = _mm256_add_epi32(a, b);
        return _mm256_min_epu32(total, _mm256_sub_epi32(total, modulus));
    }
    MEMBRANE_AVX2 static unsigned signs(__m256i all) noexcept {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
    }
    MEMBRANE_AVX2 __m256i cell_at(__m256i at) const noexcept {
        if (shape_.fold_log2 != 0) at = folded(at);
        const __m256i number = _mm256_srli_epi32(at, lane_cell<Cells>::cells_per_word_log2);
        return lane_cell<Cells>::used(
            _mm256_i32gather_epi32(reinterpret_cast<const int*>(shape_.cells), number, 4), at);
    }
    MEMBRANE_AVX2 __m256i folded(__m256i at) const noexcept {
        const __m256i in_word = _mm256_set1_epi32(63);
        const __m256i shifted =
            _mm256_srl_epi32(at, _mm_cvtsi64_si128(static_cast<long long>(shape_.fold_log2)));
        return _mm256_or_si256(_mm256_andnot_si256(in_word, shifted), _mm256_and_si256(in_word, at));
    }

    flat_shape shape_;
};

template <class View>
inline constexpr bool has_flat_lanes = false;
template <class Ring, class Growth>
inline constexpr bool has_flat_lanes<bloom_view<progression_probe<Ring, Growth>>> = true;
template <class Ring, class Growth>
inline constexpr bool has_flat_lanes<counting_bloom_view<progression_probe<Ring, Growth>>> = true;

inline bool fits_lanes(const flat_shape& shape) noexcept {
    constexpr std::uint64_t least = 1024;  // a growth of at most 384 then needs one reduction
    return shape.modulus >= least && shape.modulus <= std::uint64_t{1} << 31;
}

template <std::uint64_t K, class Cells, class Ring, class Growth>
[[gnu::target("avx2")]] std::size_t ask_with_probes(
    const flat_view<Cells, progression_probe<Ring, Growth>>& view, std::span<const key_hash> hashes,
    std::span<std::uint64_t> answers) noexcept {
    using lanes_type = flat_lanes<Cells, Growth>;
    constexpr std::size_t lanes = lanes_type::lanes;
    const lanes_type asked(view.shape());
    const progression_probe<Ring, Growth>& probe = view.probe();
    std::size_t present = 0;
    for (std::size_t first = 0; first < hashes.size(); first += 64) {
        const auto block = hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
        // Unused lanes at the end repeat position 0 with step 0; their answers are cut off.
        std::uint32_t starts[64]{}, steps[64]{};
        for (std::size_t i = 0; i < block.size(); ++i) {
            const auto origin = probe.origin(block[i]);
            starts[i] = static_cast<std::uint32_t>(origin.at);
            steps[i] = static_cast<std::uint32_t>(origin.step);
        }
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < block.size(); i += lanes) {
            const auto found = asked.template ask<K>(starts + i, steps + i);
            std::uint64_t possible = std::uint64_t{found.possible} << i;
            if (block.size() < 64) possible &= (std::uint64_t{1} << block.size()) - 1;
            if (found.is_final) word |= possible;
            else
                for (; possible != 0; possible &= possible - 1) {
                    const int key = std::countr_zero(possible);
                    const bool answer = view.may_contain(block[static_cast<std::size_t>(key)]);
                    word |= std::uint64_t{answer ? 1u : 0u} << key;
                }
        }
        answers[first / 64] = word;
        present += static_cast<std::size_t>(std::popcount(word));
    }
    return present;
}

// may_contain_many of part/batch.hpp, for a view that fits the lanes. The probes of the usual rates have a loop of their own.
template <class Cells, class Ring, class Growth>
std::size_t ask_in_lanes(const flat_view<Cells, progression_probe<Ring, Growth>>& view,
                         std::span<const key_hash> hashes, std::span<std::uint64_t> answers) noexcept {
    switch (view.shape().k) {
        case 7: return ask_with_probes<7>(view, hashes, answers);    // 1 %
        case 10: return ask_with_probes<10>(view, hashes, answers);  // 0.1 %
        default: return ask_with_probes<0>(view, hashes, answers);
    }
}

}  // namespace membrane::kernel

#endif
