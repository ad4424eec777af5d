#include <membrane/model/rate_bound.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/less_hashing.hpp>

namespace membrane::model {
namespace {

rate_scheme scheme_of(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    return {n, m, k, bloom_fpr_exact(n, m, k)};
}

TEST(RateBound, TheoremByHand) {
    // n = 1e4, m = 8e4, k = 6: lambda = k^2 n / m = 4.5, the bound 2 exp(-2 n (distance - bias)^2 / lambda^2).
    const rate_scheme scheme = scheme_of(10000, 80000, 6);
    const double bias = rate_bias(scheme);
    EXPECT_NEAR(bias, scheme.mean_rate - bloom_fpr_asymptotic(10000, 80000, 6), 1e-15);
    const double distance = 0.1;
    const double expected = 2 * std::exp(-2e4 * (distance - bias) * (distance - bias) / (4.5 * 4.5));
    EXPECT_NEAR(rate_deviation_bound(scheme, distance).value(), expected, 1e-9 * expected);
    const double half = distance / 2 - bias;
    const double sampled = 2 * std::exp(-5000 * 0.01 / 2) + 2 * std::exp(-2e4 * half * half / (4.5 * 4.5));
    EXPECT_NEAR(rate_deviation_bound(scheme, distance, 5000).value(), std::min(1.0, sampled), 1e-9);
    EXPECT_EQ(rate_deviation_bound(scheme, bias / 2).value(), 1);
}

TEST(RateBound, DistanceAndChanceAreInverse) {
    for (const double chance : {0.5, 1e-3, 1e-9, 1e-200}) {
        for (const std::uint64_t queries : {all_queries, std::uint64_t{100000}}) {
            const rate_scheme scheme = scheme_of(1000000, 16000000, 11);
            const double distance = rate_deviation(scheme, chance, queries).value();
            if (distance >= 1) continue;
            EXPECT_LE(rate_deviation_bound(scheme, distance, queries).value(), chance);
            EXPECT_NEAR(rate_deviation_bound(scheme, distance * (1 - 1e-12), queries).value(), chance,
                        1e-6 * chance);
        }
    }
    EXPECT_EQ(rate_deviation(scheme_of(100, 100, 64), 1e-3).value(), 1);
}

// The bound is one: no simulated filter may leave it more often than it allows, and it is far from tight.
TEST(RateBound, SimulatedFiltersKeepIt) {
    const std::uint64_t n = 2000, m = 16000, k = 3;
    const rate_scheme scheme = scheme_of(n, m, k);
    const double p = bloom_fpr_asymptotic(n, m, k);
    const double distance = rate_deviation(scheme, 0.1).value();
    std::mt19937_64 random(7);
    int outside = 0;
    const int filters = 200;
    for (int filter = 0; filter < filters; ++filter) {
        std::vector<bool> bits(m);
        for (std::uint64_t i = 0; i < n * k; ++i) bits[random() % m] = true;
        double ones = 0;
        for (const bool bit : bits) ones += bit ? 1 : 0;
        if (std::fabs(std::pow(ones / static_cast<double>(m), 3) - p) > distance) ++outside;
    }
    EXPECT_LE(outside, filters / 10);
    EXPECT_GT(distance, 5 * bloom_fpr_stddev_between(n, m, k));
}

TEST(RateBound, OutsideTheDomainIsANamedError) {
    EXPECT_EQ(rate_deviation_bound({0, 1, 1, 0}, 0.1).error().what, "n");
    EXPECT_EQ(rate_deviation_bound({1, 0, 1, 0}, 0.1).error().what, "m");
    EXPECT_EQ(rate_deviation_bound({1, 1, 65, 0}, 0.1).error().what, "k");
    EXPECT_EQ(rate_deviation_bound({1, 1, 1, NAN}, 0.1).error().what, "mean_rate");
    EXPECT_EQ(rate_deviation_bound({1, 1, 1, 0}, NAN).error().what, "distance");
    EXPECT_EQ(rate_deviation_bound({1, 1, 1, 0}, 0.1, 0).error().what, "queries");
    EXPECT_EQ(rate_deviation({1, 1, 1, 0}, 0).error().what, "chance");
}

}  // namespace
}  // namespace membrane::model
