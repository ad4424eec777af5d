#include <membrane/model/balanced_bloom.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/sequential.hpp>
#include <membrane/model/sequential_bloom.hpp>

#include "model/balanced_filter.hpp"
#include "model/load_law.hpp"

namespace membrane::model {
namespace {

constexpr query_rule every_rule[] = {query_rule::load, query_rule::coin, query_rule::flag,
                                     query_rule::flag_coin};

struct measured_rates {
    running_summary fpr, negative_reads, negative_list_reads, positive_reads, positive_list_reads,
        insertion_reads, overflow;
};

// Each filter gives one value of each quantity, so their scatter holds that between filters as well.
template <class Make>
measured_rates measure(std::uint64_t n, std::uint64_t filters, std::uint64_t strangers, Make make) {
    measured_rates rates;
    for (std::uint64_t number = 0; number < filters; ++number) {
        simulated_filter filter = make(20240 + number);
        std::uint64_t insertion_reads = 0;
        for (std::uint64_t key = 0; key < n; ++key) insertion_reads += filter.insert(key);
        std::uint64_t missed = 0, reads = 0, list_reads = 0;
        for (std::uint64_t key = 0; key < n; ++key) {
            const auto answer = filter.query(key);
            missed += answer.found ? 0 : 1;
            reads += answer.reads;
            list_reads += answer.asked_list ? 1 : 0;
        }
        EXPECT_EQ(missed, 0u);
        const auto keys = static_cast<double>(n);
        rates.insertion_reads.add(static_cast<double>(insertion_reads) / keys);
        rates.positive_reads.add(static_cast<double>(reads) / keys);
        rates.positive_list_reads.add(static_cast<double>(list_reads) / keys);
        rates.overflow.add(static_cast<double>(filter.listed()) / keys);
        std::uint64_t hits = 0;
        reads = list_reads = 0;
        for (std::uint64_t key = n; key < n + strangers; ++key) {
            const auto answer = filter.query(key);
            hits += answer.found ? 1 : 0;
            reads += answer.reads;
            list_reads += answer.asked_list ? 1 : 0;
        }
        const auto asked = static_cast<double>(strangers);
        rates.fpr.add(static_cast<double>(hits) / asked);
        rates.negative_reads.add(static_cast<double>(reads) / asked);
        rates.negative_list_reads.add(static_cast<double>(list_reads) / asked);
    }
    return rates;
}

// The model is one of very many blocks. A finite table's arrivals N scatter by 1 / sqrt(N), which moves a mean by half
// that squared times the curvature; a logarithmic curvature of 8 is more than any of these quantities has.
void expect_inside(const running_summary& measured, double expected, double smallest_table_keys) {
    const double finite = expected * 4 / smallest_table_keys;
    EXPECT_NEAR(measured.mean(), expected, 5 * measured.standard_error() + finite);
}

constexpr std::uint64_t many_blocks = 3000;

template <class Make>
void expect_as_predicted(const balanced_bloom_rates& expected, double r, double least_share, Make make) {
    const auto n = static_cast<std::uint64_t>(r * static_cast<double>(many_blocks) + 0.5);
    const measured_rates rates = measure(n, 24, 40000, make);
    const double keys = least_share * static_cast<double>(n);
    expect_inside(rates.fpr, expected.fpr, keys);
    expect_inside(rates.negative_reads, expected.negative_reads, keys);
    expect_inside(rates.negative_list_reads, expected.negative_list_reads, keys);
    expect_inside(rates.positive_reads, expected.positive_reads, keys);
    expect_inside(rates.positive_list_reads, expected.positive_list_reads, keys);
    expect_inside(rates.insertion_reads, expected.insertion_reads, keys);
    expect_inside(rates.overflow, expected.overflow, keys);
}

void expect_as_predicted(double r, std::span<const sub_table> tables, const balanced_bloom_spec& spec) {
    const auto expected = balanced_bloom(r, 1, tables, spec);
    ASSERT_TRUE(expected.has_value());
    double least = 1;
    for (const sub_table& table : tables) least = std::min(least, table.share);
    expect_as_predicted(*expected, r, least, [&](std::uint64_t seed) {
        return simulated_filter(many_blocks, tables, spec, seed);
    });
}

TEST(BalancedBloom, SimulatedFiltersBehaveAsPredictedUnderEveryRule) {
    const std::vector<sub_table> tables = tables_of(multi_level(1.3, 3, 16).value());
    for (const query_rule rule : every_rule) {
        SCOPED_TRACE(static_cast<int>(rule));
        expect_as_predicted(16, tables, {128, 4, rule, block_law::exact});
    }
}

TEST(BalancedBloom, TablesOfAnySizeLoadAndCoinBehaveAsPredicted) {
    const sub_table tables[] = {{0.7, 9, 0.25}, {0.2, 7, 0.8}, {0.1, 12, 0.5}};
    expect_as_predicted(10, tables, {64, 3, query_rule::flag_coin, block_law::exact});
    expect_as_predicted(10.5, tables, {64, 3, query_rule::load, block_law::exact});
}

TEST(BalancedBloom, SequentialPlacementBehavesAsPredicted) {
    const auto design = sequential(1.3, 3, 16).value();
    for (const query_rule rule : {query_rule::load, query_rule::flag_coin}) {
        for (const double fill : {1.0, 1.1}) {
            SCOPED_TRACE(testing::Message() << static_cast<int>(rule) << ' ' << fill);
            const balanced_bloom_spec spec{128, 4, rule, block_law::exact};
            const auto expected = sequential_bloom(16, fill, 3, design.h, design.p, spec);
            ASSERT_TRUE(expected.has_value());
            expect_as_predicted(*expected, 16 * fill, 1, [&](std::uint64_t seed) {
                return simulated_filter(many_blocks, 3, sub_table{1, design.h, design.p}, spec, seed);
            });
        }
    }
    EXPECT_EQ(sequential_bloom(16, 1, 0, 16, 0.5, {}).error().what, "d");
    EXPECT_EQ(sequential_bloom(16, 1, 3, 16, 1.5, {}).error().what, "p");
    EXPECT_EQ(sequential_bloom(16, 1, 3, 16, 0.5, {512, 0}).error().what, "k");
}

TEST(BalancedBloom, EveryRateIsARateOverTheWholeDomain) {
    std::uint64_t designs = 0;
    for (const double a : {1.01, 1.2, 2.0}) {
        for (std::uint64_t d = 1; d <= 8; ++d) {
            for (const double r : {0.5, 2.5, 16.0, 64.0}) {
                for (const std::uint64_t block_bits : {64u, 256u, 1024u}) {
                    for (const query_rule rule : every_rule) {
                        SCOPED_TRACE(testing::Message() << "a " << a << " d " << d << " r " << r << " block "
                                                        << block_bits << " rule " << static_cast<int>(rule));
                        const std::uint64_t k = 1 + designs % 16;
                        const double bits_per_key = static_cast<double>(block_bits) / r;
                        const auto rates = balanced_bloom_design(bits_per_key, a, d,
                                                                 {block_bits, k, rule, block_law::exact});
                        ASSERT_EQ(rates.has_value(), a < static_cast<double>(d));
                        if (!rates) continue;
                        ++designs;
                        ASSERT_TRUE(rates->fpr > 0 && rates->fpr <= rates->fpr_union &&
                                    rates->fpr_union <= 1);
                        const auto most = static_cast<double>(d) + 1e-12;
                        ASSERT_TRUE(rates->negative_reads >= 1 && rates->negative_reads <= most);
                        ASSERT_TRUE(rates->positive_reads >= 1 && rates->positive_reads <= a + 1e-9);
                        ASSERT_TRUE(rates->negative_list_reads >= 0 && rates->negative_list_reads <= 1);
                        ASSERT_GE(rates->positive_list_reads, 0);
                        ASSERT_LE(rates->positive_list_reads, rates->overflow + 1e-15);
                        ASSERT_GE(rates->bits_per_key, bits_per_key);
                        // Twice the keys: the last tables are crowded beyond measure.
                        const auto over = balanced_bloom(r, 2, tables_of(*multi_level(a, d, r)),
                                                         {block_bits, k, rule, block_law::approximate});
                        ASSERT_TRUE(over.has_value());
                        ASSERT_TRUE(over->fpr >= rates->fpr * 0.5 && over->fpr <= 1);
                        ASSERT_TRUE(over->overflow > rates->overflow && over->overflow < 1);
                    }
                }
            }
        }
    }
    EXPECT_EQ(designs, 4u * 3 * 4 * (7 + 7 + 6));
}

TEST(BalancedBloom, ABetterRuleReadsLess) {
    const std::vector<sub_table> tables = tables_of(multi_level(1.2, 3, 16).value());
    const auto reads = [&](query_rule rule) {
        return balanced_bloom(16, 1, tables, {256, 11, rule, block_law::exact})->negative_reads;
    };
    EXPECT_LT(reads(query_rule::coin), reads(query_rule::load));
    EXPECT_LT(reads(query_rule::flag), reads(query_rule::coin));
    EXPECT_LT(reads(query_rule::flag_coin), reads(query_rule::flag));
}

TEST(BalancedBloom, TheReferencesOwnDesignPointIsReproduced) {
    // d = 2, a = 1.1, blocks of 512 bits, flag and coin, best k: 8.69e-4 at 16 bits per key.
    balanced_bloom_spec spec{512, 1, query_rule::flag_coin, block_law::exact};
    const std::vector<sub_table> tables = tables_of(multi_level(1.1, 2, 32).value());
    spec.k = balanced_bloom_best_k(32, 1, tables, spec).value();
    EXPECT_NEAR(balanced_bloom(32, 1, tables, spec)->fpr, 8.69e-4, 5e-7);
    spec.law = block_law::approximate;
    EXPECT_NEAR(balanced_bloom(32, 1, tables, spec)->fpr, 8.35e-4, 5e-7);
}

TEST(BalancedBloom, ABlockIsASmallFlatFilter) {
    for (const std::uint64_t load : {0u, 1u, 16u, 40u, 5000u}) {
        const double expected = bloom_fpr_exact(load, 251, 11);
        EXPECT_NEAR(block_fpr(load, 251, 11, block_law::exact).value(), expected, expected * 1e-10) << load;
    }
    EXPECT_NEAR(block_fpr(16, 251, 11, block_law::approximate).value(),
                std::pow(1 - std::exp(-176.0 / 251), 11), 1e-15);
    EXPECT_EQ(state_bits(query_rule::load, 14), 4u);
    EXPECT_EQ(state_bits(query_rule::load, 15), 5u);
    EXPECT_EQ(state_bits(query_rule::flag, 12), 4u);
    EXPECT_EQ(state_bits(query_rule::flag_coin, 13), 5u);
    EXPECT_EQ(state_bits(query_rule::load, 0), 1u);
}

TEST(BalancedBloom, ArgumentsOutsideTheDomainAreNamed) {
    const sub_table one[] = {{1, 8, 0.5}};
    EXPECT_EQ(balanced_bloom(8, 1, one, {256, 0}).error().what, "k");
    EXPECT_EQ(balanced_bloom(8, 1, one, {256, 65}).error().what, "k");
    EXPECT_EQ(balanced_bloom(8, 1, one, {8, 4}).error().what, "block_bits");
    EXPECT_EQ(balanced_bloom(0, 1, one, {256, 4}).error().what, "r");
    EXPECT_EQ(balanced_bloom(8, not_a_number, one, {256, 4}).error().what, "fill");
    EXPECT_EQ(balanced_bloom(8, 1, {}, {256, 4}).error().what, "tables");
    EXPECT_EQ(balanced_bloom_design(not_a_number, 1.2, 3, {256, 4}).error().what, "bits_per_key");
    EXPECT_EQ(balanced_bloom_design(16, 3, 3, {256, 4}).error().what, "a");
    EXPECT_EQ(balanced_bloom_best_k(8, 1, one, {8, 1}).error().what, "block_bits");
    EXPECT_EQ(block_fpr(1, 0, 1, block_law::exact).error().what, "bits");
    EXPECT_EQ(blocked_bloom_fpr_approximate(0, 256, 4).error().what, "bits_per_key");
    EXPECT_EQ(blocked_bloom_fpr_approximate(not_a_number, 256, 4).error().what, "bits_per_key");
}

}  // namespace
}  // namespace membrane::model
