// A placement says where a key may live: its candidate buckets in order. What a bucket is, it does not know; Bloom
// blocks, rank buckets and chains are placed by the same three types (single, sequential, multi_level).
//
//   tries()          how many candidates a key has
//   bucket(hash, j)  the j-th of them, numbered over all sub-tables
//   table_of(j)      the sub-table that it lies in
//   accepts(j)       the rule by which it takes keys (acceptance.hpp)
//
// Each candidate is drawn from a stream of its own, stream::candidate + j.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/hash/remix.hpp>
#include <membrane/part/placement/acceptance.hpp>

MEMBRANE_TARGET_BEGIN

template <class Placement>
concept placement = requires(const Placement& placed, key_hash hash, std::uint64_t j) {
    { placed.tries() } -> std::same_as<std::uint64_t>;
    { placed.bucket(hash, j) } -> std::same_as<std::uint64_t>;
    { placed.table_of(j) } -> std::same_as<std::size_t>;
    { placed.accepts(j) } -> std::same_as<acceptance>;
};

// A run of buckets with one rule.
struct bucket_table {
    std::uint64_t first = 0;
    std::uint64_t buckets = 0;
    acceptance rule;

    std::uint64_t candidate(key_hash hash, std::uint64_t j) const noexcept {
        return first + fastrange(remix(hash, stream::candidate + j), buckets);
    }
};

MEMBRANE_TARGET_END
