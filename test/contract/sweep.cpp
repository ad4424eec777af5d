// Every number of keys from nothing upward: no false negative at any of them.
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Sweep : public kind_test {
protected:
    // One filter per combination of enumerated fields; after each key all keys so far are asked for.
    void expect_none_denied_after_each_key(std::uint64_t most) const {
        const auto hashes = hashes_of(numbered_hasher(1), 0, most);
        std::vector<std::uint64_t> answers(bitmap_words(hashes.size()));
        // Twice as many keys and more as planned; a kind that can be full is planned for all of them.
        const std::uint64_t planned = able().can_be_full ? most : 1000;
        for (const named_spec& each :
             planned_specs(entry(), {.keys = planned, .fpr = 0.01, .bits_per_key = {}})) {
            SCOPED_TRACE(each.name);
            any_filter filter = make(each.spec);
            for (std::uint64_t n = 0; n <= most; ++n) {
                const auto inserted = std::span(hashes).first(n);
                ASSERT_EQ(filter.may_contain_many(inserted, answers), n) << n << " keys";
                ASSERT_EQ(filter.keys(), n);
                ASSERT_TRUE(n == most || filter.insert(hashes[n])) << n << " keys";
            }
        }
    }

    // A filter sized for each number of keys, filled at once, written and opened.
    void expect_none_denied_when_sized_for(std::uint64_t most) const {
        const auto hashes = hashes_of(numbered_hasher(2), 0, most);
        for (std::uint64_t n = 0; n <= most; ++n) {
            const auto spec = entry().plan.size({.keys = n, .fpr = {}, .bits_per_key = 10}, {});
            ASSERT_TRUE(spec) << n << " keys: " << describe(spec.error());
            const auto inserted = std::span(hashes).first(n);
            const any_filter filter = filled(*spec, inserted);
            ASSERT_EQ(false_negatives(filter, inserted), 0u) << n << " keys";
            const auto file = file_of(filter);
            ASSERT_EQ(false_negatives(value_of(any_view::open(file)), inserted), 0u)
                << n << " keys, from the file";
        }
    }
};

TEST_P(Sweep, NoKeyIsDeniedAfterEachOf2000Keys) { expect_none_denied_after_each_key(2000); }
TEST_P(Sweep, NoKeyIsDeniedInFiltersSizedFor0To2000Keys) { expect_none_denied_when_sized_for(2000); }
MEMBRANE_FOR_EVERY_KIND(Sweep);

class LongSweep : public Sweep {};

TEST_P(LongSweep, NoKeyIsDeniedAfterEachOf20000Keys) { expect_none_denied_after_each_key(20000); }
TEST_P(LongSweep, NoKeyIsDeniedInFiltersSizedFor0To20000Keys) { expect_none_denied_when_sized_for(20000); }
MEMBRANE_FOR_EVERY_KIND(LongSweep);

}  // namespace
}  // namespace membrane::test
