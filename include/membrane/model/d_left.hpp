// Bits per key, at equal rate, of the filters that the rank-indexed paper compares itself with in Tables III to V.
//
//   standard Bloom filter  log2(1/fpr) / ln 2; with 4-bit counters four times that
//   d-left                 4 sub-tables of buckets with 8 cells, 6 of them used on average: a lookup compares 24 fingerprints,
//                          so (8/6) log2(24/fpr); counting: 2 more bits per cell;
//                          trimmed: log2(24/fpr) and 3 bits for the load of a bucket of 6
//   cuckoo                 2 buckets of 4 cells, 95 % of them used: a lookup compares 8 fingerprints, so log2(8/fpr) / 0.95
//   compressed Bloom       an array of m/n bits per key, sparser than the optimal one, coded to its entropy
// The paper evaluates these at the rate that its own filter has (lambda 2^-R), not at the round one, without ceilings.
// Source: rank-indexed hashing, section V; Bonomi et al. for d-left; Mitzenmacher for compressed filters; Fan et al.
// (CoNEXT 2014), sections 4 and 5, for the cuckoo filter, which the paper could not know.
#pragma once

#include <membrane/base/result.hpp>

namespace membrane::model {

// bad_field unless 1e-18 <= fpr < 1.
result<double> standard_bloom_bits_per_key(double fpr);
result<double> standard_counting_bloom_bits_per_key(double fpr);
result<double> d_left_bits_per_key(double fpr);
result<double> d_left_counting_bits_per_key(double fpr);
result<double> d_left_trimmed_bits_per_key(double fpr);
result<double> cuckoo_bits_per_key(double fpr);

// Bits of code per key of a Bloom filter of `bits_per_key` with this rate (its number of probes k is real-valued, the
// smaller of the two that have the rate). bad_field if the array is too small for the rate, or above 1e12.
struct compressed_bloom {
    double k = 0;
    double coded_bits_per_key = 0;
};
result<compressed_bloom> compressed_bloom_at(double bits_per_key, double fpr);

// The array, in bits per key, whose code has `coded_bits_per_key`. It grows without bound as the code approaches its limit
// log2(1/fpr): bad_field at or below that (or if more than 1e12 bits would be needed), and above the standard size.
result<double> compressed_bloom_uncompressed_bits_per_key(double coded_bits_per_key, double fpr);

}  // namespace membrane::model
