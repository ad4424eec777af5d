// No key is lost when keys choose together, and none when they choose again.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/choice_specs.hpp"

namespace membrane::test {
namespace {

TEST(ChoiceRounds, DenyNoKeyForAnyNumberOfKeysChoicesAndRounds) {
    const hasher hash = numbered_hasher(3);
    const auto all = hashes_of(hash, 0, 2000);
    for (std::uint64_t n = 0; n <= 2000; ++n) {
        const std::uint64_t bits = std::max<std::uint64_t>(512, n * 8 / 512 * 512);
        const auto keys = std::span(all).first(n);
        const auto spec =
            choice_spec(bits, 1 + n % 4, 1 + n % 13, 1 + n % 5, n % 2, n / 4 % choice_probes::count);
        const any_filter filter = chosen_together(spec, keys, hash);
        ASSERT_EQ(false_negatives(filter, keys), 0u) << n << " keys";
        ASSERT_EQ(filter.keys(), n);
        ASSERT_EQ(false_negatives(value_of(any_view::open(file_of(filter))), keys), 0u)
            << n << " keys, from the file";
    }
}

TEST(ChoiceRounds, DenyNoKeyWhereCountersAreStuckAtTheirMaximum) {
    const hasher hash = numbered_hasher(4);
    const auto keys = hashes_of(hash, 0, 100000);  // 512 bits: 390 keys a bit, most counters beyond 255
    for (const std::uint64_t how : {search::greedy, search::annealed})
        for (const std::uint64_t probed :
             {std::uint64_t{probes::independent}, std::uint64_t{choice_probes::blocked}})
            EXPECT_EQ(
                false_negatives(chosen_together(choice_spec(512, 3, 2, 6, how, probed), keys, hash), keys),
                0u);
}

class MoreRounds : public ::testing::Test {
protected:
    static constexpr std::uint64_t count = 3000;
    const hasher hash = numbered_hasher(6);
    const std::vector<key_hash> keys = hashes_of(hash, 0, count);
    const filter_spec spec = choice_spec(8 * count, 3, 8, 1, search::annealed);
    const rounds_request more{.rounds = 20, .start = rounds_start::present};
};

TEST_F(MoreRounds, OfAFilterThatWasFilledOneByOneLeaveFewerOnesAndAllKeys) {
    any_filter filter = filled(spec, keys, hash);
    const double before = filter.fill();
    for (std::uint64_t rounds = 21; rounds <= 61; rounds += 20) {
        const double last = filter.fill();
        value_of(filter.choose_together(keys, more));
        EXPECT_EQ(filter.spec()[choice_field::rounds], rounds);
        EXPECT_LE(filter.fill(), last);
        EXPECT_EQ(false_negatives(filter, keys), 0u);
    }
    EXPECT_LT(filter.fill(), 0.95 * before);
}

TEST_F(MoreRounds, AreRefusedWithoutAChangeUnlessTheKeysAreThoseOfTheFilter) {
    any_filter filter = filled(spec, keys, hash);
    const auto before = file_of(filter);
    std::vector<key_hash> fewer(keys.begin(), keys.end() - 1), other = keys, repeated = keys;
    other.back() = hash(std::uint64_t{1} << 40);
    repeated.back() = repeated.front();
    for (const auto& given : {fewer, other, repeated}) {
        const auto refused = filter.choose_together(given, more);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().what, "keys");
        EXPECT_EQ(file_of(filter), before);
    }
}

// The bits alone cannot tell: every key given is in the filter, and there are as many as it has.
TEST_F(MoreRounds, AreRefusedWhenAFalsePositiveStandsForAKey) {
    any_filter filter = filled(spec, keys, hash);
    const auto before = file_of(filter);
    int tried = 0;
    for (std::uint64_t stranger = count; tried < 50; ++stranger) {
        if (!filter.may_contain(hash(stranger))) continue;
        std::vector<key_hash> other = keys;
        other[static_cast<std::size_t>(tried++) * 60] = hash(stranger);
        const auto refused = filter.choose_together(other, more);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().what, "keys");
    }
    EXPECT_EQ(file_of(filter), before);
}

TEST_F(MoreRounds, AreAllowedAfterAMergeOfDifferentKeys) {
    const auto middle = keys.begin() + count / 2;
    any_filter filter = filled(spec, std::vector<key_hash>(keys.begin(), middle), hash);
    expect_done(filter.merge(filled(spec, std::vector<key_hash>(middle, keys.end()), hash)));
    value_of(filter.choose_together(keys, more));
    EXPECT_EQ(false_negatives(filter, keys), 0u);
}

TEST(ChoiceBloom, WithOneGroupHasTheBitsOfBloom) {
    const hasher hash = numbered_hasher(8);
    const auto keys = hashes_of(hash, 0, 500);
    const auto spec = choice_spec(6400, 1, 7, 1, search::greedy, probes::two_hash);
    filter_spec flat = flat_spec_of_group(spec);
    flat.kind = kind_id::bloom;
    auto bits = payload_of(filled(spec, keys, hash));
    bits.resize(bits.size() - sizeof(std::uint64_t));  // the key sum
    EXPECT_EQ(bits, payload_of(filled(flat, keys, hash)));
}

}  // namespace
}  // namespace membrane::test
