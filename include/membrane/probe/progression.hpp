// Two hashes give all k positions: double hashing (no_growth) and enhanced double hashing, over either ring.
// Source: less hashing, sections 3 and 5.
#pragma once

#include <cstdint>

#include <membrane/hash/remix.hpp>
#include <membrane/probe/growth.hpp>
#include <membrane/probe/ring.hpp>

namespace membrane {

template <class Ring, class Growth>
class progression_probe {
public:
    static constexpr bool distinct = Ring::distinct && Growth::after(1) == 0;  // no key meets a position twice

    constexpr progression_probe(std::uint64_t size_bits, std::uint64_t k) noexcept : ring_(size_bits), k_(k) {}

    // Visits the positions in order until one answers false; true if none did.
    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        auto at = ring_.start(remix(hash, stream::start));
        auto step = ring_.stride(remix(hash, stream::stride));
        if constexpr (Growth::first != 0) step = ring_.advanced(step, Growth::first);
        for (std::uint64_t i = 1;; ++i) {
            if (!visit(ring_.position(at))) return false;
            if (i == k_) return true;
            at = ring_.sum(at, step);
            if constexpr (Growth::after(1) != 0) step = ring_.advanced(step, Growth::after(i));
        }
    }

private:
    Ring ring_;
    std::uint64_t k_;
};

}  // namespace membrane
