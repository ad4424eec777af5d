// Loads of real filters against the theory: each bin inside five sigma. A bin's count is at most binomial: the loads of a
// table have a fixed sum.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/model/sequential.hpp>
#include <membrane/model/single.hpp>

#include "balanced/balanced_specs.hpp"

namespace membrane::test {
namespace {

// Many bits: chance hits are rarer than one in a billion, so that every key is stored.
constexpr std::uint64_t occupancy_k = 32;

void expect_law(const std::vector<std::uint64_t>& counts, const std::vector<double>& law,
                double finite_share) {
    double blocks = 0;
    for (const std::uint64_t count : counts) blocks += static_cast<double>(count);
    for (std::size_t load = 0; load < counts.size(); ++load) {
        const double share = load < law.size() ? law[load] : 0;
        const double sigma = std::sqrt(blocks * share * (1 - share)) + 1;
        EXPECT_NEAR(static_cast<double>(counts[load]), blocks * share, 5 * sigma + finite_share * blocks)
            << "load " << load << " of " << blocks << " blocks";
    }
}

// Figure 5: r = 2.5, p = 0.5, h = 2 at four times.
void check_single(std::uint64_t n) {
    const double blocks = std::round(static_cast<double>(n) / 2.5);
    for (const double t : {0.25, 0.5, 0.75, 1.0}) {
        const auto keys = static_cast<std::uint64_t>(t * static_cast<double>(n));
        balanced_filter<512, single_placement> filter(
            spec_of({scheme::single, stop_rule::flag_coin, 512, occupancy_k, 1, {{blocks, 2, 0.5}}, n}));
        filter.insert_integers(numbered_hasher(keys), keys);
        const double arrivals = static_cast<double>(keys) / blocks;
        const auto law = value_of(model::single(arrivals, 2, 0.5));
        expect_law(filter.loads(0, static_cast<std::uint64_t>(blocks), 2), law.loads, 0);
        const double overflow = static_cast<double>(filter.view().listed()) / static_cast<double>(keys);
        EXPECT_NEAR(overflow, law.overflow, 5 * std::sqrt(law.overflow / static_cast<double>(keys)));
    }
}

// Every table of the closed-form design follows the lower bound's law.
void check_bound_reached(std::uint64_t n, double r) {
    const double a = 1.2;
    const balanced_shape shape = paper_shape(n, a, 3, r, 512, occupancy_k, stop_rule::flag_coin);
    balanced_filter<512, multi_level_placement> filter(spec_of(shape));
    filter.insert_integers(numbered_hasher(3), n);
    const double gamma = value_of(model::multi_level(a, 3, r)).gamma0;
    const auto bound = value_of(model::balanced_lower_bound(a, r, gamma));
    std::uint64_t first = 0;
    double reached_scatter = 0;
    for (const model::sub_table& table : shape.tables) {
        const auto blocks = static_cast<std::uint64_t>(table.share);
        // A later table's arrivals scatter by about a root, which moves all bins of it together.
        expect_law(filter.loads(first, blocks, table.h), bound.loads, reached_scatter);
        reached_scatter = 5 / std::sqrt(static_cast<double>(blocks));
        first += blocks;
    }
    std::uint64_t stored_accesses = 0, level = 1, in_tables = 0;
    first = 0;
    for (const model::sub_table& table : shape.tables) {
        const auto counts = filter.loads(first, static_cast<std::uint64_t>(table.share), table.h);
        for (std::size_t load = 0; load < counts.size(); ++load) {
            stored_accesses += level * load * counts[load];
            in_tables += load * counts[load];
        }
        first += static_cast<std::uint64_t>(table.share);
        ++level;
    }
    EXPECT_EQ(in_tables + filter.view().listed(), n);
    const double accesses =
        static_cast<double>(stored_accesses + 3 * filter.view().listed()) / static_cast<double>(n);
    EXPECT_NEAR(accesses, a, 5 * std::sqrt(0.2 / static_cast<double>(n)) + 1e-4)
        << "block accesses per insertion";
}

void check_sequential_bound(std::uint64_t n, double r) {
    const auto design = value_of(model::sequential(1.2, 3, r));
    const double blocks = std::round(static_cast<double>(n) / r);
    balanced_filter<512, sequential_placement> filter(spec_of(
        {scheme::sequential, stop_rule::flag_coin, 512, occupancy_k, 3, {{blocks, design.h, design.p}}, n}));
    filter.insert_integers(numbered_hasher(4), n);
    const auto bound = value_of(model::balanced_lower_bound(1.2, r, design.gamma0));
    // The number of accesses, unlike that of keys, scatters: about a root of n.
    expect_law(filter.loads(0, static_cast<std::uint64_t>(blocks), design.h), bound.loads,
               5 / std::sqrt(static_cast<double>(n)));
}

// Overflow fractions of figure 3, over several hash keys.
template <class Filter, class MakeShape>
void check_overflow(const MakeShape& make_shape, double expected, std::uint64_t n, const char* what) {
    model::running_summary found;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Filter filter(spec_of(make_shape()));
        filter.insert_integers(numbered_hasher(100 + seed), n);
        found.add(static_cast<double>(filter.view().listed()) / static_cast<double>(n));
    }
    // Twice the scatter of as many independent events, or what the sample shows.
    const double sigma =
        std::max(found.standard_error(), std::sqrt(4 * expected / static_cast<double>(12 * n)));
    EXPECT_NEAR(found.mean(), expected, 5 * sigma + 5 * expected / std::sqrt(static_cast<double>(n))) << what;
}

void check_figure_3(std::uint64_t n, const std::vector<double>& as, const std::vector<double>& rs) {
    const auto check_both = [&](double a, double r) {
        const std::string what = "a " + std::to_string(a) + ", r " + std::to_string(r);
        check_overflow<balanced_filter<512, multi_level_placement>>(
            [&] { return paper_shape(n, a, 3, r, 512, occupancy_k, stop_rule::flag_coin); },
            value_of(model::multi_level(a, 3, r)).gamma0, n, what.c_str());
        const auto design = value_of(model::sequential(a, 3, r));
        check_overflow<balanced_filter<512, sequential_placement>>(
            [&] {
                return balanced_shape{scheme::sequential,
                                      stop_rule::flag_coin,
                                      512,
                                      occupancy_k,
                                      3,
                                      {{std::round(static_cast<double>(n) / r), design.h, design.p}},
                                      n};
            },
            design.gamma0, n, what.c_str());
    };
    for (const double a : as) check_both(a, 8);
    for (const double r : rs) check_both(1.2, r);
}

TEST(BalancedOccupancy, OfSingleIsFigureFive) { check_single(100'000); }
TEST(BalancedOccupancy, ReachesTheLowerBound) { check_bound_reached(100'000, 8); }
TEST(BalancedOccupancy, OfSequentialReachesTheLowerBound) { check_sequential_bound(100'000, 8); }
TEST(BalancedOccupancy, OverflowIsFigureThree) { check_figure_3(40'000, {1.1, 1.2}, {4}); }

TEST(LongBalancedOccupancy, WithAMillionKeys) {
    check_single(1'000'000);
    for (const double r : {2.5, 8.0, 16.0}) {
        check_bound_reached(1'000'000, r);
        check_sequential_bound(1'000'000, r);
    }
}
TEST(LongBalancedOccupancy, OverflowIsFigureThreeWithAMillionKeys) {
    check_figure_3(1'000'000, {1.02, 1.04, 1.06, 1.08, 1.1, 1.12, 1.14, 1.16, 1.18, 1.2},
                   {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
}

}  // namespace
}  // namespace membrane::test
