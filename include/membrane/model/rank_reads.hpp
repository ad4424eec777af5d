// Cache lines that a lookup in a rank-indexed filter reads, bit-packed buckets with extensions behind them.
//
// A walk reads the base bits, then for each entry of its chain the cell and the higher bits of the cell's level, until a
// fingerprint matches or the chain ends; an extension is read, by way of the pointer, where a level reaches behind the
// bucket's cells. How many lines that are depends on where the bucket begins in a line and on all loads of its chains:
// the mean is taken over a fixed sample of buckets, whose loads are spread evenly over their law. It is exact to about
// a third of a percent.
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
