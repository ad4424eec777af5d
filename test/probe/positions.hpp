// The positions that a probe visits, in order.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/hash/key_hash.hpp>

namespace membrane::test {

template <class Probe>
std::vector<std::uint64_t> positions_of(const Probe& probe, key_hash hash) {
    std::vector<std::uint64_t> positions;
    probe.all_of(hash, [&](std::uint64_t position) {
        positions.push_back(position);
        return true;
    });
    return positions;
}

}  // namespace membrane::test
