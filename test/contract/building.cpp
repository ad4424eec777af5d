// All keys at once is one by one: the same bytes, with any number of threads and in pieces of any lengths; or nothing at all.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/filter/filters.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Building : public kind_test {};

// Lengths 1, 2, 3, ... and none now and then.
std::vector<std::span<const key_hash>> unlike_pieces(std::span<const key_hash> hashes, std::size_t step) {
    std::vector<std::span<const key_hash>> pieces{{}};
    for (std::size_t length = 1; !hashes.empty(); length += step) {
        pieces.push_back(hashes.first(std::min(length, hashes.size())));
        hashes = hashes.subspan(pieces.back().size());
        if (length % 3 == 0) pieces.emplace_back();
    }
    return pieces;
}

void expect_as_one_by_one(const filter_spec& spec, std::span<const key_hash> hashes, std::size_t step) {
    any_filter one_by_one = make(spec);
    for (const key_hash hash : hashes) ASSERT_TRUE(one_by_one.insert(hash));
    const auto pieces = unlike_pieces(hashes, step);
    for (const unsigned threads : {1u, 2u}) {
        any_filter at_once = make(spec), from_pieces = make(spec);
        expect_done(at_once.build(hashes, threads));
        expect_done(from_pieces.build(hash_batches(pieces), threads));
        ASSERT_EQ(at_once.keys(), hashes.size());
        ASSERT_EQ(from_pieces.keys(), hashes.size());
        ASSERT_TRUE(payload_of(at_once) == payload_of(one_by_one)) << threads << " threads";
        ASSERT_TRUE(payload_of(from_pieces) == payload_of(one_by_one)) << threads << " threads, in pieces";
    }
}

TEST_P(Building, GivesTheBytesOfOneByOne) {
    for (const named_spec& each : specs(1000)) {
        SCOPED_TRACE(each.name);
        for (const std::size_t size : {0u, 1u, 2u, 63u, 1000u})
            expect_as_one_by_one(each.spec, hashes_of(numbered_hasher(1), 0, size), 1);
    }
}

// Enough for threads and regions of their own; some keys come again.
TEST_P(Building, GivesTheBytesOfOneByOneForAHundredThousandKeys) {
    auto hashes = hashes_of(numbered_hasher(2), 0, 99'000);
    hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 1000);
    for (const bool erasable : {false, true}) {
        plan::requirement wanted{.keys = hashes.size(), .fpr = 0.001, .bits_per_key = {}};
        wanted.needs.erase = erasable;
        if (const auto spec = entry().plan.size(wanted, {})) expect_as_one_by_one(*spec, hashes, 17);
        else EXPECT_TRUE(erasable && !able().erase) << describe(spec.error());
    }
}

TEST_P(Building, OfAFilterThatHoldsKeysIsRefused) {
    for (const named_spec& each : specs(100)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes_of(numbered_hasher(1), 0, 50));
        const auto before = payload_of(filter);
        const auto built = filter.build(hashes_of(numbered_hasher(1), 50, 10), 2);
        ASSERT_FALSE(built);
        EXPECT_EQ(built.error().code, errc::bad_field);
        EXPECT_EQ(built.error().found, 50u);
        EXPECT_EQ(filter.keys(), 50u);
        EXPECT_EQ(payload_of(filter), before);
    }
}

// A file whose header says that there are no keys.
TEST_P(Building, OfAFilterThatHoldsBytesButCountsNoKeysIsRefused) {
    const auto hashes = hashes_of(numbered_hasher(1), 0, 50);
    for (const named_spec& each : specs(100)) {
        SCOPED_TRACE(each.name);
        const any_filter honest = filled(each.spec, hashes);
        file_view says_none = honest.as_file();
        says_none.keys = 0;
        const std::vector<std::byte> file = encode_file(says_none);
        any_filter filter = value_of(any_filter::open_copy(file));
        // As many as are worth another way of filling, where the kind has one, and one.
        for (const std::size_t count : {1u, 1000u}) {
            const auto built = filter.build(hashes_of(numbered_hasher(1), 50, count), 2);
            ASSERT_FALSE(built);
            EXPECT_EQ(built.error().code, errc::bad_field);
            EXPECT_EQ(filter.keys(), 0u);
            EXPECT_EQ(payload_of(filter), payload_of(honest));
        }
        filter.clear();
        expect_done(filter.build(hashes, 2));
        EXPECT_EQ(payload_of(filter), payload_of(honest));
    }
}

