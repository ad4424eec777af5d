// The list behind a rank-indexed filter's tables, with words that no chance puts there.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/counted_list.hpp>

namespace membrane::test {
namespace {

TEST(CountedList, CountsStayAtTheirMost) {
    constexpr std::uint64_t slots = 400;
    std::vector<std::byte> bytes(*counted_list::size_bytes(slots));
    counted_list list(bytes.data(), slots, slots - 64, 1, 7);
    constexpr unsigned count_bits = counted_list::count_bits(1, 7);
    const std::uint64_t full = std::uint64_t{1} << count_bits;
    ASSERT_TRUE(list.add(0, full));
    EXPECT_EQ(list.count_of(0), full);
    // As many full words as make 2^64 together, which a file may hold.
    const std::uint64_t words = std::uint64_t{1} << (64 - count_bits);
    for (std::uint64_t i = 1; i < words; ++i) ASSERT_TRUE(list.add(0, full));
    ASSERT_TRUE(list.check());
    EXPECT_EQ(list.count_of(0), counted_list::most_counted);
}

// A key that comes again and again must not need a list of any length: from some count on it is there for ever.
TEST(CountedList, NumbersThatComeTooOftenStay) {
    constexpr std::uint64_t slots = 1000, words = counted_list::most_words_of_a_number, groups = 16;
    constexpr unsigned group_bits = 50;
    std::vector<std::byte> bytes(*counted_list::size_bytes(slots));
    counted_list list(bytes.data(), slots, slots - 64, groups, group_bits);
    const std::uint64_t full = std::uint64_t{1} << counted_list::count_bits(groups, group_bits);
    ASSERT_TRUE(list.add(7, words * full - 1));
    EXPECT_EQ(list.count_of(7), words * full - 1);
    ASSERT_TRUE(list.remove(7));
    EXPECT_EQ(list.count_of(7), words * full - 2) << "one less than that many can still be erased";
    ASSERT_TRUE(list.add(7, 2));
    EXPECT_EQ(list.count_of(7), counted_list::most_counted);
    const auto saturated = bytes;
    ASSERT_TRUE(list.add(7, UINT64_MAX)) << "more of it takes no room and no time";
    ASSERT_TRUE(list.remove(7));
    const counted_list::taken taken = list.take_first_of(0);
    EXPECT_EQ(taken.number, 7u);
    EXPECT_TRUE(taken.has_more);
    EXPECT_EQ(bytes, saturated);
    ASSERT_TRUE(list.check());
    std::uint64_t times = 0;
    list.for_each_within(0, 20, [&](std::uint64_t number, std::uint64_t more) {
        EXPECT_EQ(number, 7u);
        times = saturating_sum(times, more);
    });
    EXPECT_EQ(times, counted_list::most_counted) << "another layout knows it, too";
    ASSERT_TRUE(list.add(8) && list.add(6)) << "others are not concerned";
    EXPECT_EQ(list.count_of(7), counted_list::most_counted);
    ASSERT_TRUE(list.remove(8) && list.remove(6));
    EXPECT_EQ(bytes, saturated);
}

TEST(CountedList, BoundsTheWorkOfARemoval) {
    constexpr std::uint64_t slots = 10'000, most = 4096;
    std::vector<std::byte> bytes(*counted_list::size_bytes(slots));
    counted_list list(bytes.data(), slots, slots - 64, 1, 38);
    // All of one home; in ascending order none moves.
    for (std::uint64_t number = 0; number < slots; ++number) ASSERT_TRUE(list.add(number));
    ASSERT_TRUE(list.check());
    const auto before = bytes;
    EXPECT_FALSE(list.remove(0));
    EXPECT_FALSE(list.remove(slots - 1 - most));
    EXPECT_EQ(bytes, before);
    EXPECT_TRUE(list.contains(0));
    for (std::uint64_t gone = slots - most; gone < slots; ++gone) {
        ASSERT_TRUE(list.remove(gone));
        ASSERT_FALSE(list.contains(gone));
    }
    ASSERT_TRUE(list.check());
    for (std::uint64_t number = slots - most; number-- > 0;) ASSERT_TRUE(list.remove(number));
    EXPECT_EQ(bytes, std::vector<std::byte>(bytes.size())) << "an empty list is not zero";
}

TEST(CountedList, TakesTheFirstOfAGroup) {
    constexpr std::uint64_t slots = 200, groups = 10;
    constexpr unsigned group_bits = 5;
    std::vector<std::byte> bytes(*counted_list::size_bytes(slots)), other_bytes(bytes.size());
    counted_list list(bytes.data(), slots, slots - 64, groups, group_bits);
    counted_list other(other_bytes.data(), slots, slots - 64, groups, group_bits);
    std::mt19937 random(5);
    for (unsigned step = 0; step < 20'000; ++step) {
        const std::uint64_t group = random() % groups;
        if (random() % 100 < (step / 300 % 2 == 0 ? 60u : 40u)) {
            const std::uint64_t number = group << group_bits | random() % 32, times = 1 + random() % 3;
            const bool has_room = list.add(number, times);
            ASSERT_EQ(other.add(number, times), has_room);
            continue;
        }
        const auto expected = other.first_of(group);
        if (expected) {
            ASSERT_TRUE(other.remove(*expected));
        }
        const counted_list::taken found = list.take_first_of(group);
        ASSERT_EQ(found.number, expected);
        ASSERT_EQ(found.has_more, other.first_of(group).has_value());
        ASSERT_EQ(bytes, other_bytes) << "after step " << step;
    }
}

TEST(CountedList, TakesFromARunThatDoesNotGoBack) {
    constexpr std::uint64_t slots = 10'000;
    std::vector<std::byte> bytes(*counted_list::size_bytes(slots));
    counted_list list(bytes.data(), slots, slots - 64, 1, 38);
    for (std::uint64_t number = 0; number < slots; ++number) ASSERT_TRUE(list.add(number));
    const auto before = bytes;
    const counted_list::taken found = list.take_first_of(0);
    EXPECT_EQ(found.number, 0u);
    EXPECT_TRUE(found.has_more);
    EXPECT_EQ(bytes, before);
}

}  // namespace
}  // namespace membrane::test
