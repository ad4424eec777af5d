#include <membrane/base/prime.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace membrane {
namespace {

static_assert(is_prime(2) && !is_prime(1) && !is_prime(0) && is_prime(18446744073709551557u));

TEST(Prime, AgreesWithASieveUpToAHundredThousand) {
    std::vector<bool> composite(100001);
    for (std::uint64_t i = 2; i <= 100000; ++i) {
        ASSERT_EQ(is_prime(i), !composite[i]) << i;
        for (std::uint64_t j = i * i; j <= 100000; j += i) composite[j] = true;
    }
}

TEST(Prime, StrongPseudoprimesOfTheFirstBasesAreComposite) {
    // The least composites that pass Miller-Rabin with the first 1, 2, ..., 9 prime bases.
    for (const std::uint64_t n : {2047ull, 1373653ull, 25326001ull, 3215031751ull, 2152302898747ull,
                                  3474749660383ull, 341550071728321ull, 3825123056546413051ull}) {
        EXPECT_FALSE(is_prime(n)) << n;
    }
}

TEST(Prime, NextAndPreviousSurroundANumber) {
    EXPECT_EQ(next_prime(0), 2u);
    EXPECT_EQ(next_prime(2), 2u);
    EXPECT_EQ(next_prime(3), 3u);
    EXPECT_EQ(next_prime(8), 11u);
    EXPECT_EQ(next_prime(1455), 1459u);
    EXPECT_EQ(next_prime(18446744073709551557u), 18446744073709551557u);
    EXPECT_EQ(next_prime(18446744073709551558u), std::nullopt);
    EXPECT_EQ(next_prime(UINT64_MAX), std::nullopt);
    EXPECT_EQ(prev_prime(0), std::nullopt);
    EXPECT_EQ(prev_prime(1), std::nullopt);
    EXPECT_EQ(prev_prime(2), 2u);
    EXPECT_EQ(prev_prime(3), 3u);
    EXPECT_EQ(prev_prime(4), 3u);
    EXPECT_EQ(prev_prime(1454), 1453u);
    EXPECT_EQ(prev_prime(UINT64_MAX), 18446744073709551557u);
}

}  // namespace
}  // namespace membrane
