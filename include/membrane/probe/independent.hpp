// k independent positions, one multiplication-fold of the hash each: the standard Bloom filter.
#pragma once

#include <cstdint>

#include <membrane/hash/remix.hpp>

namespace membrane {

class independent_probe {
public:
    static constexpr bool distinct = false;

    constexpr independent_probe(std::uint64_t size_bits, std::uint64_t k) noexcept : size_bits_(size_bits), k_(k) {}

    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        for (std::uint64_t i = 0; i < k_; ++i)
            if (!visit(fastrange(remix(hash, stream::independent + i), size_bits_))) return false;
        return true;
    }

private:
    std::uint64_t size_bits_;
    std::uint64_t k_;
};

}  // namespace membrane
