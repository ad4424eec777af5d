// The Bloom filter with choices at finite size: mean and variance of the number of ones, and the rate that follows.
//
// The number X of ones is a Markov chain: a key adds the least of c independent counts of new bits, with mean A(X) and variance
// B(X). Mean E and variance V are propagated from key to key,
//   E' = E + A(E) + A''(E) V / 2,   V' = V (1 + A'(E))^2 + B(E),
// with the exact A for m bits (`positions` says whether a group's positions may coincide). Small filters are propagated key by key,
// large ones in steps that set 0.4 % of the array. c = 1 is the standard filter.
// Source: two choices, section 3, to the next order in 1/n; checked by simulation (test/model/choice_law.cpp).
#pragma once

#include <cstdint>

namespace membrane::model {

enum class positions : bool { may_repeat, distinct };  // of one group

struct mean_and_scatter {
    double mean = 0;
    double stddev = 0;  // from filter to filter
};

// The fraction of ones. Accepts any arguments: no bits or no keys give 0, c and k are clamped to 1 .. 64.
mean_and_scatter choice_ones_law(std::uint64_t n, std::uint64_t m, std::uint64_t choices, std::uint64_t k,
                                 positions in_group);

// The rate of filters whose fraction of ones has this mean and deviation. `shared` is added to the probability of each group that
// its positions are all ones (progressions that two keys have in common).
mean_and_scatter choice_rate_law(mean_and_scatter ones, std::uint64_t m, std::uint64_t choices,
                                 std::uint64_t k, positions in_group, double shared);

}  // namespace membrane::model
