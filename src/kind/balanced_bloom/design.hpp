// Tables of a balanced Bloom filter for a number of bits per key, in real numbers, before they are rounded to whole blocks.
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

// `bits_per_key` counts the blocks only.

// The optimum for at most 1.5 reads of a stranger's lookup (grid.hpp), scaled to this size: arrivals in proportion to the keys
// per block, thresholds the same number of standard deviations above them as in the grid.
result<balanced_design> best_design(std::uint64_t block_bits, double bits_per_key);

// The report's closed form: d tables with one load distribution, a block accesses per inserted key, k = bits ln 2.
result<balanced_design> multi_level_design(std::uint64_t block_bits, double bits_per_key, double a,
                                           std::uint64_t d);
// One table and d candidates, with the least overflow that a accesses per key allow.
result<balanced_design> sequential_design(std::uint64_t block_bits, double bits_per_key, double a,
                                          std::uint64_t d);
// The same with a given overflow, without a search.
result<balanced_design> sequential_design_for(std::uint64_t block_bits, double bits_per_key, double a,
                                              std::uint64_t d, double overflow);
// One table that refuses no key as long as no block gets more than `most_load` keys.
balanced_design unbounded_design(double bits_per_key, std::uint64_t block_bits, std::uint64_t most_load);

}  // namespace membrane::plan
