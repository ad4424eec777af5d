// The ranking over the whole registry: who fits, in which order, and whether the reasons are the numbers' own.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <membrane/filter/filter.hpp>
#include <membrane/runtime/planner.hpp>

#include "support/filters.hpp"

namespace membrane::test {
namespace {

plan::ranking ranked(const plan::requirement& wanted) { return value_of(rank_kinds(wanted)); }

const plan::candidate& named(const plan::ranking& all, std::string_view kind) {
    for (const plan::candidate& each : all.candidates)
        if (each.kind == kind) return each;
    throw std::runtime_error("no candidate " + std::string(kind));
}

TEST(Ranking, ListsEveryKindOnceWithAReason) {
    for (const plan::requirement& wanted :
         {plan::requirement{.keys = 1000, .fpr = 0.01}, plan::requirement{.keys = 1000, .bits_per_key = 12},
          plan::requirement{.fpr = 0.001, .max_bytes = 100'000},
          plan::requirement{.keys = 1000, .fpr = 0.01, .needs = {.erase = true}}}) {
        const auto all = ranked(wanted);
        EXPECT_EQ(all.candidates.size(), registry().size());
        for (const kind_entry& entry : registry()) EXPECT_FALSE(named(all, entry.rules.name).why.empty());
        ASSERT_NE(all.chosen(), nullptr);
        for (std::size_t i = 1; i < all.candidates.size(); ++i) {
            EXPECT_GE(all.candidates[i - 1].fits, all.candidates[i].fits) << "those that fit come first";
            if (!all.candidates[i].fits) continue;
            EXPECT_LE(all.candidates[i - 1].score, all.candidates[i].score);
        }
    }
}

TEST(Ranking, LeavesOutWhatCannotDoWhatIsNeeded) {
    for (const ability& each : abilities) {
        plan::requirement wanted{.keys = 5000, .fpr = 0.01};
        wanted.needs.*each.can = true;
        for (const plan::candidate& one : ranked(wanted).candidates) {
            ASSERT_TRUE(one.filter);
            EXPECT_EQ(one.fits, one.filter->can.*each.can) << one.kind << ", " << each.name;
            if (one.fits) continue;
            EXPECT_EQ(one.why, "excluded: cannot " + std::string(each.name));
        }
    }
}

TEST(Ranking, WeighsALineAsATenthOfTheSpace) {
    const auto all = ranked({.keys = 1'000'000, .fpr = 0.01});
    const auto& bloom = named(all, "bloom");
    const auto& blocked = named(all, "blocked_bloom");
    const double expected = bloom.filter->bits_per_key / blocked.filter->bits_per_key *
                            (1 + 0.1 * (bloom.filter->reads.negative.average - 1));
    EXPECT_NEAR(bloom.score / blocked.score, expected, 1e-3);
    EXPECT_LT(blocked.score, bloom.score) << "5 % more bits for one line less";
    const auto rare = ranked({.keys = 1'000'000, .fpr = 1e-6});
    EXPECT_LT(named(rare, "bloom").score, named(rare, "blocked_bloom").score)
        << "37 % more bits for one line less";
}

TEST(Ranking, DoesNotRewardARateBelowTheOneAskedFor) {
    // At ten keys one block is far better than asked, and larger than one word.
    const auto all = ranked({.keys = 10, .fpr = 0.01});
    EXPECT_LT(named(all, "blocked_bloom").filter->fpr, 1e-3);
    EXPECT_LT(named(all, "bloom").score, named(all, "blocked_bloom").score);
}

TEST(Ranking, SaysThatAStaticSetFitsElsewhere) {
    const auto all = ranked({.keys = 1'000'000, .fpr = 1.0 / 256, .is_static = true});
    ASSERT_TRUE(all.smaller_outside);
    EXPECT_NEAR(all.smaller_outside->bits_per_key, 9, 1e-9) << "1.125 times 8 bits";
    EXPECT_NEAR(all.smaller_outside->fpr, 1.0 / 256, 1e-12);
    EXPECT_NE(all.smaller_outside->why.find("not ours"), std::string::npos);
    EXPECT_FALSE(ranked({.keys = 1'000'000, .fpr = 1.0 / 256}).smaller_outside);
    EXPECT_FALSE(ranked({.keys = 1'000'000, .fpr = 1.0 / 256, .needs = {.erase = true}, .is_static = true})
                     .smaller_outside)
        << "nothing can be erased from it";
}

TEST(Ranking, SaysWhatToChangeWhenNothingFits) {
    const auto small = ranked({.keys = 1'000'000, .fpr = 0.01, .max_bytes = 500'000});
    EXPECT_EQ(small.chosen(), nullptr);
    EXPECT_NE(small.advice.find("allow "), std::string::npos) << small.advice;
    EXPECT_NE(small.advice.find("accept a rate of"), std::string::npos) << small.advice;
    const auto growing = ranked({.keys = 1000, .needs = {.fold = true, .grow = true}});
    EXPECT_EQ(growing.chosen(), nullptr);
    EXPECT_EQ(growing.advice, "none of our kinds can fold and grow");
}

TEST(Ranking, RanksOnlyWhatGrowsIfItIsToGrow) {
    const auto all = ranked({.keys = 1'000'000, .fpr = 0.01, .grow_to = 1'000'000'000});
    ASSERT_NE(all.chosen(), nullptr);
    for (const plan::candidate& each : all.candidates) {
        ASSERT_TRUE(each.filter);
        EXPECT_EQ(each.fits, each.filter->can.grow) << each.kind;
        EXPECT_EQ(each.filter->grown.has_value(), each.fits) << each.kind;
    }
    const plan::sized_filter& chosen = *all.chosen()->filter;
    EXPECT_EQ(chosen.grown->keys, 1'000'000'000u);
    EXPECT_LE(chosen.grown->fpr, 0.01);
    EXPECT_LT(chosen.fpr, 1.01e-5);
    EXPECT_LT(chosen.grown->bits_per_key, 10);
    EXPECT_GT(chosen.bits_per_key, 20);
}

TEST(Ranking, RefusesToGrowToFewerKeysThanThereAre) {
    const auto refused = rank_kinds({.keys = 1000, .grow_to = 999});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what, "grow_to");
}

TEST(Ranking, NamesTheLeastThatIsPossible) {
    EXPECT_NEAR(ranked({.keys = 1000, .fpr = 0.125}).least_bits_per_key, 3, 1e-12);
    for (const plan::candidate& each : ranked({.keys = 1'000'000, .fpr = 0.01}).candidates) {
        EXPECT_TRUE(!each.fits || each.filter->bits_per_key > 6.64) << each.kind;
    }
}

TEST(Ranking, IsTheChoiceOfABuildWithoutAKind) {
    const plan::requirement wanted{.keys = 20'000, .fpr = 0.001};
    const auto all = ranked(wanted);
    const auto chosen = value_of(choose(nullptr, {}, wanted));
    EXPECT_EQ(chosen.spec, all.chosen()->filter->spec);
    EXPECT_EQ(chosen.why, all.chosen()->why);
    EXPECT_EQ(value_of(choose(find_entry("bloom"), {}, wanted)).why, "");
    EXPECT_EQ(value_of(choose(nullptr, {}, {})).spec.kind, registry().front().rules.id);
    const auto too_much = value_of(choose(nullptr, {}, {.keys = 20'000, .fpr = 0.001, .max_bytes = 300}));
    EXPECT_EQ(too_much.spec, chosen.spec) << "the caller refuses the memory";
}

TEST(Ranking, IsNotAskedIfNobodyNamesAKind) {
    for (const std::uint64_t keys : {0u, 1u, 10u, 1000u, 3000u, 100'000u})
        for (const bool erasable : {false, true}) {
            plan::requirement wanted{.keys = keys, .fpr = 0.01};
            wanted.needs.erase = erasable;
            const kind_entry* const kind = kind_if_none_named(wanted);
            ASSERT_NE(kind, nullptr);
            const filter_spec spec = value_of(choose(kind, {}, wanted)).spec;
            EXPECT_TRUE(capabilities_of(spec).grow && capabilities_of(spec).erase == erasable) << keys;
            EXPECT_EQ(spec, filter(keys, 0.01, {.erasable = erasable}).spec()) << keys;
        }
    plan::requirement needs_intersection{.keys = 10};
    needs_intersection.needs.intersect = true;
    for (const plan::requirement& wanted :
         {plan::requirement{.keys = 10, .bits_per_key = 12},
          plan::requirement{.keys = 10, .average_reads = 1}, plan::requirement{.keys = 10, .worst_reads = 1},
          plan::requirement{.keys = 10, .is_static = true}, plan::requirement{.keys = 10, .is_fixed = true},
          needs_intersection})
        EXPECT_EQ(kind_if_none_named(wanted), nullptr);
}

}  // namespace
}  // namespace membrane::test
