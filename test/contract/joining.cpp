// Merging and intersecting filters that are alike.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t joining_keys = 200;
constexpr std::uint64_t roomy =
    4 * joining_keys;  // keys that are in both count twice where equal keys are kept apart

class Joining : public kind_test {
protected:
    const std::vector<key_hash> left = hashes_of(numbered_hasher(1), 0, joining_keys);
    const std::vector<key_hash> right =
        hashes_of(numbered_hasher(1), joining_keys / 2, joining_keys);  // half of them are in both
    const std::vector<key_hash> strangers = hashes_of(numbered_hasher(1), 1 << 20, 2000);
};

TEST_P(Joining, MergedHasEveryKeyOfBoth) {
    if (!able().merge) return;
    for (const named_spec& each : specs(roomy)) {
        SCOPED_TRACE(each.name);
        any_filter merged = filled(each.spec, left);
        const any_filter other = filled(each.spec, right);
        const auto before = payload_of(other);
        expect_done(merged.merge(other));
        ASSERT_EQ(false_negatives(merged, left) + false_negatives(merged, right), 0u);
        ASSERT_EQ(merged.keys(), 2 * joining_keys);
        ASSERT_EQ(payload_of(other), before);
    }
}

TEST_P(Joining, MergedAnswersStrangersAsIfAllKeysWereInsertedHere) {
    if (!able().merge || able().depends_on_order) return;
    for (const named_spec& each : specs(2 * joining_keys)) {
        SCOPED_TRACE(each.name);
        any_filter merged = filled(each.spec, left);
        expect_done(merged.merge(filled(each.spec, right)));
        any_filter direct = filled(each.spec, left);
        direct.insert_many(right);
        ASSERT_EQ(answers_of(merged, strangers), answers_of(direct, strangers));
    }
}

TEST_P(Joining, MergedFromAnOpenedFileIsTheSame) {
    if (!able().merge) return;
    for (const named_spec& each : specs(roomy)) {
        SCOPED_TRACE(each.name);
        const auto file = file_of(filled(each.spec, right));
        any_filter from_file = filled(each.spec, left), from_memory = filled(each.spec, left);
        expect_done(from_file.merge(value_of(any_view::open(file))));
        expect_done(from_memory.merge(filled(each.spec, right)));
        ASSERT_EQ(file_of(from_file), file_of(from_memory));
    }
}

TEST_P(Joining, MergeWithAnEmptyFilterChangesNothing) {
    if (!able().merge) return;
    for (const named_spec& each : specs(joining_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, left);
        const auto before = file_of(filter);
        expect_done(filter.merge(make(each.spec)));
        ASSERT_EQ(file_of(filter), before);
        any_filter empty = make(each.spec);
        expect_done(empty.merge(filter));
        ASSERT_EQ(payload_of(empty), payload_of(filter));
    }
}

TEST_P(Joining, MergedEstimatesAreNotBelowTheTruth) {
    if (!able().merge || !able().count) return;
    for (const named_spec& each : specs(roomy)) {
        if (!able(each).count) continue;
        SCOPED_TRACE(each.name);
        any_filter merged = filled(each.spec, left);
        expect_done(merged.merge(filled(each.spec, right)));
        for (const key_hash& hash : left) {
            const bool is_in_both = std::find(right.begin(), right.end(), hash) != right.end();
            ASSERT_GE(value_of(merged.estimate(hash)), is_in_both ? 2u : 1u);
        }
    }
}

TEST_P(Joining, KeysMergedInCanBeErasedAgain) {
    if (!able().merge || !able().erase) return;
    for (const named_spec& each : specs(roomy)) {
        if (!able(each).erase) continue;
        SCOPED_TRACE(each.name);
        any_filter merged = filled(each.spec, left);
        expect_done(merged.merge(filled(each.spec, right)));
        for (const key_hash& hash : right) ASSERT_TRUE(value_of(merged.erase(hash)));
        ASSERT_EQ(merged.keys(), joining_keys);
        ASSERT_EQ(false_negatives(merged, left), 0u);
    }
}

TEST_P(Joining, IntersectedHasEveryKeyThatWasInBoth) {
    if (!able().intersect) return;
    const std::vector<key_hash> common(left.begin() + joining_keys / 2, left.end());
    for (const named_spec& each : specs(joining_keys)) {
        SCOPED_TRACE(each.name);
        any_filter met = filled(each.spec, left);
        const any_filter other = filled(each.spec, right), before = filled(each.spec, left);
        expect_done(met.intersect(other));
        ASSERT_EQ(false_negatives(met, common), 0u);
        for (const key_hash& hash : strangers) {
            if (met.may_contain(hash)) {
                ASSERT_TRUE(before.may_contain(hash) && other.may_contain(hash)) << "a new false positive";
            }
        }
    }
}

TEST_P(Joining, IntersectedKeepsItsKeysWhenOthersAreErased) {
    if (!able().intersect || !able().erase) return;
    const std::vector<key_hash> common(left.begin() + joining_keys / 2, left.end());
    for (const named_spec& each : specs(joining_keys)) {
        SCOPED_TRACE(each.name);
        any_filter met = filled(each.spec, left);
        expect_done(met.intersect(filled(each.spec, right)));
        for (std::size_t i = 0; i < common.size() / 2; ++i) ASSERT_TRUE(value_of(met.erase(common[i])));
        ASSERT_EQ(false_negatives(met, std::span(common).subspan(common.size() / 2)), 0u);
    }
}

// A kind that visits entries would meet those that it has just added.
TEST_P(Joining, WithItselfIsJoiningAnEqualFilter) {
    for (const named_spec& each : specs(4 * joining_keys)) {
        if (!able(each).merge) continue;
        SCOPED_TRACE(each.name);
        any_filter with_itself = filled(each.spec, left), with_equal = filled(each.spec, left);
        const any_filter equal = filled(each.spec, left);
        const auto merged = with_itself.merge(with_itself);
        ASSERT_EQ(merged.has_value(), with_equal.merge(equal).has_value());
        EXPECT_EQ(payload_of(with_itself), payload_of(with_equal));
        EXPECT_EQ(with_itself.keys(), with_equal.keys());
        EXPECT_EQ(false_negatives(with_itself, left), 0u);
    }
}

MEMBRANE_FOR_EVERY_KIND(Joining);

}  // namespace
}  // namespace membrane::test
