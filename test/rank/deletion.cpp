// Deletion beside an exact multiset, one key very often, and keys that were chosen to meet.
#include <cmath>
#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

#include <membrane/hash/hasher.hpp>
#include <membrane/model/interval.hpp>

#include "rank/owned.hpp"

namespace membrane::test {
namespace {

// Around 95 % of the planned keys; a tenth of the insertions repeats a key that is there.
void expect_multiset(std::uint64_t keys, std::uint64_t operations) {
    const double fpr = 0.01;
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, keys, fpr);
    owned<erasable_rank_view> filter(spec);
    std::unordered_map<std::uint64_t, std::uint64_t> truth;
    std::vector<std::uint64_t> present;
    const auto load = static_cast<std::size_t>(0.95 * static_cast<double>(keys));
    std::mt19937_64 random(3);
    std::uint64_t next = 0;
    while (present.size() < load) {
        ASSERT_TRUE(filter.view.insert(hash_of(next)));
        ++truth[next];
        present.push_back(next++);
    }
    for (std::uint64_t i = 0; i < operations; ++i) {
        const std::uint64_t dice = random();
        const std::size_t at = (dice >> 8) % present.size();
        if (dice % 3 == 0) {
            ASSERT_TRUE(filter.view.may_contain(hash_of(present[at])));
            ASSERT_GE(filter.view.estimate(hash_of(present[at])), truth[present[at]]);
        } else if (dice % 3 == 1 && present.size() < load + load / 100) {
            const std::uint64_t key = dice >> 40 & 7 ? next++ : present[at];
            ASSERT_TRUE(filter.view.insert(hash_of(key)));
            ++truth[key];
            present.push_back(key);
        } else {
            const std::uint64_t key = present[at];
            ASSERT_TRUE(filter.view.erase(hash_of(key)));
            present[at] = present.back();
            present.pop_back();
            if (--truth[key] == 0) truth.erase(key);
        }
    }
    for (const auto& [key, times] : truth) ASSERT_GE(filter.view.estimate(hash_of(key)), times);
    ASSERT_EQ(filter.view.estimated_size(), static_cast<double>(present.size()));
    const std::uint64_t strangers = 400'000;
    const double predicted = plan::balanced_rank_plan.predicted_fpr(spec, truth.size());
    const auto accepted = model::five_sigma(predicted, strangers, 1,
                                            plan::balanced_rank_plan.fpr_stddev_between(spec, truth.size()));
    EXPECT_TRUE(accepted.contains(negative_rate(filter.view, strangers)))
        << negative_rate(filter.view, strangers) << " for " << predicted;

    for (const std::uint64_t key : present) ASSERT_TRUE(filter.view.erase(hash_of(key)));
    const auto empty = owned<erasable_rank_view>(spec).bytes();
    ASSERT_EQ(filter.bytes() == empty, true);
    for (std::uint64_t i = 0; i < operations; ++i) {
        ASSERT_TRUE(filter.view.insert(hash_of(i)));
        ASSERT_TRUE(filter.view.erase(hash_of(i)));
    }
    ASSERT_EQ(filter.bytes() == empty, true);
}

TEST(RankDeletion, AgreesWithAnExactMultiset) { expect_multiset(10'000, 300'000); }
TEST(LongRankDeletion, OfTenMillionOperationsAgreesWithAnExactMultiset) {
    expect_multiset(1'000'000, 10'000'000);
}

TEST(RankDeletion, OneKeyAMillionTimesCostsALineAndASlot) {
    constexpr std::uint64_t times = 1'000'000;
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, 3000, 0.01);
    for (const std::uint64_t often : {2u, 17u, 99u}) {
        owned<erasable_rank_view> filter(spec);
        for (std::uint64_t key = 0; key < 2900; ++key) ASSERT_TRUE(filter.view.insert(hash_of(key)));
        const auto before = filter.entries();
        for (std::uint64_t i = 1; i < times; ++i) ASSERT_TRUE(filter.view.insert(hash_of(often)));
        EXPECT_GE(filter.view.estimate(hash_of(often)), times);
        EXPECT_TRUE(filter.view.check_payload());
        for (std::uint64_t key = 0; key < 2900; ++key) ASSERT_TRUE(filter.view.may_contain(hash_of(key)));
        for (std::uint64_t i = 1; i < times; ++i) ASSERT_TRUE(filter.view.erase(hash_of(often)));
        EXPECT_TRUE(filter.view.may_contain(hash_of(often)));
        EXPECT_EQ(filter.entries(), before);
        ASSERT_TRUE(filter.view.erase(hash_of(often)));
    }
}

// Keys whose hashes share a line of the first table, found as somebody finds them who knows the hash key.
TEST(RankChosenKeys, FillTheirLineAndTheListAndAreThenRefused) {
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, 20'000, 0.01);
    const hasher known{hash_id::siphash13, {1, 2}}, secret{hash_id::siphash13, {3, 4}};
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t key = 0; chosen.size() < 3000; ++key)
        if (number_digits(spec).of(known(key)).line == 5) chosen.push_back(key);
    owned<erasable_rank_view> filter(spec);
    std::size_t taken = 0;
    while (taken < chosen.size() && filter.view.insert(known(chosen[taken]))) ++taken;
    ASSERT_LT(taken, chosen.size());
    // A line, the lines of the second table that its chains go to, and the list.
    EXPECT_GT(taken, spec[balanced_rank_field::cells] + spec[balanced_rank_field::list_slots] / 2);
    const auto before = filter.bytes();
    ASSERT_FALSE(filter.view.insert(known(chosen[taken])));
    EXPECT_EQ(filter.bytes(), before);
    for (std::size_t i = 0; i < taken; ++i) ASSERT_TRUE(filter.view.may_contain(known(chosen[i])));
    EXPECT_TRUE(filter.view.check_payload());

    owned<erasable_rank_view> other(spec);
    for (const std::uint64_t key : chosen) ASSERT_TRUE(other.view.insert(secret(key)));
    const std::uint64_t strangers = 20'000;
    const double model = plan::balanced_rank_plan.predicted_costs(spec, chosen.size()).negative.average;
    const double deviation = std::sqrt((model - 1) / static_cast<double>(strangers));
    EXPECT_LE(negative_reads(other.view, strangers), model + 5 * deviation);
}

}  // namespace
}  // namespace membrane::test
