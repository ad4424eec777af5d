// The blocked filter with choices: exact where the answer is known otherwise, and in order where it is not.
#include <cmath>

#include <gtest/gtest.h>

#include <membrane/model/blocked.hpp>
#include <membrane/model/blocked_choice.hpp>

namespace membrane::model {
namespace {

TEST(BlockedChoiceModel, WithOneChoiceIsTheBlockedFilter) {
    for (const std::uint64_t k : {1u, 4u, 9u, 31u, 64u})
        for (const std::uint64_t keys : {1u, 40u, 5000u, 100'000u}) {
            const auto found = blocked_choice({1, k}).filter(keys, 2000);
            EXPECT_NEAR(found.mean, blocked_bloom_fpr(keys, 2000, 512, k), 1e-9 * found.mean);
            EXPECT_NEAR(found.stddev, blocked_bloom_fpr_stddev_between(keys, 2000, 512, k),
                        1e-6 * found.stddev + 1e-15);
        }
}

// One block and one place: a key brings a new bit only if all its groups would.
TEST(BlockedChoiceModel, OfOneBlockAndOnePlaceIsKnownInClosedForm) {
    const double second = 1 - std::pow(511.0 / 512, 3);
    const double taken_by_two = 1 - std::pow(510.0 / 512, 3);
    const double stays = second;  // that one of three places is the bit which the first key set
    const auto found = blocked_choice({3, 1}).filter(2, 1);
    EXPECT_NEAR(found.mean, stays * second + (1 - stays) * taken_by_two, 1e-12);
}

TEST(BlockedChoiceModel, GainsByRoundsAndLosesByKeys) {
    double last = 0;
    for (const double bits_per_key : {32.0, 16.0, 8.0, 4.0, 1.0, 0.1}) {
        const double online = blocked_choice({3, 9}).rate(bits_per_key);
        const double together = blocked_choice({3, 9, 40, round_search::annealed}).rate(bits_per_key);
        EXPECT_GT(online, last);
        EXPECT_LE(together, online);
        EXPECT_LE(online, 1);
        last = online;
    }
    EXPECT_NEAR(last, 1, 1e-3);
}

TEST(BlockedChoiceModel, TakesAnyArguments) {
    EXPECT_EQ(blocked_choice({2, 8}).filter(0, 10).mean, 0);
    EXPECT_EQ(blocked_choice({2, 8}).filter(10, 0).mean, 1);
    EXPECT_EQ(blocked_choice({4, 1}).filter(UINT64_MAX, 1).mean, 1);
    EXPECT_EQ(blocked_choice({4, 64}).rate(0), 1);
    EXPECT_EQ(blocked_choice({4, 64}).rate(-1), 1);
    EXPECT_EQ(blocked_choice({0, 0}).filter(100, 10).mean, blocked_choice({1, 1}).filter(100, 10).mean);
}

}  // namespace
}  // namespace membrane::model
