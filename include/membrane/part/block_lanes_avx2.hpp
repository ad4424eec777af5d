// avx2: whether all bits of a key are set in a Bloom block, for bits anywhere in the block. Eight positions at a time, each in a 32-bit
// lane; the block's words are permuted to the lanes that need them, so that the line is read once and nothing is gathered.
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_AVX2)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include <membrane/hash/remix.hpp>

MEMBRANE_TARGET_BEGIN

// A block in registers. Positions are below Bits.
template <unsigned Bits>
class block_in_lanes {
public:
    explicit block_in_lanes(const std::byte* block) noexcept {
        if constexpr (Bits == 128) {
            low_ = _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
        } else {
            low_ = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
        }
        if constexpr (Bits == 512) high_ = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    }

    // Bit 0 of a lane is the bit at its position; the others are of no meaning.
    __m256i bits_at(__m256i positions) const noexcept {
        const __m256i number = _mm256_srli_epi32(positions, 5);
        __m256i words = _mm256_permutevar8x32_epi32(low_, number);
        if constexpr (Bits == 512) {
            // Bit 8 of a position tells the half; as a sign it selects.
            const __m256i half = _mm256_slli_epi32(positions, 23);
            words = _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(words), _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high_, number)),
                _mm256_castsi256_ps(half)));
        }
        return _mm256_srlv_epi32(words, _mm256_and_si256(positions, _mm256_set1_epi32(31)));
    }

private:
    __m256i low_;
    __m256i high_;
};

// All ones in the lanes whose number is not below `used`.
template <int... Numbers>
inline __m256i unused_lanes(std::uint64_t used) noexcept {
    return _mm256_cmpgt_epi32(_mm256_setr_epi32(Numbers...), _mm256_set1_epi32(static_cast<int>(used) - 1));
}
inline bool are_bit_zeros_set(__m256i all) noexcept {
    return _mm256_testc_si256(all, _mm256_set1_epi32(1)) != 0;
}

// blocked_bloom: seven positions of nine bits, or eight of eight, in each word.
template <unsigned Bits>
bool has_block_bits(const std::byte* at, const key_hash& hash, std::uint64_t k) noexcept {
    constexpr std::uint64_t in_word = Bits == 512 ? 7 : 8;
    const block_in_lanes<Bits> block(at);
    __m256i all = _mm256_set1_epi32(-1);
    std::uint64_t number = stream::block_bits;
    for (std::uint64_t left = k;; ++number) {
        const std::uint64_t word = remix(hash, number);
        __m256i positions, unused;
        if constexpr (Bits == 512) {
            const __m256i whole = _mm256_set1_epi64x(static_cast<long long>(word));
            const __m256i first = _mm256_srlv_epi64(whole, _mm256_setr_epi64x(0, 9, 18, 27));
            const __m256i last = _mm256_srlv_epi64(whole, _mm256_setr_epi64x(36, 45, 54, 54));
            positions = _mm256_and_si256(_mm256_castps_si256(_mm256_shuffle_ps(
                                             _mm256_castsi256_ps(first), _mm256_castsi256_ps(last), 0x88)),
                                         _mm256_set1_epi32(511));
            unused = unused_lanes<0, 1, 4, 5, 2, 3, 6, 6>(left);
        } else {
            positions = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(word)));
            unused = unused_lanes<0, 1, 2, 3, 4, 5, 6, 7>(left);
        }
        all = _mm256_and_si256(all, _mm256_or_si256(block.bits_at(positions), unused));
        if (left <= in_word) return are_bit_zeros_set(all);
        left -= in_word;
    }
}

// balanced_bloom: four positions in each word, 16 bits times the usable bits of the block. Tests those of two words from the stream
// `number` on, or the first `count` of them.
template <unsigned Bits>
bool has_eight_scaled_bits(const std::byte* block, std::uint64_t usable_bits, const key_hash& hash,
                           std::uint64_t number, std::uint64_t count) noexcept {
    const __m128i drawn = _mm_set_epi64x(static_cast<long long>(remix(hash, number + 1)),
                                         static_cast<long long>(remix(hash, number)));
    const __m128i usable = _mm_set1_epi16(static_cast<short>(usable_bits));
    const __m256i positions = _mm256_cvtepu16_epi32(_mm_mulhi_epu16(drawn, usable));
    return are_bit_zeros_set(_mm256_or_si256(block_in_lanes<Bits>(block).bits_at(positions),
                                             unused_lanes<0, 1, 2, 3, 4, 5, 6, 7>(count)));
}
template <unsigned Bits>
[[gnu::noinline]] bool has_scaled_bits_beyond_eight(const std::byte* block, std::uint64_t usable_bits,
                                                    const key_hash& hash, std::uint64_t k) noexcept {
    bool all = true;
    for (std::uint64_t done = 8; all && done < k; done += 8)
        all = has_eight_scaled_bits<Bits>(block, usable_bits, hash, stream::block_positions + done / 4,
                                          k - done);
    return all;
}
// The first eight bits decide most lookups of absent keys; the others are tested out of line.
template <unsigned Bits>
bool has_scaled_bits(const std::byte* block, std::uint64_t usable_bits, const key_hash& hash,
                     std::uint64_t k) noexcept {
    const bool all = has_eight_scaled_bits<Bits>(block, usable_bits, hash, stream::block_positions, k);
    return k <= 8 || !all ? all : has_scaled_bits_beyond_eight<Bits>(block, usable_bits, hash, k);
}

MEMBRANE_TARGET_END

#endif
