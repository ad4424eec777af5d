// Keys that are erased and inserted again at the planned load, by the machine's fastest code, in batches and one by one: the bytes
// of the views' own code, one by one.
#include <algorithm>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/cache_sizes.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "rank/owned.hpp"
#include "support/filters.hpp"

namespace membrane::test {
namespace {

// Of members, erased ones and strangers, one by one and in a batch.
void expect_same_answers(const any_filter& filter, const erasable_rank_view& expected,
                         std::span<const key_hash> members) {
    const auto strangers = hashes_from(members.size(), 50'000);
    for (const std::span<const key_hash> asked :
         {members.first(std::min<std::size_t>(members.size(), 80'000)),
          std::span<const key_hash>(strangers)}) {
        std::vector<std::uint64_t> answers(bitmap_words(asked.size()));
        filter.may_contain_many(asked, answers);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const bool is_yes = expected.may_contain(asked[i]);
            ASSERT_EQ((answers[i / 64] >> (i % 64) & 1) != 0, is_yes) << i;
            ASSERT_EQ(filter.may_contain(asked[i]), is_yes) << i;
        }
    }
}

void expect_same_bytes(std::uint64_t keys, double fpr) {
    SCOPED_TRACE(testing::Message() << keys << " keys at " << fpr);
    const filter_spec spec = planned_spec(balanced_rank_form::erasable, keys, fpr);
    const auto hashes = hashes_from(0, keys);
    owned<erasable_rank_view> expected(spec);
    ASSERT_TRUE(expected.view.fill_empty(hashes, 1));
    any_filter filter = value_of(any_filter::create(spec, hasher{hash_id::fold, {1, 2}}));
    ASSERT_TRUE(filter.build(hashes, 1));
    const auto is_same = [&] { return std::ranges::equal(filter.payload(), expected.bytes()); };

    const std::span<const key_hash> many(hashes.data(), std::min<std::size_t>(keys / 10, 50'000));
    const std::span<const key_hash> few = many.first(many.size() / 2);
    const auto erase_all = [&] {
        for (const key_hash& hash : many) ASSERT_TRUE(expected.view.erase(hash));
    };
    erase_all();
    ASSERT_EQ(value_of(filter.erase_many(many)), many.size());
    ASSERT_TRUE(is_same()) << "after a batch of erasures";
    for (const key_hash& hash : many) ASSERT_TRUE(expected.view.insert(hash));
    ASSERT_EQ(filter.insert_many(few), few.size());
    for (const key_hash& hash : many.subspan(few.size())) ASSERT_TRUE(filter.insert(hash));
    ASSERT_TRUE(is_same()) << "after insertions, half of them in a batch";
    erase_all();
    for (const key_hash& hash : many) ASSERT_TRUE(value_of(filter.erase(hash)));
    ASSERT_TRUE(is_same()) << "after erasures one by one";
    expect_same_answers(filter, expected.view, hashes);
}

TEST(RankTurnover, LeavesTheBytesOfThePlainCode) {
    // The usual rates, others with fingerprints of 7 and 8 bits, and one without bytes: each has code of its own.
    for (const double fpr : {0.03, 0.01, 0.009, 0.005, 0.004, 0.001, 0.0001}) expect_same_bytes(60'000, fpr);
}
// A table of more than the near caches hold, where the lines behind the first are asked for.
TEST(RankTurnover, OfAFarTableLeavesTheBytesOfThePlainCode) {
    constexpr std::uint64_t keys = 8'000'000;
    ASSERT_GT(planned_spec(balanced_rank_form::erasable, keys, 0.004)[balanced_rank_field::lines] * 64,
              near_cache_bytes);
    expect_same_bytes(keys, 0.004);
}

// Lines of shorter fingerprints have no fast code: they are planned where they cost less, a second read being weighed as four bits.
TEST(RankTurnover, LinesWithoutBytesArePlannedWhereTheyCostLess) {
    constexpr std::uint64_t keys = 1'000'000;
    const auto price = [](const filter_spec& spec) {
        const double lines = static_cast<double>(spec[balanced_rank_field::lines] + second_lines(spec));
        return 512 * lines + 4 * keys * plan::balanced_rank_plan.predicted_costs(spec, keys).negative.average;
    };
    for (const std::uint64_t form :
         {balanced_rank_form::fixed, balanced_rank_form::growable, balanced_rank_form::erasable})
        for (const double fpr : {0.0131, 0.0132, 0.0133, 0.0138, 0.014, 0.0142, 0.0146, 0.015}) {
            const filter_spec spec = planned_spec(form, keys, fpr),
                              stricter = planned_spec(form, keys, 0.013);
            EXPECT_TRUE(spec[balanced_rank_field::fingerprint_bits] >= 7 || price(spec) < price(stricter))
                << fpr << ", form " << form;
        }
}

// The usual rates are planned with layouts that have a class of their own; other layouts are slower.
TEST(RankTurnover, UsualRatesHaveAClassOfTheirOwn) {
    for (const std::uint64_t form :
         {balanced_rank_form::fixed, balanced_rank_form::growable, balanced_rank_form::erasable}) {
        const auto class_at = [&](double fpr) {
            const filter_spec spec = planned_spec(form, 1'000'000, fpr);
            const layout_class first = class_of(first_layout(spec));
            EXPECT_EQ(class_of(second_layout(spec)), has_universe(form) ? layout_class::wide : first)
                << balanced_rank_form_names[form] << " at " << fpr;
            return first;
        };
        EXPECT_EQ(class_at(0.01), layout_class::bits_7) << balanced_rank_form_names[form];
        EXPECT_EQ(class_at(0.004), layout_class::tight_8) << balanced_rank_form_names[form];
        EXPECT_EQ(class_at(0.001), layout_class::wide) << balanced_rank_form_names[form];
        EXPECT_EQ(class_at(0.0001), layout_class::wide) << balanced_rank_form_names[form];
    }
}

}  // namespace
}  // namespace membrane::test
