// Halving a filter that turned out too large, without its keys.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t folding_keys = 300;

class Folding : public kind_test {
protected:
    const std::vector<key_hash> hashes = hashes_of(numbered_hasher(1), 0, folding_keys);
    const std::vector<key_hash> strangers = hashes_of(numbered_hasher(1), 1 << 20, 1000);
};

TEST_P(Folding, LosesNoKeyHoweverOften) {
    if (!able().fold) return;
    for (const named_spec& each : specs(folding_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        std::uint64_t size = filter.size_bytes();
        while (filter.fold(1)) {
            ASSERT_EQ(false_negatives(filter, hashes), 0u);
            ASSERT_EQ(filter.keys(), folding_keys);
            ASSERT_LT(filter.size_bytes(), size);
            size = filter.size_bytes();
            ASSERT_EQ(answers_of(value_of(any_view::open(file_of(filter))), strangers),
                      answers_of(filter, strangers));
        }
    }
}

TEST_P(Folding, IsTheFilterThatInsertionIntoTheFoldedOneMakes) {
    if (!able().fold) return;
    for (const named_spec& each : specs(folding_keys)) {
        SCOPED_TRACE(each.name);
        for (const std::uint64_t times : {0u, 1u, 2u, 3u}) {
            any_filter filter = filled(each.spec, hashes), in_steps = filled(each.spec, hashes);
            if (!filter.fold(times)) continue;
            for (std::uint64_t i = 0; i < times; ++i) expect_done(in_steps.fold(1));
            ASSERT_EQ(file_of(filled(filter.spec(), hashes)), file_of(filter)) << times << " times";
            ASSERT_EQ(file_of(in_steps), file_of(filter)) << times << " times";
            filter.insert_many(strangers);
            ASSERT_EQ(false_negatives(filter, hashes) + false_negatives(filter, strangers), 0u);
        }
    }
}

TEST_P(Folding, LeavesKeysThatCanBeErased) {
    if (!able().fold || !able().erase) return;
    for (const named_spec& each : specs(2 * folding_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        filter.insert_many(strangers);
        if (!filter.fold(1)) continue;
        for (const key_hash& hash : strangers) ASSERT_TRUE(value_of(filter.erase(hash)));
        ASSERT_EQ(false_negatives(filter, hashes), 0u);
    }
}

TEST_P(Folding, TooFarIsRefusedAndChangesNothing) {
    if (!able().fold) return;
    for (const named_spec& each : specs(folding_keys)) {
        SCOPED_TRACE(each.name);
        any_filter filter = filled(each.spec, hashes);
        const auto before = file_of(filter);
        for (const std::uint64_t times : {std::uint64_t{40}, std::uint64_t{48}, std::uint64_t{49},
                                          std::uint64_t{64}, std::uint64_t{65}, UINT64_MAX}) {
            const auto folded = filter.fold(times);
            ASSERT_FALSE(folded) << times;
            ASSERT_EQ(folded.error().code, errc::bad_field);
            ASSERT_EQ(folded.error().what, "fold_log2");
            ASSERT_EQ(file_of(filter), before);
        }
    }
}

TEST_P(Folding, ShrinksToTheRateThatIsAskedForAndNoFurther) {
    if (!able().fold) return;
    for (const named_spec& each : specs(20 * folding_keys)) {
        SCOPED_TRACE(each.name);
        for (const double rate : {0.9, 0.1, 0.001}) {
            any_filter filter = filled(each.spec, hashes);
            const std::uint64_t times = value_of(filter.lower_rate(rate));
            ASSERT_EQ(false_negatives(filter, hashes), 0u);
            if (times != 0) {
                ASSERT_LE(entry().plan.predicted_fpr(filter.spec(), folding_keys), rate);
            }
            any_filter further = value_of(any_filter::copy_of(filter));
            if (further.fold(1)) {
                ASSERT_GT(entry().plan.predicted_fpr(further.spec(), folding_keys), rate) << times;
            }
            ASSERT_EQ(value_of(filter.lower_rate(rate)), 0u) << "shrinking again finds more room";
        }
    }
}

TEST_P(Folding, RefusesToShrinkToARateThatIsNone) {
    if (!able().fold) return;
    any_filter filter = filled(specs(folding_keys).front().spec, hashes);
    const auto before = file_of(filter);
    for (const double rate : {0.0, -1.0, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
        const auto shrunk = filter.lower_rate(rate);
        ASSERT_FALSE(shrunk) << rate;
        ASSERT_EQ(shrunk.error().code, errc::bad_field);
        ASSERT_EQ(file_of(filter), before);
    }
}

MEMBRANE_FOR_EVERY_KIND(Folding);

}  // namespace
}  // namespace membrane::test
