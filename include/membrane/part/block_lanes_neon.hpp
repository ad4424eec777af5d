// neon: whether all bits of a key are set in a Bloom block, for bits anywhere in the block. Eight positions at a time, each of which
// looks up its byte in the registers that hold the block and tests its bit.
#pragma once

#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_NEON)

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <membrane/hash/remix.hpp>

MEMBRANE_TARGET_BEGIN

// A block in registers.
template <unsigned Bits>
class block_in_lanes {
public:
    explicit block_in_lanes(const std::byte* block) noexcept {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(block);
        if constexpr (Bits == 128) bytes_ = vld1q_u8(bytes);
        else if constexpr (Bits == 256) bytes_ = vld1q_u8_x2(bytes);
        else bytes_ = vld1q_u8_x4(bytes);
    }

    // All ones in the lanes whose bit, of the byte with this number, is set; zeros in the others.
    uint8x8_t are_set(uint8x8_t byte_numbers, uint8x8_t bits_of_bytes) const noexcept {
        uint8x8_t bytes;
        if constexpr (Bits == 128) bytes = vqtbl1_u8(bytes_, byte_numbers);
        else if constexpr (Bits == 256) bytes = vqtbl2_u8(bytes_, byte_numbers);
        else bytes = vqtbl4_u8(bytes_, byte_numbers);
        const uint8x8_t bit = vand_u8(bits_of_bytes, vdup_n_u8(7));
        return vtst_u8(bytes, vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(bit)));
    }
    // Of positions below Bits.
    uint8x8_t are_set(uint8x8_t positions) const noexcept {
        return are_set(vshr_n_u8(positions, 3), positions);
    }
    uint8x8_t are_set(uint16x8_t positions) const noexcept {
        return are_set(vshrn_n_u16(positions, 3), vmovn_u16(positions));
    }

private:
    using registers = std::conditional_t<Bits == 128, uint8x16_t,
                                         std::conditional_t<Bits == 256, uint8x16x2_t, uint8x16x4_t>>;
    registers bytes_;
};

// All ones in the lanes whose number is not below `used`.
inline uint8x8_t unused_lanes(std::uint64_t used) noexcept {
    return vcge_u8(vcreate_u8(0x0706050403020100), vdup_n_u8(static_cast<std::uint8_t>(used)));
}
inline bool are_all_ones(uint8x8_t lanes) noexcept {
    return vget_lane_u64(vreinterpret_u64_u8(lanes), 0) == ~std::uint64_t{0};
}

// blocked_bloom: seven positions of nine bits, or eight of eight, in each word.
template <unsigned Bits>
bool has_block_bits(const std::byte* at, const key_hash& hash, std::uint64_t k) noexcept {
    constexpr std::uint64_t in_word = Bits == 512 ? 7 : 8;
    const block_in_lanes<Bits> block(at);
    uint8x8_t all = vdup_n_u8(0xff);
    std::uint64_t number = stream::block_bits;
    for (std::uint64_t left = k;; ++number) {
        const uint8x8_t word = vcreate_u8(remix(hash, number));
        uint8x8_t are_set;
        if constexpr (Bits == 512) {
            // Position i begins at bit i of byte i; the eighth lane has no use.
            const uint8x16_t pairs =
                vqtbl1q_u8(vcombine_u8(word, vdup_n_u8(0)),
                           vcombine_u8(vcreate_u8(0x0403030202010100), vcreate_u8(0x0807070606050504)));
            const int16x8_t down = vmovl_s8(vcreate_s8(0xf9fafbfcfdfeff00));
            const uint16x8_t lanes = vshlq_u16(vreinterpretq_u16_u8(pairs), down);
            are_set =
                vorr_u8(block.are_set(vandq_u16(lanes, vdupq_n_u16(511))), vcreate_u8(0xff00000000000000));
        } else {
            are_set = block.are_set(word);
        }
        all = vand_u8(all, vorr_u8(are_set, unused_lanes(left)));
        if (left <= in_word) return are_all_ones(all);
        left -= in_word;
    }
}

// balanced_bloom: four positions in each word, 16 bits times the usable bits of the block.
template <unsigned Bits>
bool has_scaled_bits(const std::byte* at, std::uint64_t usable_bits, const key_hash& hash,
                     std::uint64_t k) noexcept {
    const block_in_lanes<Bits> block(at);
    const uint16x4_t usable = vdup_n_u16(static_cast<std::uint16_t>(usable_bits));
    uint8x8_t all = vdup_n_u8(0xff);
    std::uint64_t number = stream::block_positions;
    for (std::uint64_t left = k;; number += 2) {
        const uint32x4_t low = vmull_u16(vcreate_u16(remix(hash, number)), usable);
        const uint32x4_t high = vmull_u16(vcreate_u16(remix(hash, number + 1)), usable);
        const uint16x8_t positions = vcombine_u16(vshrn_n_u32(low, 16), vshrn_n_u32(high, 16));
        all = vand_u8(all, vorr_u8(block.are_set(positions), unused_lanes(left)));
        if (left <= 8) return are_all_ones(all);
        left -= 8;
    }
}

MEMBRANE_TARGET_END

#endif
