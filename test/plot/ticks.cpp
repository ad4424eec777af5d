// Ticks lie on 1-2-5 steps or decades, inside the limits, and read as a person would write them.
#include <plot/ticks.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace membrane::plot {
namespace {

std::string joined(const tick_set& ticks) {
    std::string text;
    for (const tick& each : ticks.labelled) {
        if (!text.empty()) text += ' ';
        text += each.text;
        if (each.power) text.append("^").append(std::to_string(*each.power));
    }
    return text;
}

TEST(Ticks, steps_are_one_two_or_five) {
    EXPECT_DOUBLE_EQ(nice_step(1), 1);
    EXPECT_DOUBLE_EQ(nice_step(1.01), 2);
    EXPECT_DOUBLE_EQ(nice_step(3e-7), 5e-7);
    EXPECT_DOUBLE_EQ(nice_step(6000), 10000);
}

TEST(Ticks, linear_labels_are_short) {
    EXPECT_EQ(joined(make_ticks(scale::linear, {0, 1}, 5)), "0 0.2 0.4 0.6 0.8 1.0");
    EXPECT_EQ(joined(make_ticks(scale::linear, {5, 35}, 6)), "5 10 15 20 25 30 35");
    EXPECT_EQ(joined(make_ticks(scale::linear, {-0.3, 0.31}, 6)), "-0.2 0 0.2");
    EXPECT_EQ(joined(make_ticks(scale::linear, {0, 3e-6}, 3)), "0 10^-6 2·10^-6 3·10^-6");
    EXPECT_EQ(joined(make_ticks(scale::linear, {0, 2e9}, 4)), "0 5·10^8 1.0·10^9 1.5·10^9 2.0·10^9");
}

TEST(Ticks, decades) {
    EXPECT_EQ(joined(make_ticks(scale::log10, {1e-7, 1e-2}, 6)), "10^-7 10^-6 10^-5 10^-4 10^-3 10^-2");
    EXPECT_EQ(joined(make_ticks(scale::log10, {0.01, 1}, 6)), "0.01 0.1 1");
    EXPECT_EQ(joined(make_ticks(scale::log10, {1e-12, 1}, 6)), "10^-12 10^-10 10^-8 10^-6 10^-4 10^-2 10^0");
    EXPECT_EQ(joined(make_ticks(scale::log10, {3e-4, 2.5e-3}, 6)), "5·10^-4 10^-3 2·10^-3");
    EXPECT_EQ(make_ticks(scale::log10, {0.01, 1}, 6).between.size(), 16U);
}

// Narrower than 1-2-5 can show: steps as on a linear axis.
TEST(Ticks, narrow_logarithmic_axis) {
    const tick_set ticks = make_ticks(scale::log10, {9.0, 11.0}, 5);
    EXPECT_GE(ticks.labelled.size(), 4U);
}

TEST(Ticks, always_some_and_always_inside) {
    for (int exponent = -300; exponent <= 300; exponent += 7)
        for (const double width : {1.001, 1.3, 3.0, 40.0, 1e5}) {
            const double low = std::pow(10.0, exponent) * 1.37;
            const range limits{low, low * width};
            for (const scale shape : {scale::linear, scale::log10}) {
                const tick_set ticks = make_ticks(shape, limits, 6);
                ASSERT_GE(ticks.labelled.size(), 2U) << exponent << ' ' << width;
                ASSERT_LE(ticks.labelled.size(), 14U) << exponent << ' ' << width;
                for (const tick& each : ticks.labelled) {
                    ASSERT_GE(each.value, limits.low * (1 - 1e-6));
                    ASSERT_LE(each.value, limits.high * (1 + 1e-6));
                }
            }
        }
}

}  // namespace
}  // namespace membrane::plot
