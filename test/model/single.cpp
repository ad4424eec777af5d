#include <membrane/model/single.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <boost/math/special_functions/gamma.hpp>

#include <membrane/model/balanced_bound.hpp>

#include "model/load_law.hpp"

namespace membrane::model {
namespace {

TEST(Single, IsTheClosedFormWhereThatDoesNotCancel) {
    for (const double x : {0.1, 1.0, 7.5, 20.0, 80.0}) {
        for (const std::uint64_t h : {1u, 2u, 8u, 32u, 64u}) {
            for (const double p : {0.0, 0.01, 0.3, 0.5}) {
                const auto state = single(x, h, p);
                ASSERT_TRUE(state.has_value());
                const auto order = static_cast<double>(h);
                const double closed =
                    std::exp(-p * x) * std::pow(1 - p, -order) * boost::math::gamma_p(order, (1 - p) * x);
                EXPECT_NEAR(state->loads[h], closed, 1e-11 * closed) << x << ' ' << h << ' ' << p;
            }
            const double pmf = boost::math::gamma_p_derivative(static_cast<double>(h) + 1, x);
            EXPECT_NEAR(single(x, h, 1).value().loads[h], pmf, 1e-11 * pmf);
        }
        EXPECT_NEAR(single(x, 0, 0.4).value().loads[0], std::exp(-0.4 * x), 1e-12);
    }
}

TEST(Single, SolvesItsDifferentialEquation) {
    for (const auto& [h, p] :
         {std::pair<std::uint64_t, double>{0, 0.3}, {2, 0.5}, {5, 0.99}, {9, 0.0}, {9, 1.0}}) {
        std::vector<double> f(static_cast<std::size_t>(h) + 2);
        f[0] = 1;
        double refused = 0;
        const auto slope = [&, chance = p](const std::vector<double>& at) {
            std::vector<double> by(at.size());
            for (std::size_t i = 0; i + 1 < at.size(); ++i) {
                const double taken = at[i] * (i + 2 < at.size() ? 1.0 : chance);
                by[i] -= taken;
                by[i + 1] += taken;
            }
            return by;
        };
        const auto moved = [](std::vector<double> at, const std::vector<double>& by, double step) {
            for (std::size_t i = 0; i < at.size(); ++i) at[i] += step * by[i];
            return at;
        };
        const double step = 1.0 / 256;
        for (int i = 1; i <= 256 * 12; ++i) {
            const auto s1 = slope(f);
            const auto s2 = slope(moved(f, s1, step / 2));
            const auto s3 = slope(moved(f, s2, step / 2));
            const auto s4 = slope(moved(f, s3, step));
            f = moved(moved(moved(moved(f, s1, step / 6), s2, step / 3), s3, step / 3), s4, step / 6);
            if (i % (256 * 3) != 0) continue;
            const double x = i * step;
            const auto state = single(x, h, p);
            ASSERT_TRUE(state.has_value());
            for (std::size_t load = 0; load < f.size(); ++load)
                EXPECT_NEAR(state->loads[load], f[load], 1e-9) << "x " << x << " load " << load;
            refused = x - mean_load(f);
            EXPECT_NEAR(state->overflow, refused / x, 1e-9);
            EXPECT_NEAR(state->refusal, (1 - p) * f[h] + f[h + 1], 1e-9);
        }
    }
}

TEST(Single, IsALawForEveryLoadCoinAndNumberOfArrivals) {
    for (const double x : {0.0, 1e-9, 0.5, 8.0, 64.0, 700.0, 5000.0, 16384.0, 16385.0, 1e15}) {
        for (const std::uint64_t h : {0u, 1u, 8u, 100u, 800u, 20000u}) {
            for (const double p : {0.0, 1e-12, 0.5, 1 - 1e-12, 1.0}) {
                SCOPED_TRACE(testing::Message() << "x " << x << " h " << h << " p " << p);
                const auto state = single(x, h, p);
                ASSERT_EQ(state.has_value(), x <= 16384 || h <= 8192);
                if (!state) continue;
                expect_law(state->loads);
                ASSERT_TRUE(state->overflow >= 0 && state->overflow <= 1);
                ASSERT_TRUE(state->refusal >= 0 && state->refusal <= 1);
                ASSERT_NEAR(mean_load(state->loads), x * (1 - state->overflow), 1e-10 * (x + 1));
                ASSERT_LE(state->flagged_at_h, state->loads[h]);
                ASSERT_LE(state->flagged_at_top, state->loads[h + 1]);
            }
        }
    }
}

TEST(Single, CrowdedBlocksContinueTheSum) {
    for (const std::uint64_t h : {0u, 8u, 8000u}) {
        for (const double p : {0.0, 1e-7, 1e-5, 1e-4, 0.4, 1.0}) {
            const auto sum = single(16384, h, p).value();
            const auto limit = single(16384.0001, h, p).value();
            EXPECT_NEAR(sum.loads[h], limit.loads[h], 1e-7);
            EXPECT_NEAR(sum.overflow, limit.overflow, 1e-7);
            EXPECT_NEAR(sum.refusal, limit.refusal, 1e-7);
            EXPECT_NEAR(sum.refused_at_h, limit.refused_at_h, 1e-3);
            EXPECT_NEAR(sum.refused_at_top, limit.refused_at_top, 1e-3);
        }
    }
}

TEST(Single, SmallOverflowKeepsItsDigits) {
    // One arrival too many is all there is to it: Pr(X = h + 1) (1 - p) / x to first order.
    const auto state = single(0.01, 10, 0.25);
    ASSERT_TRUE(state.has_value());
    const double leading = boost::math::gamma_p_derivative(12.0, 0.01) * 0.75 / 0.01;
    EXPECT_NEAR(state->overflow, leading, leading * 0.01);
    EXPECT_LT(leading, 1e-25);
}

TEST(Single, AFullCoinIsOneLoadMore) {
    for (const double x : {0.5, 8.0, 40.0}) {
        for (const std::uint64_t h : {0u, 7u, 30u}) {
            const auto whole = single(x, h + 1, 0).value();
            const auto coin = single(x, h, 1).value();
            EXPECT_NEAR(whole.overflow, coin.overflow, 1e-14);
            for (std::size_t i = 0; i < coin.loads.size(); ++i)
                EXPECT_NEAR(whole.loads[i], coin.loads[i], 1e-14);
        }
    }
}

TEST(Single, CoinForAShareGivesThatShare) {
    for (const double x : {0.6, 9.6, 76.8}) {
        for (const double p : {0.0, 1e-6, 0.3, 0.999, 1.0}) {
            const auto h = static_cast<std::uint64_t>(x);
            EXPECT_NEAR(single_coin(x, h, single(x, h, p)->loads.back()).value(), p, 1e-9);
        }
    }
    EXPECT_EQ(single_coin(8, 8, 0.9).error().what, "at_top");
    EXPECT_EQ(single_coin(8, 8, not_a_number).error().what, "at_top");
    EXPECT_EQ(single_coin(-1, 8, 0.1).error().what, "x");
    EXPECT_EQ(single(8, 8, 1.1).error().what, "p");
    EXPECT_EQ(single(8, 70000, 1).error().what, "h");
    EXPECT_EQ(single(not_a_number, 8, 1).error().what, "x");
}

}  // namespace
}  // namespace membrane::model
