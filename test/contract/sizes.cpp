// Zero, one, huge: a size that cannot be had is refused before anything is allocated, and a spec that is accepted can
// be filled, written and opened.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Sizes : public kind_test {
protected:
    filter_spec planned(std::uint64_t keys, double fpr) const {
        return value_of(entry().plan.size({.keys = keys, .fpr = fpr, .bits_per_key = {}}, {}));
    }
    // From so many on every kind can be had: balanced_rank is the largest (8.5 at a million keys; lists that are never small
    // take their part of fewer).
    static double largest_refused_bits_per_key(std::uint64_t keys) { return keys > 500 ? 9 : 12; }
};

TEST_P(Sizes, FromNothingToManyKeysAreFilledWrittenAndOpened) {
    for (const std::uint64_t keys : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1000u}) {
        for (const double fpr : {0.999, 0.5, 0.01, 1e-5}) {
            const auto spec = entry().plan.size({.keys = keys, .fpr = fpr, .bits_per_key = {}}, {});
            ASSERT_TRUE(spec) << keys << " keys at " << fpr << ": " << describe(spec.error());
            const auto hashes = hashes_of(numbered_hasher(1), 0, keys);
            const any_filter filter = filled(*spec, hashes);
            ASSERT_EQ(false_negatives(filter, hashes), 0u);
            const auto file = file_of(filter);
            ASSERT_EQ(false_negatives(value_of(any_view::open(file)), hashes), 0u);
        }
    }
}

