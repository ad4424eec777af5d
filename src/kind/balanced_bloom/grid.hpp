// Precomputed optimal designs of balanced Bloom filters for each block size, from few to many bits per key.
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

// The row of this block size with the nearest bits per key (by ratio).
const balanced_row& nearest_row(std::uint64_t block_bits, double bits_per_key);

}  // namespace membrane::plan
