// Kinds that count: never below the truth, however often a key comes; counters that are full stay full.
#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/rank/spec.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t counting_keys = 200;

class Counts : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, counting_keys);
};

// Entries of 2^56 occurrences each, and room for many of one key.
filter_spec wide_counters() {
    filter_spec spec = initial_spec(kind_id::rank, rank_fields);
    spec[rank_field::mode] = rank_mode::counting;
    spec[rank_field::buckets] = 1;
    spec[rank_field::chains] = 4;
    spec[rank_field::fingerprint_bits] = 8;
    spec[rank_field::cells] = 1024;
    spec[rank_field::value_bits] = 56;
    return spec;
}

TEST_P(Counts, AreNeverBelowTheTruth) {
    if (!able().count) return;
    for (const named_spec& each : specs(counting_keys)) {
        if (!able(each).count) continue;
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        std::vector<std::uint64_t> truth(counting_keys);
        random_numbers random(7);
        std::uint64_t stored = 0;
        for (int i = 0; i < 4000; ++i) {
            const std::uint64_t key =
                random.below(random.below(counting_keys) + 1);  // small numbers come more often
            const bool is_stored = filter.insert(hashes[key]);
            ASSERT_TRUE(is_stored || able(each).can_be_full);
            truth[key] += is_stored ? 1 : 0;
            stored += is_stored ? 1 : 0;
        }
        ASSERT_GE(stored, counting_keys) << "it was planned for so many";
        for (std::uint64_t key = 0; key < counting_keys; ++key)
            ASSERT_GE(value_of(filter.estimate(hashes[key])),
                      std::min(truth[key], filter.largest_estimate()));
        ASSERT_EQ(filter.keys(), stored);
    }
}

TEST_P(Counts, WithWeightsAreThoseOfRepeatedInsertion) {
    for (const named_spec& each : specs(counting_keys)) {
        if (entry().ops_for(each.spec).sketches == nullptr) continue;
        SCOPED_TRACE(each.name);
        any_filter weighed = make(each.spec), repeated = make(each.spec);
        for (std::uint64_t key = 0; key < counting_keys; ++key) {
            expect_done(weighed.add(hashes[key], key % 7));
            for (std::uint64_t i = 0; i < key % 7; ++i) ASSERT_TRUE(repeated.insert(hashes[key]));
        }
        ASSERT_EQ(file_of(weighed), file_of(repeated));
    }
}

TEST_P(Counts, NeverWrapWhenAKeyComesAHundredTimes) {
    for (const named_spec& each : specs(counting_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        std::uint64_t stored = 0;  // a kind may have no room for so many
        while (stored < 100 && filter.insert(hashes[0])) ++stored;
        ASSERT_TRUE(stored == 100 || able(each).can_be_full);
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
        if (able(each).count) {
            ASSERT_GE(value_of(filter.estimate(hashes[0])),
                      std::min<std::uint64_t>(1 + stored, filter.largest_estimate()));
        }
        if (!able(each).erase) continue;
        for (; stored != 0; --stored) ASSERT_TRUE(value_of(filter.erase(hashes[0])));
        ASSERT_EQ(filter.keys(), counting_keys);
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
    }
}

// A merge with itself doubles all counts: after 64 of them no number of 64 bits has room for the truth. Where counts are not kept
// one by one, the memory must not grow with them either.
TEST_P(Counts, NeverWrapWhenMergedWithThemselvesSeventyTimes) {
    if (!able().merge || !able().count) return;
    const auto few = hashes_of(numbered_hasher(1), 0, 3);
    std::vector<named_spec> all = planned_specs(entry(), {.keys = 10, .fpr = 0.01});
    if (entry().rules.id == kind_id::rank) all.push_back({"wide counters", wide_counters(), &entry()});
    for (const named_spec& each : all) {
        const auto size = entry().rules.payload_bytes(each.spec);
        if (!able(each).merge || !able(each).count) continue;
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, few);
        std::uint64_t truth = 1;
        for (int i = 0; i < 70; ++i) {
            const auto before = file_of(filter);
            if (filter.merge(filter)) truth = saturating_sum(truth, truth);
            else ASSERT_EQ(file_of(filter), before) << "a refused merge changes nothing";
            for (const key_hash& hash : few)
                ASSERT_GE(value_of(filter.estimate(hash)), std::min(truth, filter.largest_estimate()))
                    << "after " << i + 1 << " merges";
            ASSERT_GE(filter.keys(), truth);
        }
        EXPECT_LT(filter.size_bytes(), *size + (1 << 20));
        ASSERT_TRUE(filter.estimated_size() > 0);
        ASSERT_TRUE(filter.estimated_fpr_now() >= 0 && filter.estimated_fpr_now() <= 1);
        expect_done(filter.check_payload());
        if (!able(each).erase || truth < UINT64_MAX) continue;
        for (int i = 0; i < 100; ++i) ASSERT_TRUE(value_of(filter.erase(few[0])));
        ASSERT_EQ(false_negatives(filter, few), 0u) << "there is no end of what came so often";
    }
}