// Erased keys leave nothing behind, but for counters that were at their most: then the filter is not empty.
TEST_P(Building, AfterAllKeysWereErasedIsThatOfAFreshFilterOrRefused) {
    const auto hashes = hashes_of(numbered_hasher(4), 0, 100);
    for (const named_spec& each : specs(100)) {
        if (!able(each).erase) continue;
        SCOPED_TRACE(each.name);
        for (const int times : {1, 20}) {
            any_filter filter = make(each.spec);
            std::vector<key_hash> stored;
            for (int time = 0; time < times; ++time)
                for (const key_hash hash : hashes)
                    if (filter.insert(hash)) stored.push_back(hash);
            EXPECT_EQ(value_of(filter.erase_many(stored)), stored.size());
            ASSERT_EQ(filter.keys(), 0u);
            const auto left = payload_of(filter);
            // It may have grown.
            const filter_spec spec = filter.spec();
            const bool is_empty = left == payload_of(make(spec));
            EXPECT_TRUE(is_empty || able(each).largest_count < stored.size());
            const auto built = filter.build(hashes, 1);
            ASSERT_EQ(built.has_value(), is_empty);
            if (is_empty) {
                EXPECT_EQ(payload_of(filter), payload_of(filled(spec, hashes)));
            } else {
                EXPECT_EQ(built.error().code, errc::bad_field);
                EXPECT_EQ(payload_of(filter), left);
                EXPECT_EQ(filter.keys(), 0u);
            }
        }
    }
}

// Forty times what was planned: who cannot take them has taken none.
TEST_P(Building, OfTooManyKeysIsDoneOrRefusedWhole) {
    const auto hashes = hashes_of(numbered_hasher(3), 0, 8'000);
    const plan::requirement wanted{.keys = 200, .fpr = 0.01, .bits_per_key = {}};
    for (const named_spec& each : planned_specs(entry(), wanted)) {
        SCOPED_TRACE(each.name);
        for (const unsigned threads : {1u, 2u}) {
            any_filter filter = make(each.spec);
            if (const auto built = filter.build(hashes, threads)) {
                EXPECT_EQ(filter.keys(), hashes.size());
                EXPECT_EQ(false_negatives(filter, hashes), 0u);
            } else {
                EXPECT_EQ(built.error().code, errc::full);
                EXPECT_EQ(filter.keys(), 0u);
                EXPECT_EQ(payload_of(filter), payload_of(make(each.spec)));
                EXPECT_TRUE(filter.build(std::span(hashes).first(100), threads));
            }
        }
    }
}

MEMBRANE_FOR_EVERY_KIND(Building);

TEST(OwningBuild, IsTheRuntimeHandles) {
    const auto hashes = hashes_of(numbered_hasher(1), 0, 100'000);
    const auto spec = value_of(blocked_bloom_spec_for_bits(hashes.size(), 10));
    any_filter handle = make(spec);
    auto filter = value_of(blocked_bloom_filter::try_create(spec, numbered_hasher(1)));
    expect_done(handle.build(hashes));
    expect_done(filter.build(hashes));
    EXPECT_EQ(filter.keys(), handle.keys());
    EXPECT_EQ(filter.estimated_fpr_now(), handle.estimated_fpr_now());
    EXPECT_EQ(filter.build(hashes).error().code, errc::bad_field);
}

TEST(OwningBuild, IsRefusedWhereCountersOutlastTheirKeys) {
    counting_bloom_filter filter(100, 0.01);
    const key_hash often{1, 2};
    for (int i = 0; i < 20; ++i) filter.insert(often);
    for (int i = 0; i < 20; ++i) filter.erase(often);
    ASSERT_EQ(filter.keys(), 0u);
    ASSERT_TRUE(filter.may_contain(often));
    EXPECT_EQ(filter.build(std::array{often}).error().code, errc::bad_field);
    EXPECT_TRUE(filter.may_contain(often));
    filter.clear();
    expect_done(filter.build(std::array{often}));
}

}  // namespace
}  // namespace membrane::test
