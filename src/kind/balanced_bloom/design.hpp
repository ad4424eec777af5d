// From bits per key to thresholds: the tables of a balanced Bloom filter before they are counted out in blocks.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane::plan {

struct designed_table {
    double blocks_per_key;
    std::uint64_t h;
    double p;  // below 1
};

struct balanced_design {
    std::vector<designed_table> tables;
    std::uint64_t tries = 1;
    std::uint64_t k = 1;
};

// `bits_per_key` are those of the blocks alone.

// The optimum for at most 1.5 reads of a stranger's query (balanced_grid.hpp), brought to this size: arrivals in
// proportion to the keys of a block, thresholds as many standard deviations above them as in the table.
result<balanced_design> best_design(std::uint64_t block_bits, double bits_per_key);

// The report's closed form: d tables of the same load law, a block accesses per inserted key, k = bits ln 2.
result<balanced_design> multi_level_design(std::uint64_t block_bits, double bits_per_key, double a,
                                           std::uint64_t d);
// One table and d tries; the least overflow that a accesses per key allow.
result<balanced_design> sequential_design(std::uint64_t block_bits, double bits_per_key, double a,
                                          std::uint64_t d);
// The same with an overflow that is given, which takes no search.
result<balanced_design> sequential_design_for(std::uint64_t block_bits, double bits_per_key, double a,
                                              std::uint64_t d, double overflow);
// One table that refuses nobody while no block is asked to hold more than `most_load` keys.
balanced_design unbounded_design(double bits_per_key, std::uint64_t block_bits, std::uint64_t most_load);

}  // namespace membrane::plan
