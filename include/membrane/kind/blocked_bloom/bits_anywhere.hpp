// A key's k bits anywhere in its block, by part/probe/block_probe.hpp: the least memory for a rate, in more instructions than one bit in
// each lane (kind/blocked_bloom/bits_in_lanes.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/part/block_lanes_avx2.hpp>
#include <membrane/part/block_lanes_neon.hpp>
#include <membrane/part/probe/block_probe.hpp>

MEMBRANE_TARGET_BEGIN

template <unsigned BlockBits>
class bits_anywhere {
public:
    explicit bits_anywhere(std::uint64_t k) noexcept : k_(k) {}

    std::uint64_t k() const noexcept { return k_; }

    // No early exit: the block is one line, and a branch per bit would be mispredicted more often than it saves.
    bool are_set(const std::byte* block, const key_hash& hash) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        return has_block_bits<BlockBits>(block, hash, k_);
#else
        unsigned all = 1;
        for_each_block_bit<BlockBits>(hash, stream::block_bits, k_, [&](std::uint64_t bit) {
            all &= std::to_integer<unsigned>(block[bit >> 3]) >> (bit & 7);
        });
        return all != 0;
#endif
    }
    void set(std::byte* block, key_hash hash) const noexcept {
        for_each_block_bit<BlockBits>(hash, stream::block_bits, k_, setter{block});
    }

    // use(set): set(block, hash) for many keys. The common numbers of bits have code of their own.
    template <class Use>
    void with_fast_set(const Use& use) const noexcept {
        switch (k_) {
            case 5: return use(set_known<5>{});
            case 6: return use(set_known<6>{});
            case 7: return use(set_known<7>{});
            case 8: return use(set_known<8>{});
            case 9: return use(set_known<9>{});
            case 10: return use(set_known<10>{});
            default: return use([this](std::byte* block, key_hash hash) { set(block, hash); });
        }
    }

private:
    struct setter {
        std::byte* block;
        void operator()(std::uint64_t bit) const noexcept { block[bit >> 3] |= std::byte{1} << (bit & 7); }
    };
    template <unsigned K>
    struct set_known {
        void operator()(std::byte* block, key_hash hash) const noexcept {
            for_each_block_bit<BlockBits, K>(hash, stream::block_bits, setter{block});
        }
    };

    std::uint64_t k_;
};

MEMBRANE_TARGET_END
