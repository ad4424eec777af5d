// The SINGLE scheme: one block per key; a block takes a key below load h, with probability p at load h, never above.
//
// x = arrivals per block, X ~ Poisson(x). After j = X - h arrivals at load h the block is still at h with probability (1-p)^j.
// Every quantity is a sum of positive terms over X, accurate for any p in [0, 1] and any x; the closed form, which subtracts an
// incomplete sum, loses all digits as p approaches 1.
// (h, p = 0) and (h - 1, p = 1) are the same scheme: everything is continuous in h + p.
// Source: balanced Bloom filters, theorem 2 and appendix A.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane::model {

struct single_state {
    std::vector<double> loads;  // f_0 .. f_(h+1)
    double arrivals = 0;        // x
    double refusal = 0;         // probability that the next arrival is refused: (1-p) f_h + f_(h+1)
    double overflow = 0;        // fraction of the arrivals that were refused (at x = 0 its limit)
    double flagged_at_h = 0;    // share of blocks at load h that have refused a key
    double flagged_at_top = 0;  // share of blocks at load h + 1 that have refused a key
    double refused_at_h = 0;    // refused arrivals per block whose block is now at h
    double refused_at_top = 0;  // refused arrivals per block whose block is now at h + 1
};

// bad_field "x" (0 .. 1e300, above 16384 only with h <= 8192), "h" (0 .. 65535), "p" ([0, 1]).
result<single_state> single(double x, std::uint64_t h, double p);

// The p at which a share `at_top` of the blocks is at load h + 1 (theorem 2's fixed point f_h = P(k0), rewritten for the other
// load: same root, no cancellation). bad_field "at_top" unless 0 <= at_top <= Pr(X > h).
result<double> single_coin(double x, std::uint64_t h, double at_top);

struct single_design {
    std::uint64_t h = 0;
    double p = 0;
    bool bounded = true;  // false: a = 1 and gamma = 0, no key is refused and h is only the largest load seen
};

// The (h, p) whose loads equal the lower bound's after a r arrivals per block. Errors of balanced_lower_bound.
result<single_design> single_for_bound(double a, double r, double gamma);

}  // namespace membrane::model
