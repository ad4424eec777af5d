// Keys that are erased and inserted again at the planned load, by the machine's fastest code, in batches and one by one: the bytes
// of the views' own code, one by one.
#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include <membrane/runtime/any_filter.hpp>

#include "rank/owned.hpp"
#include "support/filters.hpp"

namespace membrane::test {
namespace {

void expect_same_bytes(std::uint64_t keys, double fpr) {
    SCOPED_TRACE(testing::Message() << keys << " keys at " << fpr);
    const filter_spec spec = planned_spec(rank_form::erasable, keys, fpr);
    const auto hashes = hashes_from(0, keys);
    owned<erasable_rank_view> expected(spec);
    ASSERT_TRUE(expected.view.fill_empty(hashes, 1));
    any_filter filter = value_of(any_filter::create(spec, hasher(hash_id::mix, {1, 2})));
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
}

TEST(RankTurnover, LeavesTheBytesOfThePlainCode) {
    for (const double fpr : {0.03, 0.01, 0.004, 0.001, 0.0001}) expect_same_bytes(60'000, fpr);
}
// A table of more than the near caches hold, where the lines behind the first are asked for.
TEST(RankTurnover, OfAFarTableLeavesTheBytesOfThePlainCode) { expect_same_bytes(4'000'000, 0.004); }

// The code for the usual rates is for second tables as they are planned; others have slower code.
TEST(RankTurnover, UsualRatesHaveCodeOfTheirOwn) {
    for (const std::uint64_t form : {rank_form::insert_only, rank_form::erasable})
        for (const double fpr : {0.01, 0.004, 0.001, 0.0001}) {
            const filter_spec spec = planned_spec(form, 1'000'000, fpr);
            const auto bits = static_cast<unsigned>(spec[rank_field::fingerprint_bits]);
            EXPECT_EQ(spec[rank_field::second_fingerprint_bits],
                      form == rank_form::erasable ? erasable_rank_view::second_bits(bits)
                                                  : insert_only_rank_view::second_bits(bits))
                << rank_form_names[form] << " at " << fpr;
            if (bits == 8) {
                EXPECT_TRUE(first_shape(spec).is_tight()) << rank_form_names[form];
            }
        }
}

}  // namespace
}  // namespace membrane::test
