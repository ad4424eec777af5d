#include <membrane/model/rank_overflow.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>

#include "model/rank/rank_tails.hpp"

namespace membrane::model {
namespace {

// Pr[more than `extensions` of `buckets` buckets hold more than `cells` of n keys], exactly: a table over (keys used,
// buckets above), one bucket after the other, each with weight 1 / load!.
double exact_overflow(std::size_t n, std::size_t buckets, std::size_t cells, std::size_t extensions) {
    const double mean = static_cast<double>(n) / static_cast<double>(buckets);
    std::vector<double> weight(n + 1);
    weight[0] = std::exp(-mean);
    for (std::size_t i = 1; i <= n; ++i) weight[i] = weight[i - 1] * mean / static_cast<double>(i);
    std::vector<std::vector<double>> ways(buckets + 1, std::vector<double>(n + 1));
    ways[0][0] = 1;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        std::vector<std::vector<double>> next(buckets + 1, std::vector<double>(n + 1));
        for (std::size_t over = 0; over <= bucket; ++over) {
            for (std::size_t used = 0; used <= n; ++used) {
                if (ways[over][used] == 0) continue;
                for (std::size_t load = 0; used + load <= n; ++load)
                    next[over + (load > cells)][used + load] += ways[over][used] * weight[load];
            }
        }
        ways = next;
    }
    double all = 0;
    double above = 0;
    for (std::size_t over = 0; over <= buckets; ++over) {
        all += ways[over][n];
        if (over > extensions) above += ways[over][n];
    }
    return above / all;
}

TEST(RankOverflow, TheEstimateIsCloseToTheExactChanceAndTheBoundAboveIt) {
    struct setting {
        std::size_t n, buckets, cells, extensions;
    };
    for (const auto& [n, buckets, cells, extensions] :
         {setting{120, 12, 11, 5}, setting{120, 12, 11, 7}, setting{200, 25, 10, 7}, setting{200, 25, 10, 10},
          setting{160, 40, 5, 14}, setting{160, 40, 5, 18}, setting{160, 40, 7, 7}}) {
        SCOPED_TRACE(testing::Message()
                     << n << " keys " << buckets << " buckets " << cells << ' ' << extensions);
        const double exact = exact_overflow(n, buckets, cells, extensions);
        const auto as = [](std::size_t value) { return static_cast<double>(value); };
        const double estimate =
            std::exp(log_overflow_estimate(as(n), as(buckets), as(cells), as(extensions)));
        const double bound = std::exp(log_overflow_bound(as(n), as(buckets), as(cells), as(extensions)));
        EXPECT_NEAR(estimate, exact, exact / as(buckets));
        EXPECT_GE(bound, exact);
    }
}

TEST(RankOverflow, OverflowingBucketsScatterLessThanIndependentOnes) {
    const std::uint64_t n = 100000;
    const std::uint64_t buckets = 2604;
    const std::uint64_t cells = 45;
    const auto scatter = rank_overflow_scatter(n, buckets, cells);
    EXPECT_NEAR(scatter->mean, 331.8, 0.05);
    EXPECT_NEAR(scatter->variance, 169, 0.5);
    EXPECT_NEAR(scatter->variance_if_independent, 290, 0.5);
    const int filters = 300;
    std::mt19937_64 random(20261115);
    running_summary counts;
    running_summary squares;
    for (int filter = 0; filter < filters; ++filter) {
        std::vector<std::uint32_t> loads(buckets);
        for (std::uint64_t key = 0; key < n; ++key) ++loads[random() % buckets];
        double over = 0;
        for (const std::uint32_t load : loads) over += load > cells;
        counts.add(over);
        squares.add((over - scatter->mean) * (over - scatter->mean));
    }
    EXPECT_TRUE(around(scatter->mean, std::sqrt(scatter->variance / filters), 5).contains(counts.mean()))
        << counts.mean();
    EXPECT_NEAR(squares.mean(), scatter->variance, 5 * squares.standard_error());
    EXPECT_LT(squares.mean() + 5 * squares.standard_error(), scatter->variance_if_independent);
}

TEST(RankOverflow, MoreRoomIsNeverWorse) {
    rank_shape shape;
    shape.buckets = 1221;
    shape.fingerprint_bits = 7;
    shape.cells = 87;
    shape.extension_cells = 16;
    shape.last_cells = 57;
    shape.extensions = 427;
    shape.last_extensions = 42;
    const double chance = rank_overflow_bound(shape, 100000)->log_any;
    for (std::uint64_t rank_shape::*member :
         {&rank_shape::cells, &rank_shape::extension_cells, &rank_shape::last_cells, &rank_shape::extensions,
          &rank_shape::last_extensions}) {
        rank_shape larger = shape;
        larger.*member += 1;
        EXPECT_LT(rank_overflow_bound(larger, 100000)->log_any, chance);
        EXPECT_LT(rank_overflow_estimate(larger, 100000)->log_any,
                  rank_overflow_estimate(shape, 100000)->log_any);
    }
    EXPECT_LT(rank_overflow_estimate(shape, 100000)->log_any, chance);
}

TEST(RankOverflow, EveryChanceIsALogarithmUpToTheLargestSizes) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    for (double keys = 1; keys <= 1e12; keys *= 100) {
        for (const double load : {1.5, 20.0, 90.0}) {
            for (const double room : {-2.0, 0.0, 1.0, 3.0, 9.0}) {
                rank_shape shape;
                shape.buckets = static_cast<std::uint64_t>(std::ceil(keys / load));
                shape.cells = static_cast<std::uint64_t>(std::max(1.0, load + room * std::sqrt(load)));
                shape.extension_cells = 10;
                shape.last_cells = 60;
                shape.extensions = shape.buckets / 3;
                shape.last_extensions = shape.buckets / 40;
                const auto overflow = rank_overflow_bound(shape, static_cast<std::uint64_t>(keys));
                ASSERT_TRUE(overflow.has_value());
                for (const double chance : {overflow->log_extensions, overflow->log_last_extensions,
                                            overflow->log_bucket, overflow->log_any})
                    ASSERT_TRUE(chance == never || std::isfinite(chance))
                        << keys << ' ' << load << ' ' << room;
                const auto scatter =
                    rank_overflow_scatter(static_cast<std::uint64_t>(keys), shape.buckets, shape.cells);
                ASSERT_TRUE(scatter->variance >= 0 && scatter->variance <= scatter->variance_if_independent);
            }
        }
    }
    EXPECT_EQ(rank_overflow_bound({}, 0).error().what, "n");
    EXPECT_EQ(rank_overflow_estimate({}, 0).error().what, "n");
    EXPECT_EQ(rank_overflow_scatter(0, 1, 1).error().what, "n");
    EXPECT_EQ(rank_overflow_scatter(1, 0, 1).error().what, "buckets");
    EXPECT_EQ(rank_overflow_scatter(1, 1, max_rank_cells + 1).error().what, "cells");
}

}  // namespace
}  // namespace membrane::model
