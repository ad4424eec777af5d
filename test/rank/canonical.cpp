// The contents are a function of the keys that are in: any order, at once or one by one, whatever was there in between.
#include <random>

#include <gtest/gtest.h>

#include "rank/owned.hpp"

namespace membrane::test {
namespace {

template <class View>
std::vector<std::byte> one_by_one(const filter_spec& spec, const std::vector<key_hash>& hashes) {
    owned<View> filter(spec);
    for (const key_hash& hash : hashes)
        if (!filter.view.insert(hash)) throw std::runtime_error("refused");
    return filter.bytes();
}

template <class View>
std::vector<std::byte> at_once(const filter_spec& spec, const std::vector<key_hash>& hashes,
                               unsigned threads) {
    owned<View> filter(spec);
    if (!filter.view.fill_empty(hashes, threads)) throw std::runtime_error("refused");
    if (!filter.view.check_payload()) throw std::runtime_error("not well formed");
    return filter.bytes();
}

template <class View>
void expect_one_picture(std::uint64_t form, std::uint64_t keys, double fpr, int orders) {
    SCOPED_TRACE(testing::Message() << balanced_rank_form_names[form] << " at " << fpr);
    const filter_spec spec = planned_spec(form, keys, fpr);
    auto hashes = hashes_from(0, keys - keys / 50);
    // Some keys come again.
    hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(keys / 50));
    const auto expected = one_by_one<View>(spec, hashes);
    std::mt19937_64 random(11);
    for (int order = 0; order < orders; ++order) {
        std::shuffle(hashes.begin(), hashes.end(), random);
        ASSERT_EQ(one_by_one<View>(spec, hashes) == expected, true) << "order " << order;
        for (const unsigned threads : {1u, 2u})
            ASSERT_EQ(at_once<View>(spec, hashes, threads) == expected, true) << threads << " threads";
    }
}

// Rounds of others come and go while the filter is never fuller than planned.
void expect_no_trace_of_others(std::uint64_t keys, std::uint64_t rounds) {
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, keys, 0.004);
    const auto staying = hashes_from(0, keys - keys / 20);
    owned<erasable_rank_view> filter(spec);
    ASSERT_TRUE(filter.view.fill_empty(staying, 1));
    const auto before = filter.entries();
    for (std::uint64_t round = 0; round < rounds; ++round) {
        auto others = hashes_from(keys * (round + 1), keys / 20);
        for (const key_hash& hash : others) ASSERT_TRUE(filter.view.insert(hash));
        std::shuffle(others.begin(), others.end(), std::mt19937_64(round));
        for (const key_hash& hash : others) ASSERT_TRUE(filter.view.erase(hash));
    }
    EXPECT_EQ(filter.entries() == before, true);
    EXPECT_TRUE(filter.view.check_payload());
}

TEST(RankCanonical, InAnyOrderAndAtOnce) {
    for (const double fpr : {0.01, 0.001}) {
        expect_one_picture<fixed_rank_view>(balanced_rank_form::fixed, 60'000, fpr, 3);
        expect_one_picture<growable_rank_view>(balanced_rank_form::growable, 60'000, fpr, 3);
        expect_one_picture<erasable_rank_view>(balanced_rank_form::erasable, 60'000, fpr, 3);
    }
}
TEST(RankCanonical, OthersLeaveNoTrace) { expect_no_trace_of_others(60'000, 20); }

TEST(LongRankCanonical, AMillionKeysInTenOrders) {
    expect_one_picture<fixed_rank_view>(balanced_rank_form::fixed, 1'000'000, 0.004, 10);
    expect_one_picture<growable_rank_view>(balanced_rank_form::growable, 1'000'000, 0.004, 10);
    expect_one_picture<erasable_rank_view>(balanced_rank_form::erasable, 1'000'000, 0.004, 10);
}
TEST(LongRankCanonical, AMillionOthersLeaveNoTrace) { expect_no_trace_of_others(1'000'000, 20); }

TEST(RankCanonical, WhatDoesNotFitAtOnceLeavesTheFilterEmpty) {
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, 5000, 0.01);
    owned<erasable_rank_view> filter(spec);
    ASSERT_FALSE(filter.view.fill_empty(hashes_from(0, 20'000), 2));
    EXPECT_TRUE(filter.view.is_empty());
    EXPECT_EQ(filter.bytes(), owned<erasable_rank_view>(spec).bytes());
}

}  // namespace
}  // namespace membrane::test
