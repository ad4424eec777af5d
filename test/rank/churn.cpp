// Turnover: while keys come and go at the planned load, the filter stays what a fresh build of the present keys is.
#include <cmath>
#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "rank/owned.hpp"

namespace membrane::test {
namespace {

enum class victims { random, oldest };

// Lines, as a share of the first table's, with a mark that a fresh filter does not have: both filters are asked for the
// same strangers, and each such line costs at most a read of those that meet it.
double stale_marks(const owned<erasable_rank_view>& filter, const owned<erasable_rank_view>& fresh,
                   const filter_spec& spec) {
    const auto marked = filter.bytes(), as_new = fresh.bytes();
    std::uint64_t stale = 0;
    for (std::uint64_t i = 0; i < spec[balanced_rank_field::lines] + second_lines(spec); ++i)
        stale += marked[i * 64 + 63] != as_new[i * 64 + 63] ? 1 : 0;
    return static_cast<double>(stale) / static_cast<double>(spec[balanced_rank_field::lines]);
}

void expect_as_new(const owned<erasable_rank_view>& filter, const std::deque<std::uint64_t>& present,
                   const filter_spec& spec, std::uint64_t turnovers) {
    SCOPED_TRACE(testing::Message() << turnovers << " turnovers");
    owned<erasable_rank_view> fresh(spec);
    std::vector<key_hash> hashes;
    for (const std::uint64_t key : present) hashes.push_back(hash_of(key));
    ASSERT_TRUE(fresh.view.fill_empty(hashes, 1));
    // Equal entries in equal places: the bits, the rate and the shares of the tables are the same.
    ASSERT_EQ(filter.entries() == fresh.entries(), true);
    ASSERT_TRUE(filter.view.check_payload());
    ASSERT_EQ(filter.view.estimated_fpr_now(), fresh.view.estimated_fpr_now());
    // Marks that nothing stands behind cost reads; a mark goes with the next erasure from its line, so they stay few.
    const std::uint64_t strangers = 100'000;
    const double reads = negative_reads(filter.view, strangers),
                 as_new = negative_reads(fresh.view, strangers);
    EXPECT_GE(reads, as_new);
    const double stale = stale_marks(filter, fresh, spec);
    EXPECT_LE(reads, as_new + stale + 5 * std::sqrt(stale / static_cast<double>(strangers)));
    ::testing::Test::RecordProperty("reads", std::to_string(reads) + " and fresh " + std::to_string(as_new));
}

void expect_no_drift(victims who, std::uint64_t keys, const std::vector<std::uint64_t>& checks) {
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, keys, 0.004);
    owned<erasable_rank_view> filter(spec);
    ASSERT_TRUE(filter.view.fill_empty(hashes_from(0, keys), 1));
    std::deque<std::uint64_t> present;
    for (std::uint64_t key = 0; key < keys; ++key) present.push_back(key);
    std::mt19937_64 random(5);
    std::uint64_t next = keys;
    for (std::uint64_t turnover = 1; turnover <= checks.back(); ++turnover) {
        for (std::uint64_t i = 0; i < keys; ++i) {
            if (who == victims::random) std::swap(present.front(), present[random() % keys]);
            ASSERT_TRUE(filter.view.erase(hash_of(present.front())));
            present.pop_front();
            ASSERT_TRUE(filter.view.insert(hash_of(next)));
            present.push_back(next++);
        }
        if (std::find(checks.begin(), checks.end(), turnover) != checks.end())
            expect_as_new(filter, present, spec, turnover);
    }
    for (const std::uint64_t key : present) ASSERT_TRUE(filter.view.erase(hash_of(key)));
    EXPECT_EQ(filter.bytes(), owned<erasable_rank_view>(spec).bytes());
}

TEST(RankChurn, OfRandomKeysChangesNothing) { expect_no_drift(victims::random, 20'000, {1, 5, 20}); }
TEST(RankChurn, OfTheOldestKeysChangesNothing) { expect_no_drift(victims::oldest, 20'000, {1, 5, 20}); }
TEST(LongRankChurn, OfAMillionRandomKeysChangesNothing) {
    expect_no_drift(victims::random, 1'000'000, {1, 5, 20});
}
TEST(LongRankChurn, OfTheOldestOfAMillionKeysChangesNothing) {
    expect_no_drift(victims::oldest, 1'000'000, {1, 5, 20});
}

}  // namespace
}  // namespace membrane::test
