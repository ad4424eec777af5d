// A block of 256 or 512 bits as lanes of 32 or 64 bits, of which a key has one bit in each: where the bits are costs one shift a
// lane, all lanes at once, and neither a multiplication nor a permutation (the split blocks of Impala,
// Parquet and Boost.Bloom). Lanes of 64 bits in 512 take 0.4 to 2 % more memory than bits anywhere in the block at 0.1 to 1 %.
//
// Eight lanes take their positions from one word, highest bits first: of 64 bits, lane j the j-th six; of 32 bits, lane 2i + h
// the i-th five of its half h. The first word is the hash's high one as it is, the second eight lanes of a block of sixteen
// have the stream `block_bits`. The block is chosen by the hash's low word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <membrane/base/endian.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>

#if defined(MEMBRANE_TARGET_AVX2)
#include <immintrin.h>
#elif defined(MEMBRANE_TARGET_NEON)
#include <arm_neon.h>
#endif

MEMBRANE_TARGET_BEGIN

template <unsigned BlockBits, unsigned LaneBits>
struct lane_shape {
    static_assert(BlockBits == 256 || BlockBits == 512);
    static_assert(LaneBits == 32 || LaneBits == 64);
    static constexpr unsigned lanes = BlockBits / LaneBits;
    static constexpr unsigned lane_bytes = LaneBits / 8;
    using lane = std::conditional_t<LaneBits == 64, std::uint64_t, std::uint32_t>;

    static constexpr std::uint64_t word_of(key_hash hash, unsigned number) noexcept {
        return number == 0 ? hash.high : remix(hash, stream::block_bits);
    }
    // Of lane 0 .. 7, from its word.
    static constexpr unsigned position(std::uint64_t word, unsigned in_word) noexcept {
        if constexpr (LaneBits == 64) return static_cast<unsigned>(word << (6 * in_word) >> 58);
        else return static_cast<std::uint32_t>(word >> (32 * (in_word & 1))) << (5 * (in_word >> 1)) >> 27;
    }
};

template <unsigned BlockBits, unsigned LaneBits>
struct scalar_bits_in_lanes {
    using shape = lane_shape<BlockBits, LaneBits>;
    using lane = typename shape::lane;

    static bool are_set(const std::byte* block, key_hash hash) noexcept {
        lane all = 1;
        for_each_lane(hash, [&](unsigned offset_bytes, unsigned position) {
            all &= load_le<lane>(block + offset_bytes) >> position;
        });
        return all != 0;
    }
    static void set(std::byte* block, key_hash hash) noexcept {
        for_each_lane(hash, [&](unsigned offset_bytes, unsigned position) {
            store_le<lane>(block + offset_bytes, load_le<lane>(block + offset_bytes) | lane{1} << position);
        });
    }

private:
    template <class Visit>
    static void for_each_lane(key_hash hash, const Visit& visit) noexcept {
        std::uint64_t word = 0;
#pragma GCC unroll 16
        for (unsigned i = 0; i < shape::lanes; ++i) {
            if (i % 8 == 0) word = shape::word_of(hash, i / 8);
            visit(i * shape::lane_bytes, shape::position(word, i % 8));
        }
    }
};

#if defined(MEMBRANE_TARGET_AVX2)
template <unsigned BlockBits, unsigned LaneBits>
struct bits_in_lanes {
    using shape = lane_shape<BlockBits, LaneBits>;

