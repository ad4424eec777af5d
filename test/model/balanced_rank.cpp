#include <membrane/model/balanced_rank.hpp>

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "model/rank/line_loads.hpp"
#include "model/tail_sums.hpp"

namespace membrane::model {
namespace {

balanced_rank_shape fixed_shape() {
    balanced_rank_shape shape;
    shape.first = shape.second = {8, 52, 51};
    shape.second_share = 0.07;
    shape.keys_per_line = 51;
    return shape;
}

balanced_rank_shape erasable() {
    balanced_rank_shape shape = fixed_shape();
    shape.form = rank_model_form::erasable;
    shape.second = {12, 43, 36};
    shape.second_share = 0.1;
    return shape;
}

// Measured with n = 1e8 by a program that was not kept: 10.76 bits per key, 0.400 %, 1.059 lines. What the filters of today do
// is in test/rank/size.cpp.
TEST(BalancedRank, InsertOnlyNumbersAreTheMeasuredOnes) {
    const auto numbers = balanced_rank_at(fixed_shape());
    ASSERT_TRUE(numbers.has_value());
    EXPECT_NEAR(numbers->bits_per_key, 10.76, 0.005);
    EXPECT_NEAR(numbers->fpr, 0.00400, 0.000005);
    EXPECT_NEAR(numbers->negative_reads, 1.059, 0.0005);
    EXPECT_NEAR(numbers->bits_per_key - numbers->list_bits_per_key, 512 * 1.07 / 51, 1e-12);
}

// Likewise with n = 1e6: 5.6 % of the keys in T2, 1.06 lines, 11.04 bits without the list, 0.38 %.
TEST(BalancedRank, ErasableNumbersAreTheMeasuredOnes) {
    const auto numbers = balanced_rank_at(erasable());
    ASSERT_TRUE(numbers.has_value());
    EXPECT_NEAR(numbers->bits_per_key - numbers->list_bits_per_key, 11.04, 0.005);
    EXPECT_NEAR(numbers->fpr, 0.0038, 0.00005);
    EXPECT_EQ(numbers->fpr, numbers->first_fpr);
    EXPECT_NEAR(numbers->negative_reads, 1.06, 0.005);
    EXPECT_NEAR(numbers->forwarded, 0.056, 0.0005);
    // A line of T2 gets ten independent clumps of each chain, whose variances add up as their means do (1.65 times the
    // Poisson variance; a random choice of the chains would give 1.9).
    double mean = 0, variance = 0;
    for (const auto& clump : forwarded_clumps(51, 52, 51)) {
        double squares = 0;
        for (std::size_t j = 0; j < clump.size(); ++j) squares += static_cast<double>(j * j) * clump[j];
        mean += mean_of(clump);
        variance += squares - mean_of(clump) * mean_of(clump);
    }
    EXPECT_NEAR(numbers->second_load, 10 * mean, 1e-6);
    EXPECT_NEAR(numbers->second_variance, 10 * variance, 1e-6);
}

// w = E[(X - Z + 1) / (X + 1); X > Z] where no two entries share a chain: a line of very many chains.
TEST(BalancedRank, TheContinueChanceIsTheOneWithoutTiesAndTies) {
    for (const double cells : {10.0, 51.0}) {
        for (const double arrivals : {0.7 * cells, cells, 1.3 * cells}) {
            double expected = 0;
            for (double x = cells + 1; x < 6 * cells + 60; ++x)
                expected += poisson_at(arrivals, x) * (x - cells + 1) / (x + 1);
            // Half of a chain's width on average is the ties' part.
            const double chains = 20000;
            const double ties = 1 / chains;
            EXPECT_NEAR(continue_chance(arrivals, chains, cells), expected, ties);
            EXPECT_GT(continue_chance(arrivals, 64, cells), expected);
        }
    }
}

TEST(BalancedRank, ClumpsAddUpToWhatALineForwards) {
    for (const double chains : {1.0, 13.0, 64.0}) {
        for (const double cells : {1.0, 20.0, 60.0}) {
            for (const double per_cell : {0.3, 1.0, 1.5}) {
                const double arrivals = per_cell * cells;
                SCOPED_TRACE(testing::Message() << chains << " chains " << cells << " cells " << arrivals);
                const auto clumps = forwarded_clumps(arrivals, chains, cells);
                for (const auto& clump : clumps)
                    EXPECT_NEAR(std::accumulate(clump.begin(), clump.end(), 0.0), 1, 1e-12);
                const double forwarded = poisson_excess(arrivals, cells);
                EXPECT_NEAR(mean_of(sum_over_chains(clumps)), forwarded, 1e-11 * forwarded + 1e-15);
            }
        }
    }
    // One chain: the clump is the line's excess.
    const auto clump = forwarded_clumps(20, 1, 20).front();
    for (std::size_t j = 1; j < 20; ++j)
        EXPECT_NEAR(clump[j], poisson_at(20, 20 + static_cast<double>(j)), 1e-15);
}

// The two ways of adding clumps share nothing but the law.
TEST(BalancedRank, SumsOfClumpsDoNotDependOnTheWayTheyAreAdded) {
    const auto clump = forwarded_clumps(51, 52, 51)[40];
    for (const double count : {200.0, 520.0}) {
        std::vector<double> one_by_one{1.0};
        for (double i = 0; i < count; ++i) one_by_one = convolved(one_by_one, clump, 150);
        const auto at_once = sum_of_clumps(clump, count, 150);
        for (std::size_t i = 0; i <= 150; ++i)
            ASSERT_NEAR(at_once[i], one_by_one[i], 1e-11 * one_by_one[i] + 1e-18) << count << ' ' << i;
        EXPECT_NEAR(mean_of(at_once), count * mean_of(clump), 1e-9);
    }
    const auto between = sum_of_clumps(clump, 40.25, 150);
    EXPECT_NEAR(mean_of(between), 40.25 * mean_of(clump), 1e-12);
}

TEST(BalancedRank, EveryShapeOfALineHasNumbers) {
    for (const std::uint64_t bits : {1u, 4u, 8u, 13u, 30u, 50u}) {
        for (const std::uint64_t chains : {1u, 20u, 63u}) {
            for (const double fill : {0.01, 0.5, 1.0, 1.3, 4.0}) {
                for (const double share : {0.005, 0.1, 1.0}) {
                    for (const auto form : {rank_model_form::fixed, rank_model_form::erasable}) {
                        balanced_rank_shape shape;
                        shape.form = form;
                        shape.first = {bits, chains, (511 - chains) / (bits + 1)};
                        shape.second = shape.first;
                        if (form == rank_model_form::erasable) {
                            shape.second.fingerprint_bits += widening_bits(share, chains, chains);
                            if (shape.second.fingerprint_bits > 56) continue;
                            shape.second.cells = (511 - chains) / (shape.second.fingerprint_bits + 1);
                        }
                        shape.second_share = share;
                        shape.keys_per_line = fill * static_cast<double>(shape.first.cells);
                        SCOPED_TRACE(testing::Message() << "R " << bits << " L " << chains << " fill " << fill
                                                        << " share " << share << " form " << int(form));
                        const auto numbers = balanced_rank_at(shape);
                        if (!numbers) {
                            ASSERT_EQ(numbers.error().what, "second_share");
                            ASSERT_TRUE(fill > 0.5 && share < 1);
                            continue;
                        }
                        ASSERT_TRUE(std::isfinite(numbers->bits_per_key) && numbers->bits_per_key > 0);
                        ASSERT_TRUE(numbers->fpr > 0 && numbers->fpr <= 1);
                        ASSERT_TRUE(numbers->negative_reads >= 1 && numbers->negative_reads <= 2);
                        ASSERT_TRUE(numbers->list_reads >= 0 &&
                                    numbers->list_reads <= numbers->negative_reads - 1 + 1e-12);
                        ASSERT_TRUE(numbers->forwarded >= 0 && numbers->forwarded < 1);
                        ASSERT_TRUE(numbers->listed >= 0 &&
                                    numbers->listed <= numbers->forwarded * (1 + 1e-9))
                            << numbers->listed << ' ' << numbers->forwarded;
                        ASSERT_TRUE(numbers->second_variance >= 0 && numbers->listed_variance >= 0);
                        for (const double keys : {1.0, 1e6, 1e12}) {
                            const auto filter = balanced_rank_for(shape, static_cast<std::uint64_t>(keys));
                            ASSERT_TRUE(filter.has_value());
                            ASSERT_TRUE(filter->fpr_stddev_between >= 0 && filter->fpr_stddev_between < 1);
                            ASSERT_GE(static_cast<double>(filter->size_bits) * (1 + 1e-9),
                                      keys * numbers->bits_per_key);
                        }
                    }
                }
            }
        }
    }
}

TEST(BalancedRank, ValuesOutsideTheDomainAreNamed) {
    const auto name_of = [](auto change) {
        balanced_rank_shape shape = erasable();
        change(shape);
        const auto numbers = balanced_rank_at(shape);
        return numbers ? std::string_view("accepted") : numbers.error().what;
    };
    using shape = balanced_rank_shape;
    EXPECT_EQ(name_of([](shape& s) { s.first.fingerprint_bits = 0; }), "first.fingerprint_bits");
    EXPECT_EQ(name_of([](shape& s) { s.first.chains = 65; }), "first.chains");
    EXPECT_EQ(name_of([](shape& s) { s.first.cells = 52; }), "first.cells");
    EXPECT_EQ(name_of([](shape& s) { s.second.fingerprint_bits = 57; }), "second.fingerprint_bits");
    EXPECT_EQ(name_of([](shape& s) { s.second.chains = 0; }), "second.chains");
    EXPECT_EQ(name_of([](shape& s) { s.second.cells = 0; }), "second.cells");
    EXPECT_EQ(name_of([](shape& s) { s.second_share = std::nan(""); }), "second_share");
    EXPECT_EQ(name_of([](shape& s) { s.second_share = 1.1; }), "second_share");
    EXPECT_EQ(name_of([](shape& s) { s.keys_per_line = 0; }), "keys_per_line");
    EXPECT_EQ(name_of([](shape& s) { s.keys_per_line = 205; }), "keys_per_line");
    EXPECT_EQ(name_of([](shape& s) { s.list_entry_bits = 0; }), "list_entry_bits");
    // 52 chains in a tenth of the lines need 520 places; 43 chains widened by 3 bits have 344.
    EXPECT_EQ(name_of([](shape& s) { s.second.fingerprint_bits = 11; }), "second.fingerprint_bits");
    EXPECT_EQ(widening_bits(0.1, 52, 43), 4u);
    EXPECT_EQ(widening_bits(1, 52, 52), 0u);
    EXPECT_EQ(balanced_rank_for(erasable(), 0).error().what, "n");
    EXPECT_EQ(balanced_rank_for(erasable(), 10, 0).error().what, "refusal_chance");
}

}  // namespace
}  // namespace membrane::model
