// avx2: lookups in flat arrays in the caches, eight keys at a time, one in each 32-bit lane: a probe of all eight is one gather and six
// other instructions.
//
// For double and enhanced hashing, whose next position is one addition away, in arrays of at most 2^31 cells, so that the sum of two
// positions fits a lane. Reducing the sum needs no comparison: of t and t - m, modulo 2^32, the smaller is right.
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_AVX2)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/target.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/flat_shape.hpp>
#include <membrane/part/nibble_array.hpp>
#include <membrane/part/probe/progression_probe.hpp>

MEMBRANE_TARGET_BEGIN

// How a lane finds its cell: the number of the 32-bit word that holds it, and the sign bit set if it is in use.
template <class Cells>
struct lane_cell;

template <>
struct lane_cell<bit_span> {
    static constexpr int cells_per_word_log2 = 5;
    static __m256i used(__m256i words, __m256i at) noexcept {
        return _mm256_sllv_epi32(words, _mm256_andnot_si256(at, _mm256_set1_epi32(31)));
    }
};

template <>
struct lane_cell<nibble_array> {
    static constexpr int cells_per_word_log2 = 3;
    static __m256i used(__m256i words, __m256i at) noexcept {
        const __m256i shift = _mm256_slli_epi32(_mm256_and_si256(at, _mm256_set1_epi32(7)), 2);
        const __m256i count = _mm256_and_si256(_mm256_srlv_epi32(words, shift), _mm256_set1_epi32(15));
        return _mm256_sub_epi32(_mm256_setzero_si256(), count);
    }
};

template <class Cells, class Probe>
struct flat_lanes {
    static constexpr bool has_probe = false;
};

template <class Cells, class Ring, class Growth>
class flat_lanes<Cells, progression_probe<Ring, Growth>> {
public:
    static constexpr bool has_probe = true;
    static bool fits(const flat_shape& shape) noexcept {
        constexpr std::uint64_t least = 1024;  // a growth of at most 384 then needs one reduction
        return shape.modulus >= least && shape.modulus <= std::uint64_t{1} << 31;
    }

    flat_lanes(const flat_shape& shape, const progression_probe<Ring, Growth>& probe) noexcept
        : shape_(shape), probe_(probe) {}

    // single(hash) answers a key that only its leading probes were looked up for. The numbers of probes of the usual rates have a loop
    // of their own.
    template <class Single>
    std::size_t look_up_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                             const Single& single) const noexcept {
        switch (shape_.k) {
            case 7: return look_up_with<7>(hashes, answers, single);    // 1 %
            case 10: return look_up_with<10>(hashes, answers, single);  // 0.1 %
            default: return look_up_with<0>(hashes, answers, single);
        }
    }

private:
    static constexpr std::size_t lanes = 8;

    // K: the number of probes if it is known when the code is compiled, else 0.
    template <std::uint64_t K, class Single>
    std::size_t look_up_with(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                             const Single& single) const noexcept {
        std::size_t present = 0;
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            const auto block = hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
            // Unused lanes at the end repeat position 0 with step 0; their answers are cut off.
            std::uint32_t starts[64]{}, steps[64]{};
            for (std::size_t i = 0; i < block.size(); ++i) {
                const auto origin = probe_.origin(block[i]);
                starts[i] = static_cast<std::uint32_t>(origin.at);
                steps[i] = static_cast<std::uint32_t>(origin.step);
            }
            std::uint64_t word = 0;
            for (std::size_t i = 0; i < block.size(); i += lanes) {
                const outcome found = look_up<K>(starts + i, steps + i);
                std::uint64_t possible = std::uint64_t{found.possible} << i;
                if (block.size() < 64) possible &= (std::uint64_t{1} << block.size()) - 1;
                if (found.is_final) word |= possible;
                else
                    for (; possible != 0; possible &= possible - 1) {
                        const int key = std::countr_zero(possible);
                        word |= std::uint64_t{single(block[static_cast<std::size_t>(key)]) ? 1u : 0u} << key;
                    }
            }
            answers[first / 64] = word;
            present += static_cast<std::size_t>(std::popcount(word));
        }
        return present;
    }

    struct outcome {
        unsigned possible;  // bit i is 0: key i is certainly absent
        bool is_final;      // false: only the leading probes were looked up, since few keys passed them
    };

    template <std::uint64_t K>
    outcome look_up(const std::uint32_t* starts, const std::uint32_t* steps) const noexcept {
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

    static __m256i sum(__m256i a, __m256i b, __m256i modulus) noexcept {
        const __m256i total = _mm256_add_epi32(a, b);
        return _mm256_min_epu32(total, _mm256_sub_epi32(total, modulus));
    }
    static unsigned signs(__m256i all) noexcept {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
    }
    __m256i cell_at(__m256i at) const noexcept {
        if (shape_.fold_log2 != 0) at = folded(at);
        const __m256i number = _mm256_srli_epi32(at, lane_cell<Cells>::cells_per_word_log2);
        return lane_cell<Cells>::used(
            _mm256_i32gather_epi32(reinterpret_cast<const int*>(shape_.cells), number, 4), at);
    }
    __m256i folded(__m256i at) const noexcept {
        const __m256i in_word = _mm256_set1_epi32(63);
        const __m256i shifted =
            _mm256_srl_epi32(at, _mm_cvtsi64_si128(static_cast<long long>(shape_.fold_log2)));
        return _mm256_or_si256(_mm256_andnot_si256(in_word, shifted), _mm256_and_si256(in_word, at));
    }

    flat_shape shape_;
    const progression_probe<Ring, Growth>& probe_;
};

MEMBRANE_TARGET_END

#endif
