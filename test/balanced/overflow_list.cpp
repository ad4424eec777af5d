// The list of keys that no bucket took: exact beside a set, sorted in its bytes, refused when these are not.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/overflow_list.hpp>

#include "support/keys.hpp"

namespace membrane::test {
namespace {

std::vector<std::byte> bytes_for(std::uint64_t slots) {
    return std::vector<std::byte>(*overflow_list::size_bytes(slots));
}

TEST(OverflowList, IsExactUntilItIsFull) {
    for (const std::uint64_t slots : {0u, 1u, 2u, 7u, 8u, 64u, 1000u}) {
        random_numbers random(slots);
        auto bytes = bytes_for(slots);
        overflow_list list(bytes.data(), slots);
        std::set<std::uint64_t> truth;
        std::uint64_t refused = 0;
        for (std::uint64_t i = 0; i < 2 * slots + 5; ++i) {
            // Every eighth word from a narrow range: long runs.
            const std::uint64_t word = i % 8 == 0 ? random.below(1000) : random.next();
            const auto before = bytes;
            if (list.insert(word)) {
                truth.insert(word == 0 ? 1 : word);
            } else {
                ++refused;
                ASSERT_EQ(bytes, before);
            }
            ASSERT_EQ(list.count(), truth.size());
            ASSERT_TRUE(list.check());
        }
        for (const std::uint64_t word : truth) ASSERT_TRUE(list.contains(word) && list.insert(word));
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t word = random.below(2) == 0 ? random.below(1000) : random.next();
            ASSERT_EQ(list.contains(word), truth.count(word == 0 ? 1 : word) == 1);
        }
        EXPECT_LE(truth.size(), slots);
        EXPECT_GE(truth.size(), slots * 3 / 4) << refused << " refused";
    }
}

TEST(OverflowList, HoldsWhatThePlannerCountsOn) {
    // Nine tenths of the slots in random words: never refused.
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        random_numbers random(seed);
        auto bytes = bytes_for(20000);
        overflow_list list(bytes.data(), 20000);
        for (int i = 0; i < 18000; ++i) ASSERT_TRUE(list.insert(random.next())) << i;
    }
}

TEST(OverflowList, HasSlotsBehindTheLastHomeForItsQueue) {
    // Lundberg's bound for words that wait behind the last home (src/model/rank/list_room.hpp), Poisson words for each: exp(-t s)
    // for any t with load (exp(t) - 1) <= t.
    constexpr double load = 0.85, t = 0.314;
    ASSERT_LE(load * std::expm1(t), t);
    EXPECT_LE(std::exp(-t * static_cast<double>(overflow_list::most_spare)), 2e-9);
}

TEST(OverflowList, BoundsTheWorkForWordsThatWereChosen) {
    const std::uint64_t slots = 100'000;
    auto bytes = bytes_for(slots);
    overflow_list list(bytes.data(), slots);
    std::uint64_t taken = 0;
    for (std::uint64_t word = 20'000; word > 0; --word) taken += list.insert(word) ? 1 : 0;
    EXPECT_EQ(taken, overflow_list::most_moved) << "all of one home, the smallest last";
    for (std::uint64_t word = 20'000; word > 20'000 - taken; --word) ASSERT_TRUE(list.contains(word));
}

TEST(OverflowList, RefusesBytesThatCannotBe) {
    auto bytes = bytes_for(64);
    overflow_list list(bytes.data(), 64);
    random_numbers random(3);
    for (int i = 0; i < 20; ++i) list.insert(random.next());
    ASSERT_TRUE(list.check());
    const auto put = [&](std::size_t at, std::uint64_t word) {
        auto changed = bytes;
        store_le(changed.data() + at, word);
        return overflow_list(changed.data(), 64).check();
    };
    EXPECT_FALSE(put(0, 19)) << "count";
    EXPECT_FALSE(put(8, 1)) << "head";
    EXPECT_FALSE(put(64 + 8 * 63, 5)) << "far from home";
    EXPECT_FALSE(put(64, UINT64_MAX)) << "order";
}

}  // namespace
}  // namespace membrane::test
