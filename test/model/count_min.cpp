#include <membrane/model/count_min.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <membrane/base/prime.hpp>

namespace membrane::model {
namespace {

TEST(CountMin, EverySizeKeepsItsPromise) {
    for (const double eps : {0.9, 0.5, 0.2, 0.03, 1e-3, 1e-6, 1e-9}) {
        for (const double delta : {0.9, 0.5, 0.01, 1e-6, 1e-12}) {
            SCOPED_TRACE(testing::Message() << "eps " << eps << " delta " << delta);
            const auto classic = count_min_classic_size(eps, delta);
            const auto two_hash = count_min_two_hash_size(eps, delta);
            ASSERT_TRUE(classic.has_value() && two_hash.has_value());
            EXPECT_LE(count_min_classic_failure_bound(eps, *classic), delta);
            EXPECT_LE(count_min_two_hash_failure_bound(eps, *two_hash), delta);
            EXPECT_TRUE(is_prime(two_hash->width));
            EXPECT_LE(two_hash->depth, two_hash->width);  // Theorem 9.1
            EXPECT_GE(static_cast<double>(two_hash->width) * eps, 2 * std::exp(1.0));
        }
    }
}

TEST(CountMin, CopiesAreAWholeNumberWithoutARoundingSurplus) {
    EXPECT_EQ(count_min_two_hash_size(0.01, 0.0001)->copies, 2u);
    EXPECT_EQ(count_min_two_hash_size(0.1, 0.001)->copies, 3u);
    EXPECT_EQ(count_min_two_hash_size(0.1, 0.00099)->copies, 4u);
    EXPECT_EQ(count_min_two_hash_size(0.001, 0.5)->copies, 1u);
}

TEST(CountMin, BoundsSayOneWhereTheySayNothing) {
    EXPECT_EQ(count_min_classic_failure_bound(0.01, {10, 4, 1}), 1);
    EXPECT_EQ(count_min_two_hash_failure_bound(0.01, {10, 4, 1}), 1);
    EXPECT_EQ(count_min_classic_failure_bound(0.01, {0, 4, 1}), 1);
    EXPECT_EQ(count_min_two_hash_failure_bound(0.01, {0, 4, 1}), 1);
    EXPECT_EQ(count_min_two_hash_failure_bound(std::nan(""), {59, 3, 1}), 1);
    EXPECT_EQ(count_min_classic_failure_bound(0.1, {28, 0, 1}), 1);
}

TEST(CountMin, SizesOutsideTheDomainAreNamedErrors) {
    for (const double bad : {0.0, 1.0, -0.5, 2.0, std::nan(""), HUGE_VAL}) {
        EXPECT_EQ(count_min_classic_size(bad, 0.1).error().what, "eps");
        EXPECT_EQ(count_min_classic_size(0.1, bad).error().what, "delta");
        EXPECT_EQ(count_min_two_hash_size(bad, 0.1).error().what, "eps");
        EXPECT_EQ(count_min_two_hash_size(0.1, bad).error().what, "delta");
    }
    EXPECT_EQ(count_min_classic_size(1e-300, 0.1).error().code, errc::size_overflow);
    EXPECT_EQ(count_min_two_hash_size(1e-300, 0.1).error().code, errc::size_overflow);
}

}  // namespace
}  // namespace membrane::model
