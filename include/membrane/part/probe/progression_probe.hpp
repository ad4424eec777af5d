// Two hashes give all k positions: double hashing (no_growth) and enhanced double hashing, over either ring.
// Source: less hashing, sections 3 and 5.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/probe/probe_growth.hpp>
#include <membrane/part/probe/probe_ring.hpp>

MEMBRANE_TARGET_BEGIN

template <class Ring, class Growth>
class progression_probe {
public:
    static constexpr bool distinct =
        Ring::distinct && Growth::after(1) == 0;  // no key meets a position twice

    constexpr progression_probe(std::uint64_t size_bits, std::uint64_t k) noexcept
        : ring_(size_bits), k_(k) {}

    // A key's first position and the distance from it to the second.
    struct origin_type {
        typename Ring::element at;
        typename Ring::element step;
    };
    constexpr origin_type origin(key_hash hash, std::uint64_t streams = 0) const noexcept {
        typename Ring::element step = ring_.stride(remix(hash, stream::stride + streams));
        if constexpr (Growth::first != 0) step = ring_.advanced(step, Growth::first);
        return {ring_.start(remix(hash, stream::start + streams)), step};
    }

    // The endless sequence of a key's places; a filter uses the first k.
    class walk {
    public:
        constexpr walk(const Ring& ring, origin_type origin) noexcept
            : ring_(ring), at_(origin.at), step_(origin.step) {}
        constexpr place next() noexcept {
            const place here = ring_.place_of(at_);
            at_ = ring_.sum(at_, step_);
            if constexpr (Growth::after(1) != 0) step_ = ring_.advanced(step_, Growth::after(++steps_));
            return here;
        }

    private:
        Ring ring_;
        typename Ring::element at_;
        typename Ring::element step_;
        std::uint64_t steps_ = 0;
    };
    // `streams` is added to every stream number: the places of another group of the same key.
    constexpr walk places(key_hash hash, std::uint64_t streams = 0) const noexcept {
        return {ring_, origin(hash, streams)};
    }

    // Visits the k positions in order until one answers false; true if none did.
    template <class Visit>
    constexpr bool all_of(key_hash hash, Visit&& visit) const noexcept {
        return visit_places(places(hash), k_, [&](place at) { return visit(at.position()); });
    }

private:
    Ring ring_;
    std::uint64_t k_;
};

MEMBRANE_TARGET_END
