// A lower bound for every balancing scheme: the load distribution P_LB with the least mean cost, for any convex cost of a load.
//
// m blocks, n = r m keys, on average a block accesses per key, at most gamma n keys in the list. A block sees
// X ~ Poisson(a r) accesses; the best distribution follows X below k0 and puts the rest on k0 and k0 + 1:
//   k0 = the largest k with E[min(X, k)] < r (1 - gamma),
//   P(i) = Pr(X = i) below k0, P(k0 + 1) = r (1 - gamma) - E[min(X, k0)], P(k0) = the rest.
// With a = 1 and gamma = 0 there is no choice: P is the Poisson distribution and there is no k0.
// Both sums are taken over the upper tail, where nothing cancels. Source: balanced Bloom filters, theorem 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane::model {

struct balanced_bound {
    std::optional<std::uint64_t> k0;  // none: the loads are not bounded
    double e0 = 0;                    // sum of i Pr(X = i) over i <= k0
    double p0 = 0;                    // Pr(X <= k0)
    std::vector<double> loads;        // P(0) .. P(k0 + 1)
};

// bad_field "a" (1 .. 64), "gamma" ([0, 1)), "r" (above 0, a r at most 16384).
result<balanced_bound> balanced_lower_bound(double a, double r, double gamma);

double mean_load(std::span<const double> loads);
// Variance of a block's load. For the bound's distribution it is the least variance of the lookup time in a table of chains
// (appendix C of the report: the cost i^2 - mean^2).
double load_variance(std::span<const double> loads);

// Mean cost of a block; `cost` takes the load as a std::uint64_t. The bound holds for convex costs only; the rate of a Bloom
// block is convex for loads below (block_bits / k) ln k.
template <class Cost>
double mean_cost(std::span<const double> loads, Cost cost) {
    double sum = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        if (loads[i] > 0) sum += loads[i] * cost(static_cast<std::uint64_t>(i));
    }
    return sum;
}

}  // namespace membrane::model
