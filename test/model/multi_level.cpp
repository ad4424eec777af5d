#include <membrane/model/multi_level.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/model/sequential.hpp>

#include "model/load_law.hpp"

namespace membrane::model {
namespace {

TEST(MultiLevel, EveryTableOfTheDesignHasTheLoadsOfTheBound) {
    int designs = 0;
    for (std::uint64_t d = 1; d <= 8; ++d) {
        for (const double a : some_a) {
            for (const double r : some_r) {
                SCOPED_TRACE(testing::Message() << "a " << a << " d " << d << " r " << r);
                const auto design = multi_level(a, d, r);
                ASSERT_EQ(design.has_value(), a < static_cast<double>(d));
                if (!design) {
                    ASSERT_EQ(design.error().what, "a");
                    continue;
                }
                ++designs;
                ASSERT_NEAR((1 - design->gamma0) / (1 - design->q), a, 1e-12);
                ASSERT_NEAR(sum_of(design->alpha), 1, 1e-12);
                const auto bound = balanced_lower_bound(a, r, design->gamma0);
                const auto state = multi_level_dynamics(r, 1, tables_of(*design));
                ASSERT_TRUE(state.has_value());
                ASSERT_NEAR(state->overflow, design->gamma0, 1e-9);
                ASSERT_NEAR(state->insertion_reads, a, 1e-9);
                // A table that only one key in 1e12 reaches has its loads to fewer digits.
                for (std::size_t j = 0; j < std::min<std::size_t>(d, 3); ++j) {
                    for (std::size_t i = 0; i < bound->loads.size(); ++i)
                        ASSERT_NEAR(state->tables[j].loads[i], bound->loads[i], 1e-7) << j << ' ' << i;
                }
                const auto back = multi_level_for_overflow(design->gamma0, d, r);
                ASSERT_TRUE(back.has_value());
                ASSERT_NEAR(back->a, a, 1e-9);
                ASSERT_NEAR(multi_level_exhaustion(a, d, design->gamma0).value(), 1, 1e-9);
            }
        }
    }
    EXPECT_EQ(designs, 7 * (7 * 7 - 1));
}

TEST(MultiLevel, OffTheDesignTheOverflowIsTheOneThatWasComputedApart) {
    const std::vector<sub_table> tables = tables_of(multi_level(1.2, 3, 16).value());
    EXPECT_LT(multi_level_dynamics(16, 0.95, tables)->overflow, 2e-4);
    EXPECT_NEAR(multi_level_dynamics(16, 1, tables)->overflow, 0.005, 5e-4);
    EXPECT_NEAR(multi_level_dynamics(16, 1.02, tables)->overflow, 0.015, 5e-4);
    EXPECT_NEAR(multi_level_dynamics(16, 1.05, tables)->overflow, 0.033, 5e-4);
    EXPECT_NEAR(multi_level_dynamics(16, 1.1, tables)->overflow, 0.066, 5e-4);
    EXPECT_EQ(multi_level_dynamics(16, 0, tables)->overflow, 0);
    EXPECT_NEAR(multi_level_exhaustion(1.2, 3, 0.02).value(), 0.986, 5e-4);
}

TEST(MultiLevel, OneTableTakesAnyOverflow) {
    const auto free = multi_level(1, 1, 8);
    ASSERT_TRUE(free.has_value());
    EXPECT_FALSE(free->bounded);
    EXPECT_LT(multi_level_dynamics(8, 1, tables_of(*free))->overflow, 1e-25);
    const auto some = multi_level_for_overflow(0.01, 1, 8);
    ASSERT_TRUE(some.has_value());
    EXPECT_EQ(some->a, 1);
    EXPECT_NEAR(multi_level_dynamics(8, 1, tables_of(*some))->overflow, 0.01, 1e-12);
}

TEST(MultiLevel, ArgumentsOutsideTheDomainAreNamed) {
    EXPECT_EQ(multi_level(3, 3, 8).error().what, "a");
    EXPECT_EQ(multi_level(not_a_number, 3, 8).error().what, "a");
    EXPECT_EQ(multi_level(1.2, 0, 8).error().what, "d");
    EXPECT_EQ(multi_level(1.2, 3, 0).error().what, "r");
    EXPECT_EQ(multi_level_for_overflow(1, 3, 8).error().what, "gamma");
    EXPECT_EQ(multi_level_dynamics(8, 1, {}).error().what, "tables");
    const sub_table half[] = {{0.5, 8, 0}, {0.4, 8, 0}};
    EXPECT_EQ(multi_level_dynamics(8, 1, half).error().what, "tables");
    const sub_table whole[] = {{1, 8, 0}};
    EXPECT_EQ(multi_level_dynamics(8, not_a_number, whole).error().what, "fill");
    EXPECT_EQ(multi_level_dynamics(-8, 1, whole).error().what, "r");
}

TEST(Sequential, IntegralAndDifferentialEquationAgree) {
    int designs = 0;
    for (const std::uint64_t d : {1u, 2u, 3u, 8u}) {
        for (const double a : {1.01, 1.2, 1.5, 2.0}) {
            for (const double r : {0.5, 2.5, 8.0, 64.0}) {
                SCOPED_TRACE(testing::Message() << "a " << a << " d " << d << " r " << r);
                const auto design = sequential(a, d, r);
                ASSERT_EQ(design.has_value(), a < static_cast<double>(d));
                if (!design) {
                    ASSERT_EQ(design.error().what, "a");
                    continue;
                }
                ++designs;
                ASSERT_TRUE(design->gamma0 > 0 && design->gamma0 < 1);
                ASSERT_NEAR(sequential_time(a, d, r, design->h, design->p).value(), 1, 1e-9);
                const auto state = sequential_dynamics(r, 1, d, design->h, design->p);
                ASSERT_TRUE(state.has_value());
                ASSERT_NEAR(state->accesses, a, 1e-8);
                ASSERT_NEAR(state->overflow, design->gamma0, 1e-8);
                // More overflow allowed: the budget runs out earlier; less: it is not used up.
                ASSERT_LT(sequential_exhaustion(a, d, r, (1 + design->gamma0) / 2).value(), 1);
                ASSERT_GT(sequential_exhaustion(a, d, r, design->gamma0 / 2).value(), 1);
                // A multi-level table of the same a and d never needs more overflow.
                ASSERT_LE(multi_level(a, d, r)->gamma0, design->gamma0 + 1e-9);
            }
        }
    }
    EXPECT_EQ(designs, 4 * (3 + 4 + 4));
}

TEST(Sequential, SimulatedTablesHaveThePredictedLoadsAccessesAndOverflow) {
    const auto design = sequential(1.2, 3, 8).value();
    const std::uint64_t blocks = 4000;
    const auto keys = static_cast<double>(8 * blocks);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform;
    for (const double fill : {0.9, 1.0, 1.1}) {
        SCOPED_TRACE(fill);
        const auto expected = sequential_dynamics(8, fill, 3, design.h, design.p).value();
        running_summary accesses, overflow, full;
        for (int table = 0; table < 30; ++table) {
            std::vector<std::uint64_t> loads(blocks);
            std::uint64_t tries = 0, refused = 0;
            for (double key = 0; key < fill * keys; ++key) {
                bool taken = false;
                for (int choice = 0; choice < 3 && !taken; ++choice, ++tries) {
                    std::uint64_t& load = loads[random() % blocks];
                    taken = load < design.h || (load == design.h && uniform(random) < design.p);
                    if (taken) ++load;
                }
                refused += taken ? 0 : 1;
            }
            accesses.add(static_cast<double>(tries) / keys);
            overflow.add(static_cast<double>(refused) / keys);
            const auto at_top = std::count(loads.begin(), loads.end(), design.h + 1);
            full.add(static_cast<double>(at_top) / static_cast<double>(blocks));
        }
        // The equation is the limit of many blocks; what is left over is of the order of one block.
        const double finite = 1 / static_cast<double>(blocks);
        EXPECT_NEAR(accesses.mean(), expected.accesses, 5 * accesses.standard_error() + finite);
        EXPECT_NEAR(overflow.mean(), expected.overflow, 5 * overflow.standard_error() + finite);
        EXPECT_NEAR(full.mean(), expected.loads.loads.back(), 5 * full.standard_error() + finite);
    }
}

TEST(Sequential, ArgumentsOutsideTheDomainAreNamed) {
    EXPECT_EQ(sequential(3, 3, 8).error().what, "a");
    EXPECT_EQ(sequential(1.2, 0, 8).error().what, "d");
    EXPECT_EQ(sequential(1.2, 3, not_a_number).error().what, "r");
    EXPECT_EQ(sequential_time(-1, 3, 8, 8, 0.5).error().what, "accesses");
    EXPECT_EQ(sequential_time(1, 3, 8, 8, 1.5).error().what, "p");
    EXPECT_EQ(sequential_dynamics(8, -1, 3, 8, 0.5).error().what, "fill");
    EXPECT_EQ(sequential_exhaustion(1.2, 3, 8, 1).error().what, "gamma");
    const auto alone = sequential(1, 1, 8);
    ASSERT_TRUE(alone.has_value());
    EXPECT_EQ(alone->gamma0, 0);
    EXPECT_FALSE(alone->bounded);
}

}  // namespace
}  // namespace membrane::model
