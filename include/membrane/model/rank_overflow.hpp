// The probability Po that the extensions of a rank-indexed filter do not suffice for n keys.
//
// Three ways to fail: more than J2 buckets above Z1 keys, more than J3 above Z1 + Z2, one above Z1 + Z2 + Z3.
//   bound     2 Bt(B, Pt(n/B, Z1), J2) + 2 Bt(B, Pt(n/B, Z1+Z2), J3) + B Bt(n, 1/B, Z1+Z2+Z3), strict upper tails:
//             the paper's (1), proven. The first two compare the multinomial loads with independent ones.
//   estimate  the first two terms with the sum of the loads fixed at n (loads are negatively correlated: see overflow_scatter).
//             Each number of overflowing buckets has a binomial weight times the probability that the two kinds of bucket add
//             up to n, by its saddle point: relative error of order 1 / B, no bound. For n up to about 1e8 (time grows as
//             sqrt n).
// Source: rank-indexed hashing, section IV and appendix; the estimate is our own.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/rank_storage.hpp>

namespace membrane::model {

// Natural logarithms of the three probabilities and of their sum; minus infinity for what cannot happen. Can be above 0 where
// the bound is trivial.
struct rank_overflow {
    double log_extensions = 0;       // J2 is too few
    double log_last_extensions = 0;  // J3 is too few
    double log_bucket = 0;           // Z1 + Z2 + Z3 is too few
    double log_any = 0;
};

// bad_field with the name of the member of the shape that is out of range, or "n".
result<rank_overflow> rank_overflow_bound(const rank_shape& shape, std::uint64_t n);
result<rank_overflow> rank_overflow_estimate(const rank_shape& shape, std::uint64_t n);

// The number of buckets with more than `cells` keys. Its variance is B [p (1-p) - mean pmf(cells)^2]: the binomial one
// (independent loads) is what makes the bound generous, 290 against 169 at n = 1e5, 1 %.
struct overflow_scatter {
    double mean = 0;
    double variance = 0;
    double variance_if_independent = 0;
};
result<overflow_scatter> rank_overflow_scatter(std::uint64_t n, std::uint64_t buckets, std::uint64_t cells);

}  // namespace membrane::model