// A kind that cannot be so small is refused and says what it would take.
TEST_P(Sizes, ByBitsPerKeyAreNeverLargerAndAreFilled) {
    for (const std::uint64_t keys : {0u, 1u, 500u, 100'000u}) {
        for (const double bits : {0.001, 1.0, 3.0, 8.0, 8.5, 12.0, 25.0, 100.0}) {
            SCOPED_TRACE(testing::Message() << keys << " keys with " << bits << " bits");
            const plan::requirement wanted{.keys = keys, .fpr = {}, .bits_per_key = bits};
            const auto most =
                static_cast<std::uint64_t>(bits * static_cast<double>(std::max<std::uint64_t>(1, keys)) / 8) +
                plan::size_rounding_bytes;
            const auto spec = entry().plan.size(wanted, {});
            if (!spec) {
                ASSERT_EQ(spec.error().code, errc::too_large) << describe(spec.error());
                ASSERT_GT(*spec.error().found, most);
                ASSERT_LT(bits, largest_refused_bits_per_key(keys));
                continue;
            }
            ASSERT_LE(entry().rules.payload_bytes(*spec).value(), most);
            if (keys > 500) continue;
            const auto hashes = hashes_of(numbered_hasher(1), 0, keys);
            ASSERT_EQ(false_negatives(filled(*spec, hashes), hashes), 0u);
        }
    }
}

TEST_P(Sizes, ByBitsPerKeyThatARefusalNamedAreEnough) {
    for (const std::uint64_t keys : {1000u, 100'000u}) {
        const auto refused = entry().plan.size({.keys = keys, .fpr = {}, .bits_per_key = 0.5}, {});
        if (refused) continue;
        const double bits = 8 * static_cast<double>(*refused.error().found) / static_cast<double>(keys);
        EXPECT_TRUE(entry().plan.size({.keys = keys, .fpr = {}, .bits_per_key = bits}, {})) << bits;
    }
}

TEST_P(Sizes, KeepThePlannedRateByTheModel) {
    for (const std::uint64_t keys : {1u, 10u, 1000u, 100000u})
        for (const double fpr : {0.3, 0.01, 1e-4})
            ASSERT_LE(entry().plan.predicted_fpr(planned(keys, fpr), keys), fpr * (1 + 1e-9))
                << keys << " keys at " << fpr;
}

TEST_P(Sizes, ForRatesThatAreNoneAreRefused) {
    for (const double fpr : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
        const auto spec = entry().plan.size({.keys = 10, .fpr = fpr, .bits_per_key = {}}, {});
        ASSERT_FALSE(spec) << fpr;
        EXPECT_EQ(spec.error().code, errc::bad_field);
        EXPECT_EQ(spec.error().what, "fpr");
    }
    for (const double bits :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const auto spec = entry().plan.size({.keys = 10, .fpr = {}, .bits_per_key = bits}, {});
        ASSERT_FALSE(spec) << bits;
        EXPECT_EQ(spec.error().what, "bits_per_key");
    }
}

TEST_P(Sizes, ForMoreKeysThanAnyMachineHoldsAreRefused) {
    for (const std::uint64_t keys : {UINT64_MAX, std::uint64_t{1} << 62}) {
        const auto spec = entry().plan.size({.keys = keys, .fpr = 0.01, .bits_per_key = {}}, {});
        if (!spec) continue;
        const auto filter = any_filter::create(*spec, numbered_hasher(1));
        ASSERT_FALSE(filter);
        EXPECT_TRUE(filter.error().code == errc::out_of_memory || filter.error().code == errc::size_overflow);
    }
}

TEST_P(Sizes, AboveTheLimitAreRefusedBeforeAllocation) {
    for (const named_spec& each : specs(100)) {
        SCOPED_TRACE(each.name);
        const std::uint64_t needed = make(each.spec).size_bytes();
        ASSERT_EQ(entry().rules.payload_bytes(each.spec), needed);
        ASSERT_TRUE(any_filter::create(each.spec, numbered_hasher(1), needed));
        const auto refused = any_filter::create(each.spec, numbered_hasher(1), needed - 1);
        ASSERT_FALSE(refused);
        ASSERT_EQ(refused.error().code, errc::too_large);
        ASSERT_EQ(refused.error().found, needed);
        const any_filter filter = make(each.spec);
        ASSERT_EQ(any_filter::copy_of(filter, needed - 1).error().code, errc::too_large);
        ASSERT_EQ(any_filter::open_copy(file_of(filter), needed - 1).error().code, errc::too_large);
        ASSERT_TRUE(any_filter::open_copy(file_of(filter), needed));
    }
}

TEST_P(Sizes, OfEachFieldOutsideItsRuleAreRefusedByName) {
    const filter_spec good = planned(100, 0.01);
    for (std::size_t field = 0; field < entry().rules.fields.size(); ++field) {
        const field_rule& rule = entry().rules.fields[field];
        for (const std::uint64_t value : {rule.least - 1, rule.most + 1, UINT64_MAX}) {
            if (value >= rule.least && value <= rule.most) continue;
            filter_spec bad = good;
            bad[field] = value;
            const auto refused = any_filter::create(bad, numbered_hasher(1));
            ASSERT_FALSE(refused) << rule.name << " = " << value;
            EXPECT_EQ(refused.error().code, errc::bad_field);
            EXPECT_EQ(refused.error().what, rule.name);
            EXPECT_EQ(refused.error().found, value);
        }
    }
    filter_spec extra = good;
    extra[max_spec_fields - 1] = 1;
    EXPECT_FALSE(any_filter::create(extra, numbered_hasher(1)));
}

TEST_P(Sizes, AtTheTopOfEveryFieldNeitherWrapNorCrash) {
    for (const named_spec& each : specs(100)) {
        for (std::size_t field = 0; field < entry().rules.fields.size(); ++field) {
            filter_spec large = each.spec;
            large[field] = entry().rules.fields[field].most;
            if (!entry().rules.check_spec(large)) continue;
            SCOPED_TRACE(each.name + ", " + std::string(entry().rules.fields[field].name));
            const auto bytes = entry().rules.payload_bytes(large);
            if (bytes && *bytes <= 1 << 20) continue;
            const auto refused = any_filter::create(large, numbered_hasher(1), 1 << 20);
            ASSERT_FALSE(refused);
            ASSERT_EQ(refused.error().code, bytes ? errc::too_large : errc::size_overflow);
        }
    }
}

TEST_P(Sizes, WithAPlannedRateThatNoFileMayCarryAreRefused) {
    filter_spec spec = planned(100, 0.01);
    for (const double rate : {-1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        spec.planned_fpr = rate;
        const auto made = any_filter::create(spec, numbered_hasher(1));
        ASSERT_FALSE(made) << "it could be saved and never opened again";
        EXPECT_EQ(made.error().what, "planned_fpr");
    }
}

MEMBRANE_FOR_EVERY_KIND(Sizes);

TEST(UnknownKind, IsRefused) {
    filter_spec spec;
    spec.kind = static_cast<kind_id>(999);
    const auto made = any_filter::create(spec, numbered_hasher(1));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errc::unknown_kind);
}

}  // namespace
}  // namespace membrane::test
