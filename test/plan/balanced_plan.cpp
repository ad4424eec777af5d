// Sizing of balanced_bloom: the table of optima is the optimiser's, sizes in between lose little, and it is quick.
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/model/balanced_optimum.hpp>
#include <membrane/model/balanced_process.hpp>

#include "kind/balanced_bloom/design.hpp"
#include "kind/balanced_bloom/grid.hpp"
#include "support/filters.hpp"
#include "support/given.hpp"
#include "support/instrumented.hpp"

namespace membrane::test {
namespace {

// Rate and reads of a design that is a little smaller than `bits`, to leave room for its list.
model::balanced_bloom_rates rates_of(std::uint64_t block_bits, double bits) {
    const auto design = value_of(plan::best_design(block_bits, bits));
    double blocks = 0;
    for (const plan::designed_table& table : design.tables) blocks += table.blocks_per_key;
    std::vector<model::sub_table> tables;
    for (const plan::designed_table& table : design.tables)
        tables.push_back({table.blocks_per_key / blocks, table.h, table.p});
    return value_of(
        model::balanced_bloom(1 / blocks, 1, tables,
                              {block_bits, design.k, model::query_rule::flag_coin, model::block_law::exact}));
}

void expect_near_optimal(std::uint64_t block_bits, double bits, double worse) {
    SCOPED_TRACE(std::to_string(block_bits) + " bits in a block, " + std::to_string(bits) + " per key");
    const auto best =
        value_of(model::optimize_balanced_bloom({bits, block_bits, 1.5, model::query_rule::flag_coin, 3}));
    const auto found = rates_of(block_bits, bits - model::list_entry_bits * best.rates.overflow);
    EXPECT_LE(found.fpr, worse * best.rates.fpr);
    EXPECT_LE(found.negative_reads + found.negative_list_reads, 1.5005);
}

TEST(BalancedPlan, UsesTheOptimisersTables) {
    for (const double bits : {12.0, 16.0, 20.0, 24.0, 28.0}) expect_near_optimal(512, bits, 1.003);
    expect_near_optimal(256, 20, 1.003);
    expect_near_optimal(128, 20, 1.01);
}
TEST(BalancedPlan, LosesLittleBetweenThem) {
    for (const double bits : {14.5, 19.5, 23.4, 27.0}) expect_near_optimal(512, bits, 1.06);
}
TEST(LongBalancedPlan, UsesTheOptimisersTablesEverywhere) {
    // In a small block one key more may cost a bit of state: there a thousandth of a read is dear.
    for (const plan::balanced_row& row : plan::balanced_rows())
        expect_near_optimal(row.block_bits, row.bits_per_key, row.block_bits == 128 ? 1.12 : 1.03);
}

TEST(BalancedPlan, SizesABillionKeysWhileOneWaits) {
    const auto& plan = find_entry(kind_id::balanced_bloom)->plan;
    for (const double fpr : {1e-2, 1e-4, 1e-6}) {
        const auto start = std::chrono::steady_clock::now();
        const auto spec = value_of(plan.size({.keys = 1'000'000'000, .fpr = fpr, .bits_per_key = {}}, {}));
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        EXPECT_LE(plan.predicted_fpr(spec, 1'000'000'000), fpr);
#if defined(__OPTIMIZE__) && !defined(MEMBRANE_TEST_IS_INSTRUMENTED)
        EXPECT_LT(taken.count(), 0.2);
#endif
        std::cout << fpr << ": " << taken.count() * 1000 << " ms\n";
    }
}

TEST(BalancedPlan, TakesThePapersPointsWhenAsked) {
    const kind_entry& kind = *find_entry(kind_id::balanced_bloom);
    plan::given_fields given = giving(kind_id::balanced_bloom, balanced_field::scheme, scheme::multi_level);
    given = giving(given, balanced_field::block_bits, 256);
    given = giving(given, balanced_field::d, 3);
    given = giving(given, balanced_field::accesses_permille, 1200);
    const auto spec = value_of(kind.plan.size({.keys = 1'000'000, .fpr = {}, .bits_per_key = 16.4}, given));
    EXPECT_EQ(spec[balanced_field::k], 11u);
    EXPECT_EQ(spec[balanced_field::h(0)], 16u);
    const double blocks = static_cast<double>(balanced_blocks(spec));
    EXPECT_NEAR(static_cast<double>(spec[balanced_field::blocks(0)]) / blocks, 0.83333, 1e-3);
    EXPECT_NEAR(static_cast<double>(spec[balanced_field::blocks(1)]) / blocks, 0.14235, 1e-3);
    EXPECT_NEAR(static_cast<double>(spec[balanced_field::blocks(2)]) / blocks, 0.02432, 1e-3);
}

// The process with nothing to find by chance and room in the list is the closed form.
TEST(BalancedProcess, IsTheClosedFormWhereThatHolds) {
    const std::vector<model::sub_table> tables{{0.8, 12, 0.3}, {0.15, 10, 0.7}, {0.05, 9, 0.0}};
    for (const double fill : {0.5, 1.0, 1.3}) {
        model::balanced_setup setup{{}, 3, 512, 30, model::query_rule::flag_coin, 1e9};
        for (const auto& table : tables) setup.tables.push_back({table.share * 1000, table.h, table.p});
        const auto process = value_of(model::balanced_process(12000 * fill, setup));
        const auto closed = value_of(model::balanced_bloom(
            12, fill, tables, {512, 30, model::query_rule::flag_coin, model::block_law::exact}));
        EXPECT_NEAR(process.fpr, closed.fpr, 1e-3 * closed.fpr);
        EXPECT_NEAR(process.negative_reads, closed.negative_reads, 1e-4);
        EXPECT_NEAR(process.negative_list_reads, closed.negative_list_reads, 1e-4);
        EXPECT_NEAR(process.listed, 12000 * fill * closed.overflow, 0.5);
        EXPECT_NEAR(process.accesses, 12000 * fill * closed.insertion_reads, 2);
    }
}

}  // namespace
}  // namespace membrane::test
