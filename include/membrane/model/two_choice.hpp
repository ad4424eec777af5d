// The Bloom filter with c groups of k hashes per key, of which the key sets the group that needs the fewest new ones.
//
// With z the fraction of ones after t n keys, a group finds Bin(k, 1 - z) of its k bits unset, and the least of c:
//   dz/dt = (n / m) sum over j = 1 .. k of Pr(Bin(k, 1-z) >= j)^c,  z(0) = 0.
// A lookup answers yes if any group is all ones: 1 - (1 - z^k)^c. c = 1 is the standard filter, z = 1 - e^(-kn/m).
// The rate is that of independent hashes; double hashing adds to it (less_hashing.hpp).
// Source: Lumetta and Mitzenmacher, "Using the power of two choices to improve Bloom filters", section 3.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t max_choice_groups = 64;

// bad_field "bits_per_key" (0.25 .. 1e6), "choices" (1 .. 64), "k" (1 .. 64).
result<double> choice_bloom_ones(double bits_per_key, std::uint64_t choices, std::uint64_t k);
result<double> choice_bloom_fpr(double bits_per_key, std::uint64_t choices, std::uint64_t k);

// The rate of a filter with a given fraction of ones, online or offline; bad_field "ones" ([0, 1]), "choices", "k".
result<double> choice_bloom_fpr_from_ones(double ones, std::uint64_t choices, std::uint64_t k);

// Standard deviations over filters of n keys: of the fraction of ones, and of the rate by its first derivative. The ones
// follow the equation with small fluctuations, which it damps. bad_field "n" (at least 1) and as above.
result<double> choice_bloom_ones_stddev(double bits_per_key, std::uint64_t choices, std::uint64_t k,
                                        std::uint64_t n);
result<double> choice_bloom_fpr_stddev_between(double bits_per_key, std::uint64_t choices, std::uint64_t k,
                                               std::uint64_t n);

// Keys per bit of the array at which that fraction of ones is reached: the same equation integrated over z, so that sizing for a
// rate needs no search. bad_field "ones" ([0, 1)), "choices", "k".
result<double> choice_bloom_keys_per_bit(double ones, std::uint64_t choices, std::uint64_t k);

// The k in 1 .. 64 with the least rate; bad_field "bits_per_key", "choices".
result<std::uint64_t> choice_bloom_best_k(double bits_per_key, std::uint64_t choices);

// Theorem 3.2: Pr(|X - E X| >= distance) <= 2 exp(-distance^2 / (2 n k^2)) for the number X of ones, any c; at most 1.
// bad_field "distance" (at least 0), "n" (at least 1), "k".
result<double> choice_bloom_deviation_bound(std::uint64_t n, std::uint64_t k, double distance);
// The distance at which that bound is `chance`; bad_field "chance" ((0, 1]), "n", "k".
result<double> choice_bloom_deviation(std::uint64_t n, std::uint64_t k, double chance);

}  // namespace membrane::model
