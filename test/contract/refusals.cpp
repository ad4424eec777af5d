// A refused call changes no byte and says which field, counter or size was the reason.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t refusal_keys = 200;

class Refusals : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, refusal_keys);
    const std::vector<key_hash> strangers = hashes_of(numbered_hasher(1), 1 << 20, 3000);
};

void expect_refused(const result<void>& done, errc code, std::string_view what) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, code) << describe(done.error());
    EXPECT_EQ(done.error().what, what) << describe(done.error());
}

TEST_P(Refusals, OfWhatTheKindCannotDo) {
    for (const named_spec& each :
         planned_specs(entry(), {.keys = refusal_keys, .fpr = 0.01, .bits_per_key = {}})) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        const any_filter other = filled(each.spec, hashes);
        const auto before = file_of(filter);
        const kind_ops& ops = entry().ops_for(each.spec);
        if (!able(each).erase) {
            EXPECT_EQ(filter.erase(hashes[0]).error().code, errc::not_supported);
        }
        if (!able(each).count) {
            EXPECT_EQ(filter.estimate(hashes[0]).error().code, errc::not_supported);
        }
        if (!able().merge) expect_refused(filter.merge(other), errc::not_supported, "merge");
        if (!able().intersect) expect_refused(filter.intersect(other), errc::not_supported, "intersect");
        if (!able().fold) expect_refused(filter.fold(1), errc::not_supported, "fold");
        if (!able().fold && !able().grow) {
            EXPECT_EQ(filter.lower_rate(0.1).error().code, errc::not_supported);
        }
        if (ops.sketches == nullptr) expect_refused(filter.add(hashes[0], 1), errc::not_supported, "add");
        if (ops.sketches == nullptr) {
            EXPECT_TRUE(filter.top().empty());
        }
        ASSERT_EQ(file_of(filter), before);
    }
}

TEST_P(Refusals, OfErasingWhatIsAbsent) {
    if (!able().erase) return;
    for (const named_spec& each : specs(refusal_keys)) {
        if (!able(each).erase) continue;
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        const auto before = file_of(filter);
        for (const key_hash& hash : strangers) {
            if (filter.may_contain(hash)) continue;
            ASSERT_FALSE(value_of(filter.erase(hash)));
        }
        ASSERT_EQ(file_of(filter), before);
    }
}

TEST_P(Refusals, OfMergingUnlikeFiltersNameTheFirstFieldThatDiffers) {
    if (!able().merge) return;
    std::set<std::string> named;
    for (const named_spec& each : specs(refusal_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        const auto before = file_of(filter);
        for (std::size_t field = 0; field < entry().rules.fields.size(); ++field) {
            for (const std::uint64_t other_value :
                 {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{32},
                  std::uint64_t{64}, std::uint64_t{256}, std::uint64_t{512}, std::uint64_t{1021},
                  std::uint64_t{4096}, each.spec[field] + 64}) {
                filter_spec unlike = each.spec;
                unlike[field] = other_value;
                if (other_value == each.spec[field] || !entry().rules.check_spec(unlike)) continue;
                if (entry().rules.payload_bytes(unlike).value_or(UINT64_MAX) > 1 << 20) continue;
                // Filters that grow are joined whatever their layout; test/runtime/growth.cpp has what they refuse.
                if (able(each).grow) continue;
                const std::string_view name = entry().rules.fields[field].name;
                const any_filter other = make(unlike);
                expect_refused(filter.merge(other), errc::spec_mismatch, name);
                if (able().intersect) expect_refused(filter.intersect(other), errc::spec_mismatch, name);
                named.emplace(name);
            }
        }
        ASSERT_EQ(file_of(filter), before);
    }
    for (const field_rule& rule : entry().rules.fields)
        EXPECT_TRUE(named.contains(std::string(rule.name)) ||
                    (able().grow && (rule.name == "form" || rule.name == "universe")))
            << rule.name;
}

TEST_P(Refusals, OfMergingFiltersWithOtherHashesOrOfOtherKinds) {
    if (!able().merge) return;
    std::vector<any_filter> of_other_kinds;
    for (const kind_entry& other : registry())
        if (&other != &entry())
            of_other_kinds.push_back(make(contract_specs(other, refusal_keys).front().spec));
    for (const named_spec& each :
         planned_specs(entry(), {.keys = refusal_keys, .fpr = 0.01, .bits_per_key = {}})) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        const auto before = file_of(filter);
        hasher other_key = filter.hash();
        other_key.key.high ^= 1;
        expect_refused(filter.merge(make(each.spec, other_key)), errc::spec_mismatch, "hash key");
        expect_refused(filter.merge(make(each.spec, {hash_id::xxh3, filter.hash().key})), errc::spec_mismatch,
                       "hash");
        for (const any_filter& other : of_other_kinds)
            expect_refused(filter.merge(other), errc::spec_mismatch, "kind");
        ASSERT_EQ(file_of(filter), before);
    }
}

TEST_P(Refusals, OfCountsThatACounterCannotHold) {
    for (const named_spec& each : specs(refusal_keys)) {
        if (entry().ops_for(each.spec).sketches == nullptr) continue;
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        const std::uint64_t most = filter.largest_estimate();
        expect_done(filter.add(hashes[0], most - 1));
        const auto almost = file_of(filter);
        expect_refused(filter.add(hashes[0], 2), errc::counter_overflow, "weight");
        expect_refused(filter.add(hashes[0], UINT64_MAX), errc::counter_overflow, "weight");
        ASSERT_EQ(file_of(filter), almost);
        ASSERT_TRUE(filter.insert(hashes[0]));
        const auto full = file_of(filter);
        ASSERT_FALSE(filter.insert(hashes[0]));
        ASSERT_EQ(filter.insert_many(std::span(hashes).first(1)), 0u);
        ASSERT_EQ(file_of(filter), full);
        ASSERT_EQ(value_of(filter.estimate(hashes[0])), most);

        any_filter one = make(each.spec);
        ASSERT_TRUE(one.insert(hashes[0]));
        const auto before_merge = file_of(one);
        if (able().merge) {
            expect_refused(filter.merge(one), errc::counter_overflow, "counter");
            expect_refused(one.merge(filter), errc::counter_overflow, "counter");
        }
        ASSERT_EQ(file_of(filter), full);
        ASSERT_EQ(file_of(one), before_merge);
    }
}

TEST_P(Refusals, OfCountsLeaveTheTotalBelowItsMaximum) {
    for (const named_spec& each : specs(refusal_keys)) {
        if (entry().ops_for(each.spec).sketches == nullptr ||
            make(each.spec).largest_estimate() != UINT64_MAX)
            continue;
        SCOPED_TRACE(each.name);
        any_filter filter = make(each.spec);
        expect_done(filter.add(hashes[0], UINT64_MAX));
        static_cast<void>(filter.insert(hashes[1]));  // refused where its cell is full
        filter.insert_many(hashes);
        ASSERT_EQ(filter.keys(), UINT64_MAX) << "the total wrapped";
    }
}

MEMBRANE_FOR_EVERY_KIND(Refusals);

}  // namespace
}  // namespace membrane::test
