#include <membrane/model/blocked.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>
#include <membrane/model/less_hashing.hpp>

#include "model/oracle.hpp"

namespace membrane::model {
namespace {

// The mixture written down directly: binomial loads in logarithms, the block by inclusion-exclusion in many digits.
double mixture(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t k) {
    double sum = 0;
    for (std::uint64_t load = 1; load <= n; ++load) {
        const double choices = std::lgamma(static_cast<double>(n + 1)) -
                               std::lgamma(static_cast<double>(load + 1)) -
                               std::lgamma(static_cast<double>(n - load + 1));
        const double weight = choices - static_cast<double>(load) * std::log(static_cast<double>(blocks)) +
                              static_cast<double>(n - load) * std::log1p(-1 / static_cast<double>(blocks));
        sum += std::exp(weight) * oracle::bloom_fpr(load, block_bits, k);
    }
    return sum;
}

TEST(Blocked, AgreesWithTheMixtureWrittenDownDirectly) {
    for (const std::uint64_t block_bits : {64u, 256u}) {
        for (const std::uint64_t k : {1u, 4u, 9u}) {
            for (const auto& [n, blocks] :
                 {std::pair<std::uint64_t, std::uint64_t>{1, 2}, {5, 3}, {60, 2}, {100, 1000}}) {
                const double expected = mixture(n, blocks, block_bits, k);
                EXPECT_NEAR(blocked_bloom_fpr(n, blocks, block_bits, k), expected, expected * 1e-11)
                    << "n " << n << " blocks " << blocks << " block_bits " << block_bits << " k " << k;
            }
        }
    }
}

TEST(Blocked, OneBlockIsAFlatFilter) {
    for (const std::uint64_t n : {1u, 20u, 64u, 500u}) {
        for (const std::uint64_t k : {1u, 8u, 64u}) {
            const double expected = bloom_fpr_exact(n, 512, k);
            EXPECT_NEAR(blocked_bloom_fpr(n, 1, 512, k), expected, expected * 1e-11) << n << ' ' << k;
        }
    }
}

// True rates of simulated filters (not sampled by strangers): mean over the blocks of (ones / block_bits)^k.
std::vector<double> simulated_rates(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits,
                                    std::uint64_t k, int filters) {
    std::mt19937_64 random(20240607);
    std::vector<double> rates;
    std::vector<std::uint8_t> bits(blocks * block_bits);
    for (int filter = 0; filter < filters; ++filter) {
        std::fill(bits.begin(), bits.end(), std::uint8_t{0});
        for (std::uint64_t key = 0; key < n; ++key) {
            const std::uint64_t block = random() % blocks;
            for (std::uint64_t i = 0; i < k; ++i) bits[block * block_bits + random() % block_bits] = 1;
        }
        double rate = 0;
        for (std::uint64_t block = 0; block < blocks; ++block) {
            std::uint64_t ones = 0;
            for (std::uint64_t i = 0; i < block_bits; ++i) ones += bits[block * block_bits + i];
            rate +=
                std::pow(static_cast<double>(ones) / static_cast<double>(block_bits), static_cast<double>(k));
        }
        rates.push_back(rate / static_cast<double>(blocks));
    }
    return rates;
}

TEST(Blocked, SimulatedFiltersHaveThePredictedMeanAndScatter) {
    struct setting {
        std::uint64_t n, blocks, block_bits, k;
    };
    for (const auto& [n, blocks, block_bits, k] : {setting{3200, 100, 256, 5}, setting{1600, 50, 512, 8},
                                                   setting{800, 200, 64, 3}, setting{3000, 150, 256, 1}}) {
        SCOPED_TRACE(testing::Message()
                     << "n " << n << " blocks " << blocks << " block_bits " << block_bits << " k " << k);
        const int filters = 2000;
        const std::vector<double> rates = simulated_rates(n, blocks, block_bits, k, filters);
        const double expected = blocked_bloom_fpr(n, blocks, block_bits, k);
        const double scatter = blocked_bloom_fpr_stddev_between(n, blocks, block_bits, k);
        const summary measured = summarize(rates);
        EXPECT_TRUE(around(expected, scatter / std::sqrt(filters), 5).contains(measured.mean))
            << measured.mean << ' ' << expected;
        // A variance measured on F values has a variance of (fourth moment - variance^2) / F; the prediction is one
        // of first order in 1 / blocks.
        running_summary squares;
        for (const double rate : rates) squares.add((rate - expected) * (rate - expected));
        const double tolerance =
            5 * squares.standard_error() + scatter * scatter / static_cast<double>(blocks);
        EXPECT_NEAR(squares.mean(), scatter * scatter, tolerance);
    }
}

TEST(Blocked, EveryRateIsARateAndRisesWithTheKeys) {
    for (const std::uint64_t block_bits : {64u, 256u, 512u, 1024u}) {
        for (const double bits_per_key : {1.0, 4.0, 16.0, 64.0}) {
            for (const std::uint64_t k : {1u, 5u, 16u, 64u}) {
                for (double keys = 1; keys <= 1e12; keys *= 1e4) {
                    const auto n = static_cast<std::uint64_t>(keys);
                    const auto blocks = static_cast<std::uint64_t>(
                        std::ceil(keys * bits_per_key / static_cast<double>(block_bits)));
                    SCOPED_TRACE(testing::Message() << "n " << n << " blocks " << blocks << " bits "
                                                    << block_bits << " k " << k);
                    const double rate = blocked_bloom_fpr(n, blocks, block_bits, k);
                    ASSERT_TRUE(rate > 0 && rate <= 1) << rate;
                    const double scatter = blocked_bloom_fpr_stddev_between(n, blocks, block_bits, k);
                    ASSERT_TRUE(scatter >= 0 && scatter <= 1) << scatter;
                    ASSERT_LE(rate, blocked_bloom_fpr(n + n / 10 + 1, blocks, block_bits, k) * (1 + 1e-11));
                    // Uneven loads can only hurt while the rate is convex in the load, which holds at 16 bits per key and k = 5.
                    if (bits_per_key == 16.0 && k == 5) {
                        ASSERT_GE(rate, bloom_fpr_exact(n, blocks * block_bits, k) * (1 - 1e-11));
                    }
                }
            }
        }
    }
}

TEST(Blocked, BorderCasesHaveAnAnswer) {
    EXPECT_EQ(blocked_bloom_fpr(0, 10, 512, 8), 0);
    EXPECT_EQ(blocked_bloom_fpr(10, 0, 512, 8), 1);
    EXPECT_EQ(blocked_bloom_fpr(10, 10, 0, 8), 1);
    EXPECT_EQ(blocked_bloom_fpr(10, 10, 512, 0), 1);
    EXPECT_EQ(blocked_bloom_fpr(1000000000000, 1, 512, 8), 1);
    EXPECT_EQ(blocked_bloom_fpr(1, 1, 1, 1), 1);
    EXPECT_EQ(blocked_bloom_fpr_stddev_between(0, 10, 512, 8), 0);
    EXPECT_EQ(blocked_bloom_fpr_stddev_between(1000000000000, 1, 512, 8), 0);
    // One key in very many blocks: its own block, all its bits.
    const double alone = blocked_bloom_fpr(1, 1000000000, 512, 2);
    EXPECT_NEAR(alone, 1e-9 * bloom_fpr_exact(1, 512, 2), alone * 1e-12);
}

TEST(Blocked, BestProbesHaveNoBetterNeighbourAndAreBelowTheFlatOnes) {
    for (const std::uint64_t block_bits : {64u, 256u, 512u}) {
        for (const double bits_per_key : {1.0, 4.0, 8.0, 12.5, 16.0, 24.0, 32.0, 64.0}) {
            SCOPED_TRACE(testing::Message() << "bits per key " << bits_per_key << " block " << block_bits);
            const std::uint64_t k = blocked_best_k(bits_per_key, block_bits);
            EXPECT_LE(k, best_k(bits_per_key));
            const std::uint64_t blocks = 100000000;
            const auto n =
                static_cast<std::uint64_t>(static_cast<double>(blocks * block_bits) / bits_per_key);
            const double rate = blocked_bloom_fpr(n, blocks, block_bits, k);
            EXPECT_LE(rate, blocked_bloom_fpr(n, blocks, block_bits, k + 1));
            if (k > 1) {
                EXPECT_LE(rate, blocked_bloom_fpr(n, blocks, block_bits, k - 1));
            }
        }
    }
    EXPECT_EQ(blocked_best_k(8, 256), 5u);
    EXPECT_EQ(blocked_best_k(16, 256), 9u);
    EXPECT_EQ(blocked_best_k(24, 256), 11u);
    EXPECT_EQ(blocked_best_k(0, 256), 1u);
    EXPECT_EQ(blocked_best_k(std::nan(""), 256), 1u);
}

TEST(Blocked, SizeForARateFitsAndIsNotWasteful) {
    for (const std::uint64_t n : {1u, 100u, 5000u, 1000000u}) {
        for (const double fpr : {0.3, 0.01, 1e-3, 1e-5}) {
            SCOPED_TRACE(testing::Message() << "n " << n << " fpr " << fpr);
            const auto size = blocks_for_fpr(n, fpr, 512);
            ASSERT_TRUE(size.has_value());
            EXPECT_LE(blocked_bloom_fpr(n, size->blocks, 512, size->k), fpr);
            const std::uint64_t less = size->blocks - size->blocks / 1000 - 1;
            if (less > 0) {
                EXPECT_GT(blocked_bloom_fpr(n, less, 512, size->k), fpr);
            }
        }
    }
}

TEST(Blocked, SizesOutsideTheDomainAreNamedErrors) {
    for (const double fpr : {0.0, 1.0, -1.0, std::nan("")})
        EXPECT_EQ(blocks_for_fpr(1000, fpr, 512).error().what, "fpr");
    EXPECT_EQ(blocks_for_fpr(1000, 0.01, 4).error().what, "block_bits");
    EXPECT_EQ(blocks_for_fpr(1000, 1e-15, 64).error().code, errc::bad_field);
    EXPECT_EQ(blocks_for_fpr(UINT64_MAX, 0.01, 512).error().code, errc::size_overflow);
}

}  // namespace
}  // namespace membrane::model
