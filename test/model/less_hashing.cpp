#include <membrane/model/less_hashing.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include "model/oracle.hpp"

namespace membrane::model {
namespace {

void expect_near_relative(double value, double expected, double tolerance) {
    EXPECT_NEAR(value, expected, std::fabs(expected) * tolerance);
}

TEST(LessHashing, StrideRulesGiveTheReferenceValues) {
    // Reference values to the digits given.
    EXPECT_NEAR(double_hash_fpr_first_order(1000, 16000, 11, stride_rule::any), 5.450e-4, 5e-8);
    EXPECT_NEAR(double_hash_fpr_first_order(1000, 16000, 11, stride_rule::coprime), 5.058e-4, 5e-8);
    EXPECT_NEAR(double_hash_fpr_first_order(10000, 320000, 22, stride_rule::any), 3.94e-6, 5e-9);
    EXPECT_NEAR(double_hash_fpr_first_order(10000, 320000, 22, stride_rule::coprime), 1.37e-6, 5e-9);
    EXPECT_NEAR(bloom_fpr_exact(10000, 320000, 22), 2.10e-7, 1e-9);
}

TEST(LessHashing, TwoHashPartitionAgreesWithEveryOutcomeOfASmallOne) {
    // p = 5: 25 pairs (h1, h2); all 25^n choices of n keys against all 25 strangers; 7 sub-arrays repeat two of them.
    const std::uint64_t p = 5;
    for (const std::uint64_t k : {1u, 2u, 3u, 5u, 7u}) {
        for (const std::uint64_t n : {1u, 2u, 3u}) {
            const auto bits = [&](std::uint64_t pair) {
                std::uint64_t set = 0;
                for (std::uint64_t i = 0; i < k; ++i)
                    set |= std::uint64_t{1} << (i * p + (pair / p + i * (pair % p)) % p);
                return set;
            };
            std::uint64_t outcomes = 1;
            for (std::uint64_t i = 0; i < n; ++i) outcomes *= p * p;
            std::uint64_t passed = 0;
            for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
                std::uint64_t filter = 0;
                for (std::uint64_t i = 0, rest = outcome; i < n; ++i, rest /= p * p)
                    filter |= bits(rest % (p * p));
                for (std::uint64_t stranger = 0; stranger < p * p; ++stranger) {
                    passed += (bits(stranger) & ~filter) == 0 ? 1 : 0;
                }
            }
            const double expected = static_cast<double>(passed) / static_cast<double>(outcomes * p * p);
            expect_near_relative(partitioned_two_hash_fpr_exact(n, static_cast<double>(p), k), expected,
                                 1e-13);
        }
    }
}

TEST(LessHashing, ExactRateAgreesWithEveryOutcomeOfSmallFilters) {
    for (std::uint64_t m = 1; m <= 6; ++m) {
        for (std::uint64_t k = 1; k <= 4; ++k) {
            for (std::uint64_t n = 1; n * k <= 8; ++n) {
                SCOPED_TRACE(testing::Message() << "n " << n << " m " << m << " k " << k);
                const double expected = oracle::mean_power_by_enumeration(n * k, m, k);
                expect_near_relative(bloom_fpr_exact(n, m, k), expected, 1e-13);
                expect_near_relative(bloom_ones_exact(n, m, k),
                                     oracle::mean_power_by_enumeration(n * k, m, 1), 1e-13);
            }
        }
    }
}

TEST(LessHashing, ExactRateAgreesWithInclusionExclusionInThousandDigits) {
    for (const std::uint64_t k : {1u, 2u, 7u, 11u, 30u, 64u}) {
        for (const auto& [n, m] : {std::pair<std::uint64_t, std::uint64_t>{1, 64},
                                   {1, 1 << 20},
                                   {3, 1000},
                                   {10, 64},
                                   {50, 64},
                                   {100, 999},
                                   {1000, 12000},
                                   {1000, 64000},
                                   {100000, 800000},
                                   {1000000, 10000000},
                                   {1000000000000, 16000000000000},
                                   {1000000000000, 1000000000000}}) {
            SCOPED_TRACE(testing::Message() << "n " << n << " m " << m << " k " << k);
            expect_near_relative(bloom_fpr_exact(n, m, k), oracle::bloom_fpr(n, m, k), 1e-11);
        }
    }
}

TEST(LessHashing, ScatterOfTheOnesAgreesWithEveryOutcomeOfSmallFilters) {
    for (std::uint64_t m = 2; m <= 6; ++m) {
        for (std::uint64_t n = 1; n <= 8; ++n) {
            const double mean = oracle::mean_power_by_enumeration(n, m, 1);
            const double variance = oracle::mean_power_by_enumeration(n, m, 2) - mean * mean;
            EXPECT_NEAR(std::pow(bloom_ones_stddev(n, m, 1), 2), variance, 1e-14) << "n " << n << " m " << m;
        }
    }
    // Both forms of the variance at their border, a throw in ten thousand bins.
    expect_near_relative(bloom_ones_stddev(999999, 10000000000, 1),
                         bloom_ones_stddev(1000001, 10000000000, 1), 1e-4);
}

TEST(LessHashing, ScatterBetweenFiltersIsTheDerivativeTimesTheScatterOfTheOnes) {
    // E[z^2k] - E[z^k]^2 with both moments exact, where the first derivative is enough (k^2 << m).
    const std::uint64_t n = 50000, m = 400000, k = 6;
    const double mean = bloom_fpr_exact(n, m, k);
    // 2k probes of a filter filled with k per key: the same number of throws, spread over half as many keys.
    const double square = bloom_fpr_exact(n / 2, m, 2 * k);
    expect_near_relative(bloom_fpr_stddev_between(n, m, k), std::sqrt(square - mean * mean), 1e-3);
}

TEST(LessHashing, IndependentPartitionIsAPower) {
    expect_near_relative(partitioned_independent_fpr_exact(1000, 1459, 11),
                         std::pow(1 - std::pow(1 - 1.0 / 1459, 1000), 11), 1e-12);
    // A key sets one bit in each sub-array: more ones than in the flat filter, hence a higher rate.
    EXPECT_GT(partitioned_independent_fpr_exact(1000, 1454.5454, 11), bloom_fpr_exact(1000, 16000, 11));
}

TEST(LessHashing, BorderCasesHaveAnAnswer) {
    for (const std::uint64_t k : {1u, 64u}) {
        EXPECT_EQ(bloom_fpr_exact(0, 100, k), 0);
        EXPECT_EQ(bloom_fpr_asymptotic(0, 100, k), 0);
        EXPECT_EQ(bloom_fpr_exact(5, 0, k), 1);
        EXPECT_EQ(bloom_fpr_exact(5, 1, k), 1);
        EXPECT_EQ(bloom_fpr_asymptotic(5, 0, k), 1);
        EXPECT_EQ(double_hash_fpr_first_order(0, 100, k, stride_rule::any), 0);
        EXPECT_EQ(partitioned_two_hash_fpr_exact(0, 7, k), 0);
        EXPECT_EQ(partitioned_two_hash_fpr_exact(5, 0, k), 1);
        EXPECT_EQ(partitioned_independent_fpr_exact(0, 7, k), 0);
        EXPECT_EQ(bloom_fpr_stddev_between(0, 100, k), 0);
    }
    EXPECT_EQ(bloom_fpr_exact(5, 100, 0), 1);
    EXPECT_EQ(bloom_fpr_exact(1000, 9000, 1000000), bloom_fpr_exact(1000, 9000, 64));
    EXPECT_EQ(bloom_ones_distinct(1, 128, 64), 0.5);
    EXPECT_EQ(bloom_ones_distinct(1, 64, 64), 1);
}

TEST(LessHashing, EveryRateIsARateAndRisesWithTheKeys) {
    for (const double bits_per_key : {1.0, 2.5, 8.0, 16.0, 32.0, 64.0}) {
        for (std::uint64_t k = 1; k <= 64; k += k < 12 ? 1 : 13) {
            for (double keys = 1; keys <= 1e12; keys *= 31.6) {
                const auto n = static_cast<std::uint64_t>(keys);
                const auto m = static_cast<std::uint64_t>(std::ceil(keys * bits_per_key));
                SCOPED_TRACE(testing::Message() << "n " << n << " m " << m << " k " << k);
                const double exact = bloom_fpr_exact(n, m, k);
                for (const double rate :
                     {exact, bloom_fpr_asymptotic(n, m, k), bloom_fpr_stddev_between(n, m, k),
                      double_hash_fpr_first_order(n, m, k, stride_rule::any),
                      double_hash_fpr_first_order(n, m, k, stride_rule::coprime),
                      enhanced_fpr_first_order(n, m, k, growth_order::quadratic),
                      partitioned_two_hash_fpr_exact(n, bits_per_key * keys, k)}) {
                    ASSERT_TRUE(rate >= 0 && rate <= 1) << rate;
                }
                // Jensen: the mean of z^k is not below (mean z)^k.
                ASSERT_GE(exact, std::pow(bloom_ones_exact(n, m, k), static_cast<double>(k)) * (1 - 1e-11));
                ASSERT_LE(exact, bloom_fpr_exact(n + n / 10 + 1, m, k) * (1 + 1e-11));
                ASSERT_GE(exact, bloom_fpr_exact(n, m + m / 10 + 1, k) * (1 - 1e-11));
            }
        }
    }
}

TEST(LessHashing, BestProbesHaveNoBetterNeighbour) {
    for (double bits_per_key = 0.5; bits_per_key <= 90; bits_per_key += 0.37) {
        const auto rate = [&](std::uint64_t k) {
            return std::pow(1 - std::exp(-static_cast<double>(k) / bits_per_key), static_cast<double>(k));
        };
        const std::uint64_t k = best_k(bits_per_key);
        ASSERT_TRUE(k >= 1 && k <= 64);
        if (k > 1) {
            EXPECT_LE(rate(k), rate(k - 1)) << bits_per_key;
        }
        if (k < 64) {
            EXPECT_LE(rate(k), rate(k + 1)) << bits_per_key;
        }
    }
    EXPECT_EQ(best_k(0), 1u);
    EXPECT_EQ(best_k(-3), 1u);
    EXPECT_EQ(best_k(std::nan("")), 1u);
    EXPECT_EQ(best_k(1e300), 64u);
}

TEST(LessHashing, SizeForARateIsTheLeastThatFits) {
    for (const std::uint64_t n : {1u, 7u, 1000u, 1000000u}) {
        for (const double fpr : {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-5, 1e-9}) {
            SCOPED_TRACE(testing::Message() << "n " << n << " fpr " << fpr);
            const auto size = bits_for_fpr(n, fpr);
            ASSERT_TRUE(size.has_value());
            EXPECT_LE(bloom_fpr_exact(n, size->size_bits, size->k), fpr);
            if (size->size_bits > 1) {
                EXPECT_GT(bloom_fpr_exact(n, size->size_bits - 1, size->k), fpr);
            }
        }
    }
    const auto million = bits_for_fpr(1000000, 0.001);
    ASSERT_TRUE(million.has_value());
    EXPECT_EQ(million->k, 10u);
    EXPECT_NEAR(static_cast<double>(million->size_bits) / 1e6, 14.378, 0.001);  // log2(1000) / ln 2 = 14.378
    EXPECT_EQ(bits_for_fpr(0, 0.01)->size_bits, bits_for_fpr(1, 0.01)->size_bits);
    const auto large = bits_for_fpr(1000000000000, 1e-6);
    ASSERT_TRUE(large.has_value());
    EXPECT_NEAR(static_cast<double>(large->size_bits) / 1e12, 28.76, 0.01);
}

TEST(LessHashing, SizesOutsideTheDomainAreNamedErrors) {
    for (const double fpr : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
        const auto size = bits_for_fpr(1000, fpr);
        ASSERT_FALSE(size.has_value());
        EXPECT_EQ(size.error().code, errc::bad_field);
        EXPECT_EQ(size.error().what, "fpr");
    }
    EXPECT_EQ(bits_for_fpr(1000, 0.1, 0).error().what, "k");
    EXPECT_EQ(bits_for_fpr(1000, 0.1, 65).error().what, "k");
    EXPECT_EQ(bits_for_fpr(UINT64_MAX, 0.001).error().code, errc::size_overflow);
    EXPECT_EQ(bits_for_fpr(1000000000000, 1e-300, 1).error().code, errc::size_overflow);
}

}  // namespace
}  // namespace membrane::model
