// Cache lines that a lookup in a rank-indexed filter reads (bit-packed buckets with extensions).
//
// A lookup reads the base bits, then for each entry of its chain the cell and the higher bits of the cell's level, until a
// fingerprint matches or the chain ends; it follows the pointer to an extension if a level extends beyond the bucket's cells.
// The number of lines depends on where the bucket begins in a line and on the loads of all its chains. The mean is taken over a
// fixed sample of buckets, whose loads are the quantiles of their distribution; it is accurate to about 0.3 %.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/rank_storage.hpp>

namespace membrane::model {

struct rank_reads {
    double negative = 0;
    double positive = 0;
    double worst = 0;  // every line of a bucket and its extensions
};

// bad_field as rank_bits_per_key.
result<rank_reads> rank_lookup_reads(const rank_shape& shape, std::uint64_t n);

}  // namespace membrane::model
