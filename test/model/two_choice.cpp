#include <membrane/model/two_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>
#include <membrane/model/less_hashing.hpp>

namespace membrane::model {
namespace {

void expect_relative(double value, double expected, double tolerance) {
    EXPECT_NEAR(value, expected, std::fabs(expected) * tolerance);
}

TEST(TwoChoice, OneChoiceIsTheStandardFilter) {
    for (const double bits_per_key : {0.25, 1.0, 8.0, 32.0, 1000.0}) {
        for (const std::uint64_t k : {1u, 5u, 22u, 64u}) {
            const double ones = -std::expm1(-static_cast<double>(k) / bits_per_key);
            expect_relative(choice_bloom_ones(bits_per_key, 1, k).value(), ones, 1e-7);
            expect_relative(choice_bloom_fpr_from_ones(ones, 1, k).value(),
                            std::pow(ones, static_cast<double>(k)), 1e-12);
        }
    }
}

TEST(TwoChoice, OneProbeHasAClosedForm) {
    // dz/dt = (1 - z)^c / bits_per_key
    for (const double bits_per_key : {0.5, 2.0, 16.0}) {
        for (const std::uint64_t choices : {2u, 3u, 6u}) {
            const auto c = static_cast<double>(choices);
            const double ones = 1 - std::pow(1 + (c - 1) / bits_per_key, -1 / (c - 1));
            expect_relative(choice_bloom_ones(bits_per_key, choices, 1).value(), ones, 1e-9);
        }
    }
}

TEST(TwoChoice, EveryRateIsARateAndMoreChoicesSetFewerOnes) {
    for (const double bits_per_key : {0.25, 0.5, 2.0, 8.0, 16.0, 64.0, 1e6}) {
        for (const std::uint64_t k : {1u, 2u, 7u, 24u, 64u}) {
            double before = 1;
            for (std::uint64_t choices = 1; choices <= 6; ++choices) {
                SCOPED_TRACE(testing::Message() << bits_per_key << ' ' << k << ' ' << choices);
                const double ones = choice_bloom_ones(bits_per_key, choices, k).value();
                ASSERT_TRUE(ones > 0 && ones <= before);
                before = ones;
                const double fpr = choice_bloom_fpr(bits_per_key, choices, k).value();
                ASSERT_TRUE(fpr >= 0 && fpr <= 1) << fpr;
            }
        }
    }
    const std::uint64_t k = choice_bloom_best_k(12, 6).value();
    EXPECT_LE(choice_bloom_fpr(12, 6, k).value(), choice_bloom_fpr(12, 6, k + 1).value());
    EXPECT_LE(choice_bloom_fpr(12, 6, k).value(), choice_bloom_fpr(12, 6, k - 1).value());
}

std::uint64_t ones_after(std::uint64_t n, std::uint64_t m, std::uint64_t choices, std::uint64_t k,
                         std::mt19937_64& random) {
    std::vector<std::uint8_t> bits(m);
    std::uint64_t ones = 0;
    std::vector<std::uint64_t> group, best;
    for (std::uint64_t key = 0; key < n; ++key) {
        for (std::uint64_t choice = 0; choice < choices; ++choice) {
            group.clear();
            for (std::uint64_t i = 0; i < k; ++i) {
                const std::uint64_t at = random() % m;
                if (bits[at] == 0 && std::find(group.begin(), group.end(), at) == group.end())
                    group.push_back(at);
            }
            if (choice == 0 || group.size() < best.size()) best = group;
        }
        for (const std::uint64_t at : best) bits[at] = 1;
        ones += best.size();
    }
    return ones;
}

TEST(TwoChoice, SimulatedFiltersHaveThePredictedOnesAndScatterLessThanTheBound) {
    struct setting {
        std::uint64_t bits_per_key, choices, k;
    };
    std::mt19937_64 random(5);
    for (const auto& [bits_per_key, choices, k] :
         {setting{8, 2, 7}, setting{8, 3, 7}, setting{16, 2, 13}, setting{4, 6, 4}}) {
        SCOPED_TRACE(testing::Message() << bits_per_key << ' ' << choices << ' ' << k);
        const std::uint64_t n = 10000;
        const std::uint64_t m = n * bits_per_key;
        const int filters = 30;
        const double z = choice_bloom_ones(static_cast<double>(bits_per_key), choices, k).value();
        running_summary ones;
        int far = 0;
        const double distance = choice_bloom_deviation(n, k, 0.5).value();
        for (int filter = 0; filter < filters; ++filter) {
            const auto found = static_cast<double>(ones_after(n, m, choices, k, random));
            ones.add(found / static_cast<double>(m));
            far += std::fabs(found - z * static_cast<double>(m)) >= distance ? 1 : 0;
        }
        // Two probes of a group meet with a chance of k^2 / 2m, which the equation leaves out.
        const double meeting = z * static_cast<double>(k * k) / (2 * static_cast<double>(m));
        EXPECT_NEAR(ones.mean(), z, 5 * ones.standard_error() + meeting);
        // The bound says at most half of them; it is far from tight, and none is there.
        EXPECT_EQ(far, 0);
    }
}

TEST(TwoChoice, DeviationBoundIsTheTheorems) {
    EXPECT_NEAR(choice_bloom_deviation_bound(10000, 7, 3000).value(), 2 * std::exp(-9e6 / (2 * 1e4 * 49)),
                1e-15);
    EXPECT_EQ(choice_bloom_deviation_bound(10000, 7, 0).value(), 1);
    EXPECT_EQ(choice_bloom_deviation_bound(1, 1, 1e300).value(), 0);
    for (const double chance : {1.0, 0.1, 1e-12}) {
        const double distance = choice_bloom_deviation(1000000, 24, chance).value();
        expect_relative(choice_bloom_deviation_bound(1000000, 24, distance).value(), chance, 1e-9);
    }
}

TEST(TwoChoice, ArgumentsOutsideTheDomainAreNamed) {
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (const double bits : {0.0, 0.1, not_a_number, 1e9}) {
        EXPECT_EQ(choice_bloom_ones(bits, 2, 7).error().what, "bits_per_key");
        EXPECT_EQ(choice_bloom_best_k(bits, 2).error().what, "bits_per_key");
    }
    EXPECT_EQ(choice_bloom_fpr(8, 0, 7).error().what, "choices");
    EXPECT_EQ(choice_bloom_fpr(8, 65, 7).error().what, "choices");
    EXPECT_EQ(choice_bloom_fpr(8, 2, 0).error().what, "k");
    EXPECT_EQ(choice_bloom_fpr_from_ones(1.1, 2, 7).error().what, "ones");
    EXPECT_EQ(choice_bloom_deviation_bound(0, 7, 1).error().what, "n");
    EXPECT_EQ(choice_bloom_deviation_bound(10, 7, -1).error().what, "distance");
    EXPECT_EQ(choice_bloom_deviation(10, 7, 0).error().what, "chance");
}

}  // namespace
}  // namespace membrane::model
