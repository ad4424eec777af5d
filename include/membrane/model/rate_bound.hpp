// How far the rate of one filter can be from the asymptotic rate: bounds for every scheme whose probes hit each bit with
// probability at most k/m, including independent, partitioned and double hashing.
//
// R = a filter's own rate, E its mean over filters, p = (1 - e^(-kn/m))^k. Replacing one of the n keys changes R by at most
// k^2/m, the probability that a stranger shares a bit with it, so by Azuma's inequality
//   Pr(|R - p| > distance) <= 2 exp(-2 (distance - |E - p|)^2 m^2 / (n k^4)),
// and with Q queries measured instead of R
//   <= 2 exp(-Q distance^2 / 2) + 2 exp(-2 (distance/2 - |E - p|)^2 m^2 / (n k^4)).
// Proven but loose: the true deviation (bloom_fpr_stddev_between) is far smaller.
// Source: less hashing, theorems 7.1 and 7.2; xi printed there lacks a factor n in its last term, and is 0 here.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t all_queries = UINT64_MAX;  // the rate R itself, not a sample

struct rate_scheme {
    std::uint64_t n = 1;
    std::uint64_t m = 1;
    std::uint64_t k = 1;
    double mean_rate = 0;  // E
};

// |E - p|
double rate_bias(const rate_scheme& scheme);

// At most 1. bad_field "n", "m", "k" (1 .. 64), "mean_rate", "distance" ([0, 1]), "queries" (at least 1).
result<double> rate_deviation_bound(const rate_scheme& scheme, double distance,
                                    std::uint64_t queries = all_queries);
// The distance at which that bound is `chance`, at most 1; bad_field "chance" ((0, 1]) and as above.
result<double> rate_deviation(const rate_scheme& scheme, double chance, std::uint64_t queries = all_queries);

}  // namespace membrane::model
