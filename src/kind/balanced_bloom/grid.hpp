// The best balanced Bloom filters, found once: from few to many bits per key, for each size of a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace membrane::plan {

struct balanced_row {
    std::uint64_t block_bits;
    double bits_per_key;  // everything included
    std::uint64_t k;
    std::size_t tables;
    struct table {
        double arrivals;  // per block
        double capacity;  // h + p
    };
    std::array<table, 3> table;
};

std::span<const balanced_row> balanced_rows();

// The row of this block size whose bits per key are nearest in proportion.
const balanced_row& nearest_row(std::uint64_t block_bits, double bits_per_key);

}  // namespace membrane::plan
