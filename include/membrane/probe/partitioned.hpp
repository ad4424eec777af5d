// k sub-arrays, probe i goes to sub-array i at (start + i * stride) modulo the sub-array's size: the partition
// scheme of less hashing, section 5.1. With a prime size its false positive rate is known exactly.
#pragma once

#include <cstdint>

#include <membrane/hash/remix.hpp>
#include <membrane/probe/ring.hpp>

namespace membrane {

class partitioned_probe {
public:
    static constexpr bool distinct = true;

    constexpr partitioned_probe(std::uint64_t sub_array_bits, std::uint64_t k) noexcept
        : sub_array_bits_(sub_array_bits), k_(k) {}

    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        const flat_ring ring(sub_array_bits_);
        auto at = ring.start(remix(hash, stream::start));
        const auto step = ring.stride(remix(hash, stream::stride));
        std::uint64_t first_bit = 0;
        for (std::uint64_t i = 0; i < k_; ++i) {
            if (!visit(first_bit + at)) return false;
            at = ring.sum(at, step);
            first_bit += sub_array_bits_;
        }
        return true;
    }

private:
    std::uint64_t sub_array_bits_;
    std::uint64_t k_;
};

}  // namespace membrane
