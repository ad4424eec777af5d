// False positives, blocks read and list lookups of real filters against the models, for the four rules that let a query
// stop; the curve over bits per key; the planner's own optimum.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/interval.hpp>

#include "balanced/balanced_specs.hpp"

namespace membrane::test {
namespace {

struct measured {
    double fpr = 0;
    double reads = 0;
    double list_reads = 0;
    double reads_sigma = 0;  // of the means
    double list_sigma = 0;
};

template <class Filter>
measured ask_strangers(const Filter& filter, const hasher& hash, std::uint64_t strangers) {
    model::running_summary reads, list;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < strangers; ++i) {
        const auto cost = filter.cost_of(hash((std::uint64_t{1} << 40) + i));
        found += cost.found ? 1 : 0;
        reads.add(static_cast<double>(cost.blocks));
        list.add(cost.list ? 1 : 0);
    }
    return {static_cast<double>(found) / static_cast<double>(strangers), reads.mean(), list.mean(),
            reads.standard_error(), list.standard_error()};
}

// The balanced paper's filter of Fig. 4 at 16 bits per key (B = 256, k = 11, a = 1.2, d = 3) with its own stop rule and ours.
struct table_row {
    stop_rule rule;
    double fpr, reads, list;
};
constexpr std::array paper_rows{table_row{stop_rule::load, 1.593e-3, 2.433, 0.496},
                                table_row{stop_rule::coin, 1.470e-3, 2.246, 0.371},
                                table_row{stop_rule::flag, 1.439e-3, 2.198, 0.339},
                                table_row{stop_rule::flag_coin, 1.351e-3, 2.064, 0.265}};

void check_rules(std::uint64_t n, std::uint64_t filters, std::uint64_t strangers) {
    for (const table_row& row : paper_rows) {
        const balanced_shape shape = paper_shape(n, 1.2, 3, 16, 256, 11, row.rule);
        // Over hash keys: the small last table scatters most.
        model::running_summary fpr, reads, list;
        for (std::uint64_t seed = 0; seed < filters; ++seed) {
            balanced_filter<256, multi_level_placement> filter(spec_of(shape));
            const hasher hash = numbered_hasher(50 + seed);
            filter.insert_integers(hash, n);
            for (std::uint64_t key = 0; key < n; key += 7) ASSERT_TRUE(filter.view().may_contain(hash(key)));
            const measured found = ask_strangers(filter, hash, strangers);
            EXPECT_NEAR(found.fpr, filter.view().estimated_fpr_now(),
                        5 * std::sqrt(row.fpr / static_cast<double>(strangers)));
            fpr.add(filter.view().estimated_fpr_now());
            reads.add(found.reads);
            list.add(found.list_reads);
        }
        const auto model = value_of(model::balanced_process(static_cast<double>(n), setup_of(shape)));
        const double scatter = rate_scatter(shape, n);
        const double fpr_sigma = scatter / std::sqrt(static_cast<double>(filters));
        EXPECT_NEAR(fpr.mean(), model.fpr, 5 * fpr_sigma);
        EXPECT_NEAR(reads.mean(), model.negative_reads, 5 * reads.standard_error());
        EXPECT_NEAR(list.mean(), model.negative_list_reads, 5 * list.standard_error());
        // The reference also stores what a query finds by chance, and its values are rounded.
        EXPECT_NEAR(fpr.mean(), row.fpr, 5 * fpr_sigma + 0.005 * row.fpr);
        EXPECT_NEAR(reads.mean(), row.reads, 5 * reads.standard_error() + 0.004);
        EXPECT_NEAR(list.mean(), row.list, 5 * list.standard_error() + 0.004);
        std::cout << "rule " << static_cast<int>(row.rule) << ": fpr " << fpr.mean() << " (model "
                  << model.fpr << ", reference " << row.fpr << "), between filters "
                  << std::sqrt(fpr.variance()) << " (" << scatter << "), reads " << reads.mean() << " ("
                  << model.negative_reads << ", " << row.reads << "), list " << list.mean() << " ("
                  << model.negative_list_reads << ", " << row.list << ")\n";
    }
}

// Fig. 4 of the balanced paper (load rule) with the exact law of a block's bits and k = round(bits ln 2).
void check_figure_4(std::uint64_t n) {
    const std::map<double, double> reference{{8, 6.190e-2},  {12, 9.591e-3}, {16, 1.593e-3}, {20, 2.800e-4},
                                             {24, 5.593e-5}, {28, 1.096e-5}, {32, 2.614e-6}};
    for (const auto& [bits, fpr] : reference) {
        const auto k = static_cast<std::uint64_t>(std::round(bits * std::log(2)));
        const balanced_shape shape = paper_shape(n, 1.2, 3, 256 / bits, 256, k, stop_rule::load);
        balanced_filter<256, multi_level_placement> filter(spec_of(shape));
        filter.insert_integers(numbered_hasher(6), n);
        // Exact for these contents: no strangers needed, also where they would have to be billions.
        const double found = filter.view().estimated_fpr_now();
        const auto model = value_of(model::balanced_process(static_cast<double>(n), setup_of(shape)));
        const double scatter = rate_scatter(shape, n);
        const auto with_all = value_of(model::balanced_bloom_design(
            bits, 1.2, 3, {256, k, model::query_rule::load, model::block_law::exact}));
        EXPECT_NEAR(found, model.fpr, 5 * scatter) << bits << " bits per key";
        // Keys that a query finds by chance are not counted here; the column counts them.
        EXPECT_NEAR(with_all.fpr, fpr, 0.002 * fpr);
        EXPECT_NEAR(found, fpr, 5 * scatter + std::fabs(with_all.fpr - model.fpr) + 0.002 * fpr);
        std::cout << bits << " bits per key: fpr " << found << " (model " << model.fpr << ", reference "
                  << fpr << ")\n";
    }
}

void check_optimum(std::uint64_t n, std::uint64_t strangers) {
    const plan::kind_plan& plan = find_entry("balanced_bloom")->plan;
    for (const double wanted_bits : {20.0, 24.0, 28.0}) {
        const plan::requirement wanted{.keys = n, .fpr = {}, .bits_per_key = wanted_bits};
        const auto spec = value_of(plan.size(wanted, {}));
        ASSERT_EQ(spec[balanced_field::block_bits], 512u);
        ASSERT_EQ(spec[balanced_field::scheme], std::uint64_t{scheme::multi_level});
        balanced_filter<512, multi_level_placement> filter(spec);
        const hasher hash = numbered_hasher(7);
        filter.insert_integers(hash, n);
        const std::uint64_t bytes = *balanced_bloom_view<512, multi_level_placement>::payload_bytes(spec);
        const double fpr = filter.view().estimated_fpr_now();
        const measured found = ask_strangers(filter, hash, strangers);
        EXPECT_LE(bytes, plan::most_size_bytes(wanted)) << "everything counted";
        EXPECT_NEAR(fpr, plan.predicted_fpr(spec, n), 5 * plan.fpr_stddev_between(spec, n));
        EXPECT_NEAR(found.fpr, fpr, 5 * std::sqrt(fpr / static_cast<double>(strangers)));
        EXPECT_LE(found.reads + found.list_reads,
                  1.5 + 5 * found.reads_sigma + 5 * 0.5 / std::sqrt(static_cast<double>(n) / 25));
        const auto tuned = model::blocked_best_k(wanted_bits, 512);
        std::cout << n << " keys, " << wanted_bits << " bits: fpr " << fpr << ", reads " << found.reads
                  << " + list " << found.list_reads << ", in the list " << filter.view().listed() << " of "
                  << spec[balanced_field::list_slots] << "; blocked "
                  << model::blocked_bloom_fpr(
                         n, static_cast<std::uint64_t>(static_cast<double>(n) * wanted_bits / 512), 512,
                         tuned)
                  << '\n';
    }
}

TEST(BalancedRates, OfTheFourRulesAreTheReferences) { check_rules(50'000, 16, 50'000); }
TEST(BalancedRates, OverBitsPerKeyAreFigureFour) { check_figure_4(50'000); }
TEST(BalancedRates, OfThePlannersOptimumKeepTheirPromise) { check_optimum(1'000'000, 200'000); }

TEST(LongBalancedRates, OfTheFourRulesWithAMillionKeys) { check_rules(1'000'000, 10, 1'000'000); }
TEST(LongBalancedRates, OverBitsPerKeyAreFigureFourWithAMillionKeys) { check_figure_4(1'000'000); }
TEST(LongBalancedRates, OfThePlannersOptimumWithTenMillionKeys) { check_optimum(10'000'000, 5'000'000); }

}  // namespace
}  // namespace membrane::test
