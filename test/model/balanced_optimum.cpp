#include <membrane/model/balanced_optimum.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/blocked.hpp>

#include "model/load_law.hpp"

namespace membrane::model {
namespace {

double reads_of(const balanced_bloom_rates& rates) {
    return rates.negative_reads + rates.negative_list_reads;
}

TEST(BalancedOptimum, KeepsItsConstraintsAndIsNotWorseThanAnyClosedForm) {
    for (const std::uint64_t block_bits : {64u, 256u, 512u, 1024u}) {
        for (const double bits_per_key : {4.0, 9.3, 16.0, 32.0, 64.0}) {
            double before = 1;
            for (const double reads : {1.0, 1.1, 1.5, 3.0}) {
                SCOPED_TRACE(testing::Message()
                             << "block " << block_bits << " bits " << bits_per_key << " reads " << reads);
                const auto best = optimize_balanced_bloom({bits_per_key, block_bits, reads});
                ASSERT_TRUE(best.has_value());
                EXPECT_NEAR(best->rates.bits_per_key, bits_per_key, 1e-8 * bits_per_key);
                EXPECT_LE(reads_of(best->rates), reads + 1e-8);
                EXPECT_LE(best->rates.fpr, best->closed_form_fpr * (1 + 1e-9));
                // More reads allowed never hurt; the search may end a little beside the optimum.
                EXPECT_LE(best->rates.fpr, before * 1.01);
                before = best->rates.fpr;
                double shares = 0;
                for (const sub_table& table : best->tables) shares += table.share;
                EXPECT_NEAR(shares, 1, 1e-9);
                EXPECT_LE(best->tables.size(), 4u);
            }
        }
    }
}

TEST(BalancedOptimum, BeatsThePublishedDesignAndTheTunedBlockedFilter) {
    // a = 1.2, d = 3 at 32 bits per key in the blocks, the best of the four rules, with its own best k.
    balanced_bloom_spec spec{512, 1, query_rule::flag_coin, block_law::exact};
    const std::vector<sub_table> tables = tables_of(multi_level(1.2, 3, 16).value());
    spec.k = balanced_bloom_best_k(16, 1, tables, spec).value();
    const auto published = balanced_bloom(16, 1, tables, spec).value();
    const auto ours = optimize_balanced_bloom({published.bits_per_key, 512, reads_of(published)});
    ASSERT_TRUE(ours.has_value());
    EXPECT_LT(ours->rates.fpr, 0.9 * published.fpr);
    const std::uint64_t blocks = 100000000;
    const double blocked = blocked_bloom_fpr(blocks * 16, blocks, 512, blocked_best_k(32, 512));
    EXPECT_LT(optimize_balanced_bloom({32, 512, 1.5})->rates.fpr, blocked / 4);
}

// The keys per block with which these tables need `bits_per_key`, list included; nothing if none do.
std::optional<double> keys_per_block(double bits_per_key, std::span<const sub_table> tables,
                                     const balanced_bloom_spec& spec) {
    const auto bits = [&](double r) {
        const auto rates = balanced_bloom(r, 1, tables, spec);
        return rates ? rates->bits_per_key : 1e9;
    };
    double low = static_cast<double>(spec.block_bits) / bits_per_key;
    double high = low;
    while (bits(high) > bits_per_key) {
        high *= 1.01;
        if (high > 2 * low) return std::nullopt;
    }
    for (int step = 0; step < 50; ++step) {
        const double middle = (low + high) / 2;
        (bits(middle) > bits_per_key ? low : high) = middle;
    }
    return high;
}

TEST(BalancedOptimum, NoNeighbourIsBetter) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    for (const balanced_request& request :
         {balanced_request{16, 512, 1.3}, balanced_request{24, 256, 1.6}, balanced_request{32, 512, 2.5}}) {
        const auto best = optimize_balanced_bloom(request).value();
        int compared = 0;
        for (int trial = 0; trial < 150; ++trial) {
            std::vector<sub_table> tables = best.tables;
            double shares = 0;
            for (sub_table& table : tables) {
                const double capacity =
                    std::max(0.0, static_cast<double>(table.h) + table.p + 0.2 * normal(random));
                table.h = static_cast<std::uint64_t>(capacity);
                table.p = capacity - std::floor(capacity);
                table.share *= std::exp(0.03 * normal(random));
                shares += table.share;
            }
            for (sub_table& table : tables) table.share /= shares;
            const balanced_bloom_spec spec{request.block_bits,
                                           best.k + static_cast<std::uint64_t>(trial % 3) - 1, request.rule,
                                           block_law::exact};
            const auto r = keys_per_block(request.bits_per_key, tables, spec);
            if (!r) continue;
            const auto rates = balanced_bloom(*r, 1, tables, spec).value();
            if (reads_of(rates) > request.most_negative_reads) continue;
            ++compared;
            EXPECT_GE(rates.fpr, 0.995 * best.rates.fpr);
        }
        EXPECT_GT(compared, 20);
    }
}

TEST(BalancedOptimum, OneReadLeavesOneTableThatRefusesNobody) {
    const auto best = optimize_balanced_bloom({16, 512, 1});
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(best->tables.size(), 1u);
    EXPECT_LT(best->rates.overflow, 1e-9);
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
TEST(BalancedOptimum, TakesLessThanAFifthOfASecond) {
    for (const balanced_request& request :
         {balanced_request{16, 512, 1.5}, balanced_request{32, 1024, 3}, balanced_request{4, 1024, 3}}) {
        double least = 1e9;
        for (int attempt = 0; attempt < 3; ++attempt) {
            const std::clock_t start = std::clock();
            ASSERT_TRUE(optimize_balanced_bloom(request).has_value());
            least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        }
        EXPECT_LT(least, 0.2);
    }
}
#endif

TEST(BalancedOptimum, ArgumentsOutsideTheDomainAreNamed) {
    for (const double bits : {3.9, 64.1, not_a_number})
        EXPECT_EQ(optimize_balanced_bloom({bits, 512, 1.5}).error().what, "bits_per_key");
    EXPECT_EQ(optimize_balanced_bloom({16, 63, 1.5}).error().what, "block_bits");
    EXPECT_EQ(optimize_balanced_bloom({16, 512, 0.99}).error().what, "most_negative_reads");
    EXPECT_EQ(optimize_balanced_bloom({16, 512, not_a_number}).error().what, "most_negative_reads");
    EXPECT_EQ(optimize_balanced_bloom({16, 512, 1.5, query_rule::flag, 9}).error().what, "most_tables");
}

}  // namespace
}  // namespace membrane::model
