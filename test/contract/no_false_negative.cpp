// The one promise of the library: a key that was inserted and not erased may be contained, whatever happened since.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t inserted_keys = 300;

class NoFalseNegative : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, inserted_keys);
    const std::vector<key_hash> others = hashes_of(numbered_hasher(1), 1000, inserted_keys);
};

TEST_P(NoFalseNegative, HasManySpecsToShow) {
    const auto all = specs(inserted_keys);
    EXPECT_GE(all.size(), 10u);
    std::vector<bool> met(entry().variants.size());
    for (const named_spec& each : all) met[entry().variant_of(each.spec)] = true;
    for (std::size_t variant = 0; variant < met.size(); ++variant)
        EXPECT_TRUE(met[variant]) << "variant " << variant;
}

TEST_P(NoFalseNegative, AfterEachInsertion) {
    for (const named_spec& each : specs(inserted_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            ASSERT_TRUE(filter.insert(hashes[i]));
            ASSERT_TRUE(filter.may_contain(hashes[i]));
            ASSERT_EQ(filter.keys(), i + 1);
        }
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
    }
}

TEST_P(NoFalseNegative, AfterInsertingTextBytesAndIntegersByEveryHash) {
    const auto planned = planned_specs(entry(), {.keys = inserted_keys, .fpr = 0.01, .bits_per_key = {}});
    for (const hash_name& name : hash_names) {
        for (const named_spec& each : planned) {
            SCOPED_TRACE(each.name);
            any_filter filter = make(each.spec, numbered_hasher(2, name.id));
            const std::string nul_and_more("\0\r\n\xff", 4), long_text(1 << 20, 'x');
            ASSERT_TRUE(filter.insert(""));
            ASSERT_TRUE(filter.insert(nul_and_more));
            ASSERT_TRUE(filter.insert(long_text));
            ASSERT_TRUE(filter.insert(-1));
            ASSERT_TRUE(filter.insert(std::uint64_t{1} << 63));
            ASSERT_TRUE(filter.may_contain("") && filter.may_contain(nul_and_more) &&
                        filter.may_contain(long_text));
            ASSERT_TRUE(filter.may_contain(std::int64_t{-1}) && filter.may_contain(std::uint64_t{1} << 63));
        }
    }
}

TEST_P(NoFalseNegative, AfterInsertionOfWhatWasAbsent) {
    for (const named_spec& each : specs(inserted_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        std::uint64_t inserted = 0;
        for (const key_hash& hash : hashes) {
            const bool was_there = filter.may_contain(hash);
            const bool is_stored = value_of(filter.try_insert_if_absent(hash));
            ASSERT_EQ(is_stored, !was_there);
            inserted += is_stored ? 1 : 0;
            ASSERT_FALSE(value_of(filter.try_insert_if_absent(hash)));
        }
        ASSERT_EQ(filter.keys(), inserted);
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
    }
}

TEST_P(NoFalseNegative, AfterClearingAndFillingAgain) {
    for (const named_spec& each : specs(inserted_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        filter.clear();
        ASSERT_EQ(filter.keys(), 0u);
        ASSERT_EQ(false_negatives(filter, hashes), hashes.size());
        ASSERT_EQ(payload_of(filter), payload_of(make(each.spec)));
        filter.insert_many(others);
        ASSERT_EQ(false_negatives(filter, others), 0u);
    }
}

TEST_P(NoFalseNegative, AfterCopyingAndMoving) {
    for (const named_spec& each : specs(2 * inserted_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        any_filter copy = value_of(any_filter::copy_of(filter));
        const auto before = payload_of(filter);
        copy.insert_many(others);
        ASSERT_EQ(payload_of(filter), before) << "the copy shares memory";
        any_filter moved = std::move(filter);
        any_filter assigned = make(each.spec);
        assigned = std::move(copy);
        ASSERT_EQ(moved.keys(), inserted_keys);
        ASSERT_EQ(assigned.keys(), 2 * inserted_keys);
        ASSERT_EQ(false_negatives(moved, hashes), 0u);
        ASSERT_EQ(false_negatives(assigned, hashes) + false_negatives(assigned, others), 0u);
        ASSERT_TRUE(moved.insert(others[0]) && moved.may_contain(others[0]));
    }
}

TEST_P(NoFalseNegative, AfterErasingOthers) {
    if (!able().erase) return;  // and says so: refusals.cpp
    for (const named_spec& each : specs(2 * inserted_keys)) {
        if (!able(each).erase) continue;
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        filter.insert_many(others);
        for (const key_hash& hash : others) {
            ASSERT_TRUE(value_of(filter.erase(hash)));
            ASSERT_TRUE(filter.may_contain(hashes[hash.low % inserted_keys]));
        }
        ASSERT_EQ(filter.keys(), inserted_keys);
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
    }
}

TEST_P(NoFalseNegative, AfterInsertingFarMoreThanPlanned) {
    const auto many = hashes_of(numbered_hasher(1), 0, 40 * inserted_keys);
    for (const named_spec& each : specs(inserted_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        const std::size_t stored = filter.insert_many(many);
        ASSERT_EQ(filter.keys(), stored);
        ASSERT_EQ(false_negatives(filter, std::span(many).first(stored)), 0u);
        if (!able(each).can_be_full) {
            ASSERT_EQ(stored, many.size());
        }
        ASSERT_GE(stored, inserted_keys) << "it was planned for so many";
        ASSERT_EQ(filter.is_over_capacity(), stored > inserted_keys);
    }
}

MEMBRANE_FOR_EVERY_KIND(NoFalseNegative);

}  // namespace
}  // namespace membrane::test
