#include <membrane/model/interval.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace membrane::model {
namespace {

TEST(Interval, WilsonEndsSolveTheirEquation) {
    // The ends are the rates p with |successes / trials - p| = sigmas sqrt(p (1-p) / trials).
    for (const auto& [successes, trials] :
         {std::pair<std::uint64_t, std::uint64_t>{3, 10}, {1, 1000000}, {999, 1000}, {50, 100}}) {
        for (const double sigmas : {1.0, 1.96, 5.0}) {
            const interval found = binomial_interval(successes, trials, sigmas);
            const double rate = static_cast<double>(successes) / static_cast<double>(trials);
            for (const double end : {found.low, found.high}) {
                const double distance = sigmas * std::sqrt(end * (1 - end) / static_cast<double>(trials));
                EXPECT_NEAR(std::fabs(rate - end), distance, 1e-10);
            }
            EXPECT_TRUE(found.contains(rate));
        }
    }
}

TEST(Interval, WilsonEndsAreExactAtTheBorders) {
    EXPECT_EQ(binomial_interval(0, 1000, 5).low, 0);
    EXPECT_NEAR(binomial_interval(0, 1000, 5).high, 25.0 / 1025, 1e-15);
    EXPECT_EQ(binomial_interval(1000, 1000, 5).high, 1);
    EXPECT_NEAR(binomial_interval(1000, 1000, 5).low, 1000.0 / 1025, 1e-15);
    EXPECT_EQ(binomial_interval(0, 0, 5).low, 0);
    EXPECT_EQ(binomial_interval(0, 0, 5).high, 1);
    EXPECT_EQ(binomial_interval(7, 5, 5).high, 1);
}

TEST(Interval, FiveSigmaAddsTheScatterBetweenFiltersToThatOfTheProbes) {
    const interval found = five_sigma(0.01, 10000, 4, 3e-4);
    const double stddev = std::sqrt(3e-4 * 3e-4 / 4 + 0.01 * 0.99 / 40000);
    EXPECT_NEAR(found.low, 0.01 - 5 * stddev, 1e-15);
    EXPECT_NEAR(found.high, 0.01 + 5 * stddev, 1e-15);
    EXPECT_EQ(five_sigma(1e-6, 10, 1, 0).low, 0);
    EXPECT_EQ(five_sigma(0.999, 10, 1, 0).high, 1);
    EXPECT_EQ(five_sigma(0.5, 0, 1, 0).high, 1);
    EXPECT_EQ(five_sigma(0.5, 0, 1, 0).low, 0);
}

TEST(Interval, TwoSigmaHoldsTheMeanAsOftenAsItShould) {
    // Filters with rates 0.1 +- 0.02, 500 probes each, 20 filters: 95.45 % of the means lie inside two sigmas.
    std::mt19937_64 random(7);
    std::normal_distribution<double> between(0.1, 0.02);
    const interval accepted = rate_interval(0.1, 500, 20, 0.02, 2);
    const int trials = 4000;
    std::uint64_t inside = 0;
    for (int trial = 0; trial < trials; ++trial) {
        running_summary rates;
        for (int filter = 0; filter < 20; ++filter) {
            std::binomial_distribution<int> hits(500, std::max(0.0, between(random)));
            rates.add(hits(random) / 500.0);
        }
        inside += accepted.contains(rates.mean()) ? 1 : 0;
    }
    EXPECT_TRUE(binomial_interval(inside, trials, 5).contains(std::erf(std::sqrt(2.0)))) << inside;
}

TEST(Interval, SummaryIsTheTextbookOneAndDoesNotCancel) {
    const std::vector<double> sample{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    const summary found = summarize(sample);
    EXPECT_EQ(found.mean, 1e9 + 10);
    EXPECT_NEAR(found.standard_error, std::sqrt(30.0 / 4), 1e-12);
    EXPECT_EQ(summarize({}).mean, 0);
    EXPECT_EQ(summarize(std::vector<double>{3}).mean, 3);
    EXPECT_EQ(summarize(std::vector<double>{3}).standard_error, 0);
}

}  // namespace
}  // namespace membrane::model
