// k sub-arrays, probe i goes to sub-array i at (start + i * stride) modulo the sub-array's size: the partition
// scheme of less hashing, section 5.1. With a prime size its false positive rate is known exactly.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/probe/probe_ring.hpp>

MEMBRANE_TARGET_BEGIN

class partitioned_probe {
public:
    static constexpr bool distinct = true;

    constexpr partitioned_probe(std::uint64_t sub_array_bits, std::uint64_t k) noexcept
        : sub_array_bits_(sub_array_bits), k_(k) {}

    class walk {
    public:
        constexpr walk(std::uint64_t sub_array_bits, key_hash hash) noexcept
            : ring_(sub_array_bits),
              sub_array_bits_(sub_array_bits),
              at_(ring_.start(remix(hash, stream::start))),
              step_(ring_.stride(remix(hash, stream::stride))) {}
        constexpr place next() noexcept {
            const place here = place::at(first_bit_ + at_);
            at_ = ring_.sum(at_, step_);
            first_bit_ += sub_array_bits_;
            return here;
        }

    private:
        flat_ring ring_;
        std::uint64_t sub_array_bits_;
        std::uint64_t at_;
        std::uint64_t step_;
        std::uint64_t first_bit_ = 0;
    };
    constexpr walk places(key_hash hash) const noexcept { return {sub_array_bits_, hash}; }

    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        return visit_places(places(hash), k_, [&](place at) { return visit(at.position()); });
    }

private:
    std::uint64_t sub_array_bits_;
    std::uint64_t k_;
};

MEMBRANE_TARGET_END
