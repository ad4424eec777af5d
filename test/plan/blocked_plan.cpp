// Which lanes the planner takes for blocked_bloom, and what it says to fields that do not go together.
#include <membrane/plan/kind_plans.hpp>

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/spec.hpp>

namespace membrane::plan {
namespace {

using field_value = std::pair<std::size_t, std::uint64_t>;

given_fields given_of(std::initializer_list<field_value> values) {
    given_fields given;
    for (const auto& [field, value] : values) {
        given.spec[field] = value;
        given.is_given.set(field);
    }
    return given;
}
result<filter_spec> planned(double fpr, std::initializer_list<field_value> values = {}) {
    return blocked_bloom_plan.size({.keys = 1'000'000, .fpr = fpr}, given_of(values));
}
double bits_of(const filter_spec& spec) {
    return static_cast<double>(spec[blocked_field::blocks] * spec[blocked_field::block_bits]);
}

TEST(BlockedPlan, LanesTakeAtMostATwentiethMoreThanBitsAnywhere) {
    for (const double fpr : {0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.004, 0.001, 3e-4, 1e-4, 1e-5, 1e-6}) {
        const filter_spec made = planned(fpr).value();
        const filter_spec anywhere = planned(fpr, {{blocked_field::lanes, block_lanes::none}}).value();
        EXPECT_LE(bits_of(made), 1.05 * bits_of(anywhere)) << fpr;
        EXPECT_LE(blocked_bloom_plan.predicted_fpr(made, 1'000'000), fpr);
        // The same trade for a given size.
        const requirement by_bits{.keys = 1'000'000, .bits_per_key = bits_of(made) / 1e6};
        const filter_spec sized = blocked_bloom_plan.size(by_bits, {}).value();
        EXPECT_EQ(sized[blocked_field::lanes], made[blocked_field::lanes]) << fpr;
    }
    EXPECT_EQ(planned(0.01).value()[blocked_field::lanes], block_lanes::of_64_bits);
    EXPECT_EQ(planned(0.5).value()[blocked_field::lanes], block_lanes::none);
}

TEST(BlockedPlan, RefusesWhatDoesNotGoTogetherByName) {
    for (const std::uint64_t lanes : {3u, 6u, 28u, 31u, 64u}) {
        const auto made = planned(0.01, {{blocked_field::lanes, lanes}});
        ASSERT_FALSE(made) << lanes;
        EXPECT_EQ(made.error().what, "lanes") << lanes;
    }
    EXPECT_EQ(planned(0.01, {{blocked_field::lanes, UINT64_MAX}}).error().what, "lanes");
    EXPECT_EQ(
        planned(0.01, {{blocked_field::lanes, block_lanes::of_64_bits}, {blocked_field::k, 5}}).error().what,
        "k");
    EXPECT_EQ(planned(0.01, {{blocked_field::block_bits, 300}}).error().what, "block_bits");
    EXPECT_EQ(planned(0.01, {{blocked_field::k, 5}}).value()[blocked_field::lanes], block_lanes::none);
}

TEST(BlockedPlan, KeepsTheRateOfAFilterThatIsFolded) {
    for (const std::uint64_t lanes : {block_lanes::none, block_lanes::of_64_bits}) {
        const filter_spec made =
            planned(0.01, {{blocked_field::lanes, lanes}, {blocked_field::fold_log2, 2}}).value();
        EXPECT_LE(blocked_bloom_plan.predicted_fpr(made, 1'000'000), 0.01);
        EXPECT_EQ(blocked_blocks(made),
                  planned(0.01, {{blocked_field::lanes, lanes}}).value()[blocked_field::blocks]);
    }
}

TEST(BlockedPlan, HasSpecsForProgramsWithoutIt) {
    for (const double bits : {4.0, 8.0, 12.0, 24.0}) {
        const filter_spec lanes = blocked_bloom_spec_for_bits(100'000, bits).value();
        const filter_spec anywhere = blocked_bloom_anywhere_spec_for_bits(100'000, bits).value();
        EXPECT_TRUE(check_blocked_bloom_spec(lanes));
        EXPECT_TRUE(check_blocked_bloom_spec(anywhere));
        const requirement same{.keys = 100'000, .bits_per_key = bits};
        const auto best =
            blocked_bloom_plan.size(same, given_of({{blocked_field::lanes, block_lanes::none}}));
        EXPECT_NEAR(static_cast<double>(anywhere[blocked_field::k]),
                    static_cast<double>((*best)[blocked_field::k]), 1)
            << bits;
    }
    EXPECT_FALSE(blocked_bloom_anywhere_spec_for_bits(10, 0));
}

}  // namespace
}  // namespace membrane::plan
