// What the tests of the balanced schemes share: points of the domain, and what a load law must be.
#pragma once

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace membrane::model {

inline constexpr double some_a[] = {1.01, 1.05, 1.1, 1.2, 1.5, 1.9, 2.0};
inline constexpr double some_r[] = {0.5, 1, 2.5, 8, 16, 33.3, 64};
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline double sum_of(const std::vector<double>& loads) {
    double sum = 0;
    for (const double load : loads) sum += load;
    return sum;
}

inline void expect_law(const std::vector<double>& loads) {
    for (const double share : loads) ASSERT_TRUE(share >= 0 && share <= 1 + 1e-12) << share;
    ASSERT_NEAR(sum_of(loads), 1, 1e-12);
}

}  // namespace membrane::model
