// When a bucket takes a key, and when a query may stop at it (part/bloom_block.hpp reads that from a block's state).
//
// A bucket takes a key below load h, at load h if the key's coin says so, never above. The coin is a hash of the key
// (stream::coin + j for its j-th candidate), not a random number, so that a query can toss it again. A bucket of final
// load below h has refused nobody; one at h has not refused a key whose coin says yes; one that never refused anybody
// (its flag is unset) has not refused this one. What none of this rules out may have been refused: the walk goes on.
//
// Only for buckets that never lose an entry. Where entries can be erased the coin may not stop a walk: refused at
// h + 1, erased to h, coin says yes, and the key would be missed.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>

MEMBRANE_TARGET_BEGIN

// Numbers that stand in files.
enum class stop_rule : std::uint8_t { load, coin, flag, flag_coin };

constexpr bool has_flag(stop_rule rule) noexcept {
    return rule == stop_rule::flag || rule == stop_rule::flag_coin;
}
constexpr bool has_coin(stop_rule rule) noexcept {
    return rule == stop_rule::coin || rule == stop_rule::flag_coin;
}

struct acceptance {
    std::uint64_t h = 0;
    std::uint64_t p = 0;  // chance of a key at load h, in units of 2^-32; (h, 1) would be (h + 1, 0)

    bool coin(key_hash hash, std::uint64_t j) const noexcept {
        return (remix(hash, stream::coin + j) >> 32) < p;
    }
    bool takes(std::uint64_t load, key_hash hash, std::uint64_t j) const noexcept {
        return load < h || (load == h && coin(hash, j));
    }
};

MEMBRANE_TARGET_END
