// Header-only sizing of balanced_rank against the planner, and whether filters of those sizes hold their keys.
#include <membrane/plan/kind_plans.hpp>

#include <cmath>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

#include "plan/header_sizing.hpp"

namespace membrane::plan {
namespace {

double rank_bits(const filter_spec& spec) {
    return static_cast<double>(spec[balanced_rank_field::lines] + second_lines(spec)) * rank_line_bits +
           64 * static_cast<double>(spec[balanced_rank_field::list_slots] + 8);
}

TEST(HeaderRankSizing, FixedIsAsPlanned) {
    expect_as_planned({balanced_rank_plan, {}, rank_bits, 0}, {.is_fixed = true},
                      balanced_rank_fixed_spec_for);
    expect_total(balanced_rank_fixed_spec_for, check_balanced_rank_spec);
}

TEST(HeaderRankSizing, FixedReadsAsMuchAsPlanned) {
    for (const double fpr : sized_rates) {
        const auto planned = balanced_rank_plan.size({.keys = 1'000'000, .fpr = fpr, .is_fixed = true}, {});
        const auto made = balanced_rank_fixed_spec_for(1'000'000, fpr);
        EXPECT_NEAR(balanced_rank_plan.predicted_costs(*made, 1'000'000).negative.average,
                    balanced_rank_plan.predicted_costs(*planned, 1'000'000).negative.average, 0.01)
            << fpr;
    }
}

TEST(HeaderRankSizing, FormsThatGrowAreAsPlanned) {
    const auto form = [](std::uint64_t number) {
        return given_fields_of({{balanced_rank_field::form, number}});
    };
    const auto growable = [](std::uint64_t keys, double fpr) {
        return balanced_rank_growable_spec_for(keys, fpr);
    };
    const auto erasable = [](std::uint64_t keys, double fpr) {
        return balanced_rank_erasable_spec_for(keys, fpr);
    };
    expect_as_planned({balanced_rank_plan, form(balanced_rank_form::growable), rank_bits, 0}, {}, growable);
    expect_as_planned({balanced_rank_plan, form(balanced_rank_form::erasable), rank_bits, 0}, {}, erasable);
    // Small rates for many keys need more numbers than there are.
    for (const auto& made : {growable(1'000'000'000, 1e-12), erasable(std::uint64_t{1} << 48, 1e-3)}) {
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().what, "fpr");
    }
    const auto grown = balanced_rank_growable_spec_for(1000, 0.01, 1'000'000);
    EXPECT_GE((*grown)[balanced_rank_field::universe], 100'000'000u);
    EXPECT_LE(rank_bits(*grown), 1000 * 40);
}

// The list has a chance of 1e-12 to be full with as many keys as were planned: none of these filters refuses one.
TEST(HeaderRankSizing, FixedFiltersHoldTheirKeys) {
    const hasher hash{hash_id::fold, {5, 6}};
    std::uint64_t key = 0;
    for (const std::uint64_t keys : {1u, 10u, 60u, 300u, 1000u, 20'000u})
        for (const double fpr : {0.3, 0.01, 1e-3, 1e-6, 1e-9}) {
            const filter_spec spec = balanced_rank_fixed_spec_for(keys, fpr).value();
            using view_type = std::tuple_element_t<balanced_rank_form::fixed, balanced_rank_family::types>;
            const auto bytes = view_type::payload_bytes(spec);
            for (std::uint64_t round = 0; round < 40'000 / (keys + 200); ++round) {
                auto buffer = aligned_buffer::zeroed(*bytes).value();
                view_type view(spec, buffer.data());
                std::uint64_t refused = 0;
                for (std::uint64_t i = 0; i < keys; ++i) refused += view.insert(hash(++key)) ? 0 : 1;
                ASSERT_EQ(refused, 0u) << keys << " keys at " << fpr;
            }
        }
}

}  // namespace
}  // namespace membrane::plan
