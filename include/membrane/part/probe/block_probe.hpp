// Positions inside one block of 256 or 512 bits: independent bits of the hash. A 64-bit word serves 8 positions of 8 bits or
// 7 positions of 9 bits, lowest bits first; then the next stream. Double hashing inside a block would raise the rate
// three- to fourfold.
//
// block_probe makes a flat array of it: the block by one stream, then k bits of it. Another group of the same key has other
// bits of the same block.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/probe/place.hpp>

MEMBRANE_TARGET_BEGIN

template <unsigned BlockBits>
struct positions_in_block {
    static_assert(BlockBits == 256 || BlockBits == 512);
    static constexpr unsigned bits = BlockBits == 512 ? 9 : 8;
    static constexpr unsigned per_word = 64 / bits;

    static constexpr std::uint64_t lowest(std::uint64_t word) noexcept { return word & (BlockBits - 1); }
};

template <unsigned BlockBits, class Visit>
constexpr void for_each_block_bit(key_hash hash, std::uint64_t first_stream, std::uint64_t count,
                                  Visit&& visit) noexcept {
    using positions = positions_in_block<BlockBits>;
    for (std::uint64_t number = first_stream;; ++number) {
        std::uint64_t word = remix(hash, number);
        for (unsigned i = 0; i < positions::per_word; ++i) {
            visit(positions::lowest(word));
            if (--count == 0) return;
            word >>= positions::bits;
        }
    }
}

// The same for a number of positions that is known when the code is compiled: no loop is left of it.
template <unsigned BlockBits, unsigned Count, class Visit>
[[gnu::always_inline]] constexpr void for_each_block_bit(key_hash hash, std::uint64_t first_stream,
                                                         Visit&& visit) noexcept {
    using positions = positions_in_block<BlockBits>;
    std::uint64_t word = 0;
#pragma GCC unroll 16
    for (unsigned i = 0; i < Count; ++i) {
        if (i % positions::per_word == 0) word = remix(hash, first_stream + i / positions::per_word);
        visit(positions::lowest(word >> (i % positions::per_word * positions::bits)));
    }
}

class block_probe {
public:
    static constexpr bool distinct = false;
    static constexpr std::uint64_t block_bits = 512;

    // size_bits is a multiple of block_bits.
    constexpr block_probe(std::uint64_t size_bits, std::uint64_t k) noexcept
        : blocks_(size_bits / block_bits), k_(k) {}

    constexpr std::uint64_t block_of(key_hash hash) const noexcept {
        return fastrange(remix(hash, stream::block), blocks_);
    }

    class walk {
    public:
        constexpr walk(std::uint64_t block, key_hash hash, std::uint64_t streams) noexcept
            : hash_(hash), first_bit_(block * block_bits), stream_(stream::block_bits + streams) {}
        constexpr place next() noexcept {
            if (left_ == 0) {
                word_ = remix(hash_, stream_++);
                left_ = positions::per_word;
            }
            const std::uint64_t bit = positions::lowest(word_);
            word_ >>= positions::bits;
            --left_;
            return place::at(first_bit_ + bit);
        }

    private:
        using positions = positions_in_block<block_bits>;
        key_hash hash_;
        std::uint64_t first_bit_;
        std::uint64_t stream_;
        std::uint64_t word_ = 0;
        unsigned left_ = 0;
    };
    // `streams` is added to the streams of the bits, not to the block's.
    constexpr walk places(key_hash hash, std::uint64_t streams = 0) const noexcept {
        return {block_of(hash), hash, streams};
    }

    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        return visit_places(places(hash), k_, [&](place at) { return visit(at.position()); });
    }

private:
    std::uint64_t blocks_;
    std::uint64_t k_;
};

MEMBRANE_TARGET_END
