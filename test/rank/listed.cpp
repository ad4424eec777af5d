// The overflow list of balanced_rank is planned so that it is never full by chance: its entries are as many and scatter as
// the model says, the plan's slots are those of seven deviations more and a fifth for the gaps, and a list that is filled up
// refuses nothing before it holds so many.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <membrane/model/balanced_rank.hpp>
#include <membrane/model/interval.hpp>

#include "rank/owned.hpp"
#include "support/keys.hpp"

namespace membrane::test {
namespace {

constexpr double planned_sigmas = 7;
constexpr double room_for_gaps = 1.2;

double number(const filter_spec& spec, std::size_t field) { return static_cast<double>(spec[field]); }

// Equal entries are kept once in the form that cannot erase.
double entries_of(const filter_spec& spec, std::uint64_t form, double keys) {
    const double addresses = std::ldexp(number(spec, rank_field::lines) * number(spec, rank_field::chains),
                                        static_cast<int>(spec[rank_field::fingerprint_bits]));
    return form == rank_form::erasable ? keys : -addresses * std::expm1(-keys / addresses);
}

struct law {
    double mean, deviation;
};
law listed_by_model(const filter_spec& spec, std::uint64_t form, std::uint64_t keys) {
    model::balanced_rank_shape shape;
    shape.form = form == rank_form::erasable ? model::balanced_rank_form::erasable
                                             : model::balanced_rank_form::insert_only;
    shape.first = {spec[rank_field::fingerprint_bits], spec[rank_field::chains], spec[rank_field::cells]};
    shape.second = {spec[rank_field::second_fingerprint_bits], spec[rank_field::second_chains],
                    spec[rank_field::second_cells]};
    const double entries = entries_of(spec, form, static_cast<double>(keys));
    shape.second_share = static_cast<double>(second_lines(spec)) / number(spec, rank_field::lines);
    shape.keys_per_line = entries / number(spec, rank_field::lines);
    const auto numbers = model::balanced_rank_at(shape);
    if (!numbers) throw std::runtime_error(describe(numbers.error()));
    return {entries * numbers->listed,
            std::sqrt(static_cast<double>(second_lines(spec)) * numbers->listed_variance)};
}

template <class View>
std::uint64_t listed_in(const View& view) {
    std::uint64_t words = 0;
    view.for_each_entry([&](rank_place place, const rank_address&, std::uint64_t) {
        words += place == rank_place::list ? 1 : 0;
    });
    return words;
}

template <class View>
void expect_planned_list(std::uint64_t form, double fpr, std::uint64_t keys, std::uint64_t filters) {
    SCOPED_TRACE(testing::Message() << rank_form_names[form] << " at " << fpr);
    const filter_spec spec = planned_spec(form, keys, fpr);
    const law expected = listed_by_model(spec, form, keys);
    const double slots = number(spec, rank_field::list_slots);
    EXPECT_GE(slots, room_for_gaps * (expected.mean + planned_sigmas * expected.deviation));
    model::running_summary listed;
    double least_when_refused = slots;
    for (std::uint64_t i = 0; i < filters; ++i) {
        const hasher hash = numbered_hasher(700 + i);
        owned<View> filter(spec);
        std::uint64_t key = 0;
        for (; key < keys; ++key) ASSERT_TRUE(filter.view.insert(hash(key)));
        listed.add(static_cast<double>(listed_in(filter.view)));
        if (i >= filters / 4) continue;
        while (filter.view.insert(hash(key))) ++key;
        least_when_refused = std::min(least_when_refused, static_cast<double>(listed_in(filter.view)));
    }
    const double n = static_cast<double>(filters);
    EXPECT_NEAR(listed.mean(), expected.mean, 5 * expected.deviation / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(listed.variance()), expected.deviation,
                5 * expected.deviation / std::sqrt(2 * (n - 1)));
    EXPECT_GE(least_when_refused, expected.mean + planned_sigmas * expected.deviation);
}

TEST(RankListed, IsAsManyAsPlannedAndLeavesRoom) {
    for (const double fpr : {0.01, 0.001}) {
        expect_planned_list<insert_only_rank_view>(rank_form::insert_only, fpr, 20'000, 120);
        expect_planned_list<erasable_rank_view>(rank_form::erasable, fpr, 20'000, 120);
    }
}

}  // namespace
}  // namespace membrane::test
