// Sizing of choice_bloom: the model's best groups at given bits, and where they lie.
#include <cstdint>

#include <gtest/gtest.h>

#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/runtime/planner.hpp>

#include "support/filters.hpp"
#include "support/given.hpp"

namespace membrane::test {
namespace {

using plan::given_fields;
using plan::requirement;

const kind_entry& kind() { return *find_entry(kind_id::choice_bloom); }

// No other number of groups and of places does better.
void expect_best_groups(const requirement& wanted, const given_fields& given, std::uint64_t most_k) {
    const auto chosen = value_of(kind().plan.size(wanted, given));
    for (std::uint64_t choices = 2; choices <= max_choices; ++choices)
        for (std::uint64_t k = 3; k <= most_k; ++k) {
            const given_fields other =
                giving(giving(given, choice_field::choices, choices), choice_field::k, k);
            ASSERT_GE(value_of(kind().plan.size(wanted, other)).planned_fpr, chosen.planned_fpr * (1 - 1e-3))
                << choices << " choices, k " << k << " instead of " << chosen[choice_field::choices] << ", "
                << chosen[choice_field::k];
        }
}

TEST(ChoicePlan, AtGivenBitsTakesTheChoicesAndPlacesOfTheLeastRate) {
    for (const bool is_static : {false, true})
        for (const double bits_per_key : {8.0, 16.0, 32.0})
            for (const std::uint64_t probed :
                 {std::uint64_t{probes::independent}, std::uint64_t{choice_probes::blocked}}) {
                const given_fields given = giving(kind_id::choice_bloom, choice_field::probes, probed);
                const bool is_blocked = probed == choice_probes::blocked;
                expect_best_groups({.keys = 100'000, .bits_per_key = bits_per_key, .is_static = is_static},
                                   given, is_blocked ? 22 : 32);
            }
}

TEST(ChoicePlan, MakesRoundsForSetsThatNeverChange) {
    const requirement wanted{.keys = 100'000, .bits_per_key = 10, .is_static = true};
    EXPECT_GT(value_of(kind().plan.size(wanted, {}))[choice_field::rounds], 1u);
    requirement growing = wanted;
    growing.is_static = false;
    EXPECT_EQ(value_of(kind().plan.size(growing, {}))[choice_field::rounds], 1u);
}

// The ranking's own measure decides between the two forms: the less rate for more lines, or one line.
TEST(ChoicePlan, PutsAStaticSetIntoBlocksWhereTheRankingPrefersThem) {
    for (const requirement& wanted : {requirement{.keys = 100'000, .fpr = 0.01, .is_static = true},
                                      requirement{.keys = 100'000, .bits_per_key = 12, .is_static = true}}) {
        const auto ranked = value_of(rank_kinds(wanted));
        ASSERT_NE(ranked.chosen(), nullptr);
        EXPECT_EQ(ranked.chosen()->kind, "choice_bloom");
        const auto& chosen = *ranked.chosen();
        EXPECT_TRUE(is_blocked_choice(chosen.filter->spec));
        EXPECT_EQ(chosen.filter->reads.negative.average, 1);
        const given_fields anywhere = giving(kind_id::choice_bloom, choice_field::probes, probes::two_hash);
        EXPECT_LT(chosen.score, value_of(rank_kind(kind(), anywhere, wanted)).chosen()->score);
    }
}

TEST(ChoicePlan, KeepsABoundOnReadsByOneBlock) {
    const auto sized = value_of(kind().plan.size(
        {.keys = 100'000, .fpr = 0.001, .bits_per_key = {}, .max_bytes = {}, .average_reads = 1.2}, {}));
    EXPECT_TRUE(is_blocked_choice(sized));
    EXPECT_LE(kind().plan.predicted_fpr(sized, 100'000), 0.001);
    const auto unbounded = value_of(kind().plan.size({.keys = 100'000, .fpr = 0.001}, {}));
    EXPECT_FALSE(is_blocked_choice(unbounded));
}

}  // namespace
}  // namespace membrane::test