    // A block of one register is compared with the key's bits; two registers are shifted by its positions, which is less.
    static bool are_set(const std::byte* block, key_hash hash) noexcept {
        if constexpr (BlockBits == 256) {
            return _mm256_testc_si256(half(block, 0), bit_at(positions<0>(hash))) != 0;
        } else {
            const __m256i both = _mm256_and_si256(shifted(half(block, 0), positions<0>(hash)),
                                                  shifted(half(block, 1), positions<1>(hash)));
            return _mm256_testc_si256(both, one()) != 0;
        }
    }
    static void set(std::byte* block, key_hash hash) noexcept {
        set_half<0>(block, hash);
        if constexpr (BlockBits == 512) set_half<1>(block, hash);
    }

private:
    static __m256i half(const std::byte* block, unsigned number) noexcept {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block) + number);
    }
    template <unsigned Half>
    static void set_half(std::byte* block, key_hash hash) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(block) + Half,
                            _mm256_or_si256(half(block, Half), bit_at(positions<Half>(hash))));
    }
    // Of the key's bits in a half of the block, each in its lane.
    template <unsigned Half>
    static __m256i positions(key_hash hash) noexcept {
        if constexpr (LaneBits == 64) {
            const __m256i word = _mm256_set1_epi64x(static_cast<long long>(hash.high));
            const __m256i shifts =
                Half == 0 ? _mm256_setr_epi64x(0, 6, 12, 18) : _mm256_setr_epi64x(24, 30, 36, 42);
            return _mm256_srli_epi64(_mm256_sllv_epi64(word, shifts), 58);
        } else {
            const __m256i word = _mm256_set1_epi64x(static_cast<long long>(shape::word_of(hash, Half)));
            return _mm256_srli_epi32(_mm256_sllv_epi64(word, _mm256_setr_epi64x(0, 5, 10, 15)), 27);
        }
    }
    static __m256i one() noexcept { return LaneBits == 64 ? _mm256_set1_epi64x(1) : _mm256_set1_epi32(1); }
    static __m256i bit_at(__m256i position) noexcept {
        return LaneBits == 64 ? _mm256_sllv_epi64(one(), position) : _mm256_sllv_epi32(one(), position);
    }
    static __m256i shifted(__m256i lanes, __m256i by) noexcept {
        return LaneBits == 64 ? _mm256_srlv_epi64(lanes, by) : _mm256_srlv_epi32(lanes, by);
    }
};
#elif defined(MEMBRANE_TARGET_NEON)
// A lane of 64 bits takes four scalar instructions, and no fewer in registers of two lanes.
template <unsigned BlockBits, unsigned LaneBits>
struct bits_in_lanes : scalar_bits_in_lanes<BlockBits, LaneBits> {};

// 128 bits of the block in a register.
template <unsigned BlockBits>
struct bits_in_lanes<BlockBits, 32> {
    using shape = lane_shape<BlockBits, 32>;

    static bool are_set(const std::byte* block, key_hash hash) noexcept {
        uint32x4_t missing = vdupq_n_u32(0);
#pragma GCC unroll 4
        for (unsigned i = 0; i < registers; ++i) {
            const auto* const at = reinterpret_cast<const std::uint8_t*>(block) + 16 * i;
            missing = vorrq_u32(missing, vbicq_u32(bits_of(hash, i), vreinterpretq_u32_u8(vld1q_u8(at))));
        }
        return vmaxvq_u32(missing) == 0;
    }
    static void set(std::byte* block, key_hash hash) noexcept {
#pragma GCC unroll 4
        for (unsigned i = 0; i < registers; ++i) {
            auto* const at = reinterpret_cast<std::uint8_t*>(block) + 16 * i;
            vst1q_u8(at, vorrq_u8(vld1q_u8(at), vreinterpretq_u8_u32(bits_of(hash, i))));
        }
    }

private:
    static constexpr unsigned registers = BlockBits / 128;

    // The key's bits in a register of the block.
    static uint32x4_t bits_of(key_hash hash, unsigned number) noexcept {
        const uint64x2_t word = vdupq_n_u64(shape::word_of(hash, number / 2));
        const unsigned first = 10 * (number % 2);
        const int64x2_t shifts = vcombine_s64(vcreate_s64(first), vcreate_s64(first + 5));
        const uint32x4_t moved = vreinterpretq_u32_u64(vshlq_u64(word, shifts));
        return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(vshrq_n_u32(moved, 27)));
    }
};
#else
template <unsigned BlockBits, unsigned LaneBits>
struct bits_in_lanes : scalar_bits_in_lanes<BlockBits, LaneBits> {};
#endif

MEMBRANE_TARGET_END