// So often that the key's own words would fill any list: the filter must neither refuse the key nor grow for ever.
TEST(CountsOfAStream, OneKeyThreeMillionTimes) {
    plan::given_fields given;
    const kind_entry& kind = *find_entry(kind_id::balanced_rank);
    given.spec.kind = kind_id::balanced_rank;
    const auto spec =
        kind.plan.size({.keys = 10, .fpr = 1e-10, .grow_to = 1'000'000, .needs = {.erase = true}}, given);
    any_filter filter = make(value_of(spec));
    const std::vector<key_hash> same(1'000'000, filter.hash()(7));
    ASSERT_TRUE(filter.insert(1));
    for (int million = 0; million < 3; ++million) ASSERT_EQ(filter.insert_many(same), same.size());
    EXPECT_GE(value_of(filter.estimate(7)), 3 * same.size());
    EXPECT_LT(filter.size_bytes(), std::uint64_t{1} << 20);
    ASSERT_TRUE(filter.insert(2));
    for (int million = 0; million < 3; ++million) ASSERT_EQ(value_of(filter.erase_many(same)), same.size());
    EXPECT_TRUE(filter.may_contain(7)) << "from some count on it is there for ever";
    EXPECT_TRUE(filter.may_contain(1));
    EXPECT_TRUE(filter.may_contain(2));
    EXPECT_EQ(filter.keys(), 2u);
    expect_done(filter.settle());
    EXPECT_TRUE(any_view::open(file_of(filter)));
}

TEST_P(Counts, NeverWrapWhenFullFiltersAreMergedAndFolded) {
    if (!able().erase || !able().merge || !able().fold) return;
    for (const named_spec& each : specs(counting_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        for (int i = 0; i < 9; ++i) filter.insert_many(hashes);
        expect_done(filter.merge(value_of(any_filter::copy_of(filter))));
        if (!filter.fold(1)) continue;
        // Eighteen times in, seventeen times out again.
        for (int i = 0; i < 17; ++i)
            for (const key_hash& hash : hashes) ASSERT_TRUE(value_of(filter.erase(hash)));
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
        ASSERT_EQ(filter.keys(), counting_keys);
    }
}

TEST_P(Counts, ErasedWhollyLeaveAnEmptyFilter) {
    if (!able().erase) return;
    // Few keys: no counter reaches its maximum, so that every erasure takes back what the insertion did.
    const auto few = hashes_of(numbered_hasher(1), 0, 3);
    for (const named_spec& each : specs(counting_keys)) {
        if (!able(each).erase) continue;
        any_filter filter = filled(each.spec, few);
        std::uint64_t largest = 0;
        for (const key_hash& hash : few) largest = std::max(largest, value_of(filter.estimate(hash)));
        if (largest > 3) continue;  // a minimal array: several probes of a key meet in one counter
        SCOPED_TRACE(each.name);
        for (const key_hash& hash : few) ASSERT_TRUE(value_of(filter.erase(hash)));
        ASSERT_EQ(file_of(filter), file_of(make(each.spec)));
    }
}

MEMBRANE_FOR_EVERY_KIND(Counts);

}  // namespace
}  // namespace membrane::test
