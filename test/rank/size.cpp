// The bits and the reads that balanced_rank is made for, all bits counted, at a million keys.
#include <gtest/gtest.h>

#include <membrane/format/layout.hpp>
#include <membrane/model/interval.hpp>

#include "rank/owned.hpp"

namespace membrane::test {
namespace {

struct goal {
    double fpr, fixed_bits, erasable_bits;
};
// What the kind is planned within, the list included.
constexpr double most_negative_reads = 1.2;

constexpr goal goals[]{
    {0.01, 9.5, 9.85}, {0.004, 10.85, 11.15}, {0.001, 13.05, 13.55}, {0.0001, 16.7, 17.35}};

template <class View>
void expect_small_and_read_once(std::uint64_t form, double fpr, double most_bits, std::uint64_t keys) {
    SCOPED_TRACE(testing::Message() << balanced_rank_form_names[form] << " at " << fpr);
    const filter_spec spec = planned_spec(form, keys, fpr);
    const double bytes =
        static_cast<double>(*View::payload_bytes(spec) + layout::header_bytes(balanced_rank_field::count));
    EXPECT_LE(8 * bytes / static_cast<double>(keys), most_bits);
    const std::uint64_t strangers = 300'000;
    model::running_summary rates, reads;
    for (std::uint64_t i = 0; i < 3; ++i) {
        owned<View> filter(spec);
        const auto hashes = hashes_from(i * keys, keys);
        ASSERT_TRUE(filter.view.fill_empty(hashes, 1));
        for (std::size_t at = 0; at < hashes.size(); at += 7)
            ASSERT_TRUE(filter.view.may_contain(hashes[at]));
        rates.add(negative_rate(filter.view, strangers));
        reads.add(negative_reads(filter.view, strangers / 3));
    }
    const double predicted = plan::balanced_rank_plan.predicted_fpr(spec, keys);
    EXPECT_LE(predicted, fpr);
    const auto accepted =
        model::five_sigma(predicted, strangers, 3, plan::balanced_rank_plan.fpr_stddev_between(spec, keys));
    EXPECT_TRUE(accepted.contains(rates.mean())) << rates.mean() << " for " << predicted;
    EXPECT_LE(reads.mean(), most_negative_reads);
    const double model = plan::balanced_rank_plan.predicted_costs(spec, keys).negative.average;
    // Of a lookup that reads one line more with chance w: the deviation of a mean of as many.
    const double w = model - 1, deviation = std::sqrt(w * (1 - w) / static_cast<double>(strangers));
    EXPECT_NEAR(reads.mean(), model, 5 * deviation) << "model " << model;
}

TEST(RankSize, AMillionKeysTakeTheBitsAndReadsTheyShould) {
    for (const goal& each : goals) {
        expect_small_and_read_once<fixed_rank_view>(balanced_rank_form::fixed, each.fpr, each.fixed_bits,
                                                    1'000'000);
        expect_small_and_read_once<erasable_rank_view>(balanced_rank_form::erasable, each.fpr,
                                                       each.erasable_bits, 1'000'000);
    }
}

}  // namespace
}  // namespace membrane::test
