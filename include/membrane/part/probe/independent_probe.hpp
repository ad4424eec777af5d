// k independent positions, one multiplication-fold of the hash each: the standard Bloom filter.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/probe/place.hpp>

MEMBRANE_TARGET_BEGIN

class independent_probe {
public:
    static constexpr bool distinct = false;

    constexpr independent_probe(std::uint64_t size_bits, std::uint64_t k) noexcept
        : size_bits_(size_bits), k_(k) {}

    class walk {
    public:
        constexpr walk(std::uint64_t size_bits, key_hash hash, std::uint64_t streams) noexcept
            : size_bits_(size_bits), hash_(hash), stream_(stream::independent + streams) {}
        constexpr place next() noexcept { return place::at(fastrange(remix(hash_, stream_++), size_bits_)); }

    private:
        std::uint64_t size_bits_;
        key_hash hash_;
        std::uint64_t stream_;
    };
    // `streams` is added to every stream number: the places of another group of the same key.
    constexpr walk places(key_hash hash, std::uint64_t streams = 0) const noexcept {
        return {size_bits_, hash, streams};
    }

    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        return visit_places(places(hash), k_, [&](place at) { return visit(at.position()); });
    }

private:
    std::uint64_t size_bits_;
    std::uint64_t k_;
};

MEMBRANE_TARGET_END
