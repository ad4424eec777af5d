// Lookups of integers in header-only filters, hashing included, beside lookups of the same keys with precomputed hashes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

namespace bench {

// Of one way to pass keys: ns per key, the least of the rounds and in each round.
enum integer_column : std::size_t { stranger_one, key_one, stranger_batch, key_batch, integer_columns };
inline constexpr std::array<std::string_view, integer_columns> integer_column_names{
    "miss", "hit", "miss.batch", "hit.batch"};

struct integer_way {
    std::string_view name;
    std::array<std::vector<double>, integer_columns> ns;  // by round
};

// `precomputed` first, then the hashes of integers; empty if a filter could not be made or lost a key.
using integer_ways = std::vector<integer_way>;

[[gnu::visibility("default")]] integer_ways integers_in_blocked_bloom(std::uint64_t keys, double fpr,
                                                                      int rounds);
[[gnu::visibility("default")]] integer_ways integers_in_balanced_rank(std::uint64_t keys, double fpr,
                                                                      int rounds);
// Precomputed hashes: lookups that know the class of the layout (line.hpp) when they are compiled, and such as do not.
[[gnu::visibility("default")]] integer_ways layouts_in_balanced_rank(std::uint64_t keys, double fpr,
                                                                     int rounds);

}  // namespace bench
