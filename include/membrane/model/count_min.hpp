// Dimensions and guarantees of the count-min sketch: depth rows of `width` counters, an estimate is the least counter.
//
// eps, delta: with probability at least 1 - delta the estimate exceeds the true count by at most eps times the sum of all counts.
//   classic:  one independent hash per row; width e / eps, depth ln(1 / delta).
//   two_hash: row j at (h1 + j h2) modulo a prime width of at least 2e / eps. One sketch fails with a probability of up to eps,
//             however many rows it has beyond ln(1 / eps) + 0.0701, because two keys may agree in both hashes. Independent
//             copies, each with two hashes of its own, reduce the probability to delta.
// Source: less hashing, section 9, with the misprints of Theorem 9.1 and section 9.2 corrected. The two-hash bound is
// one for fully random hashes.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

struct count_min_size {
    std::uint64_t width;   // counters per row
    std::uint64_t depth;   // rows per copy
    std::uint64_t copies;  // 1 for classic
};

// bad_field unless eps and delta are in (0, 1); size_overflow if a width above 2^48 counters is asked for.
result<count_min_size> count_min_classic_size(double eps, double delta);
result<count_min_size> count_min_two_hash_size(double eps, double delta);

// Upper bounds of the probability that one estimate is off by more than eps times the sum; 1 where the bound is trivial
// (also for eps outside (0, 1) and for empty sketches).
double count_min_classic_failure_bound(double eps, const count_min_size& size);
double count_min_two_hash_failure_bound(double eps, const count_min_size& size);

}  // namespace membrane::model
