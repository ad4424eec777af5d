#include <membrane/model/balanced_bound.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "model/load_law.hpp"

namespace membrane::model {
namespace {

TEST(BalancedBound, IsALawWithTheMeanAskedForAndLittleVariance) {
    for (const double a : some_a) {
        for (const double r : some_r) {
            for (const double gamma : {0.0, 1e-12, 1e-4, 0.01, 0.3, 0.9, 0.999999}) {
                SCOPED_TRACE(testing::Message() << "a " << a << " r " << r << " gamma " << gamma);
                const auto bound = balanced_lower_bound(a, r, gamma);
                ASSERT_TRUE(bound.has_value());
                ASSERT_TRUE(bound->k0.has_value());
                expect_law(bound->loads);
                ASSERT_NEAR(mean_load(bound->loads), r * (1 - gamma), 1e-12 * r);
                // A block that takes every arrival with the same chance keeps Poisson loads of the same mean.
                ASSERT_LE(load_variance(bound->loads), r * (1 - gamma) * (1 + 1e-12));
                // A whole-valued load of this mean cannot vary less than between its two neighbours.
                const double part = r * (1 - gamma) - std::floor(r * (1 - gamma));
                ASSERT_GE(load_variance(bound->loads), part * (1 - part) - 1e-12);
            }
        }
    }
}

TEST(BalancedBound, NoLoadTakenAndNothingToChooseAreNoSpecialFormulas) {
    const auto none = balanced_lower_bound(1.2, 0.5, 0.2);
    ASSERT_TRUE(none.has_value());
    EXPECT_EQ(none->k0, std::uint64_t{0});
    EXPECT_EQ(none->e0, 0);
    EXPECT_NEAR(none->p0, std::exp(-0.6), 1e-15);
    ASSERT_EQ(none->loads.size(), 2u);
    EXPECT_NEAR(none->loads[1], 0.4, 1e-15);
    EXPECT_NEAR(none->loads[0], 0.6, 1e-15);
    const auto free = balanced_lower_bound(1, 3, 0);
    ASSERT_TRUE(free.has_value());
    EXPECT_FALSE(free->k0.has_value());
    EXPECT_NEAR(free->loads[2], std::exp(-3.0) * 4.5, 1e-15);
    EXPECT_NEAR(load_variance(free->loads), 3, 1e-12);
    // The least that can be chosen still gives a bound close to the free law.
    const auto tiny = balanced_lower_bound(1, 3, 1e-200);
    ASSERT_TRUE(tiny.has_value() && tiny->k0.has_value());
    EXPECT_NEAR(load_variance(tiny->loads), 3, 1e-12);
}

TEST(BalancedBound, ArgumentsOutsideTheDomainAreNamed) {
    for (const double a : {0.99, not_a_number, 65.0, -1.0})
        EXPECT_EQ(balanced_lower_bound(a, 8, 0).error().what, "a");
    for (const double gamma : {-0.1, 1.0, not_a_number})
        EXPECT_EQ(balanced_lower_bound(1.2, 8, gamma).error().what, "gamma");
    for (const double r : {0.0, -1.0, not_a_number, 1e9, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(balanced_lower_bound(1.2, r, 0).error().what, "r");
        EXPECT_EQ(balanced_lower_bound(1.2, r, 0).error().code, errc::bad_field);
    }
}

}  // namespace
}  // namespace membrane::model
