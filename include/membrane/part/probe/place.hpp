// One position of a key in a flat array: which 64-cell word, and which cell of it. Kept apart because that is how the
// cells are read, and how folding moves them (only the word changes).
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

struct place {
    std::uint64_t word;
    std::uint64_t cell;  // modulo 64: a shift by it needs no mask

    static constexpr place at(std::uint64_t position) noexcept { return {position >> 6, position & 63}; }
    constexpr std::uint64_t position() const noexcept { return word * 64 + (cell & 63); }
};

// Visits the first `count` places of a walk in order until one answers false; true if none did.
template <class Walk, class Visit>
constexpr bool visit_places(Walk walk, std::uint64_t count, Visit&& visit) noexcept {
    for (; count != 0; --count)
        if (!visit(walk.next())) return false;
    return true;
}

MEMBRANE_TARGET_END
