// The overflow list of balanced_rank is planned so that it is never full by chance: its entries are as many and scatter as
// the model says, and filters that are filled up refuse nothing before they hold so many more keys that the model finds their
// list too small with the chance that it says.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/balanced_rank.hpp>
#include <membrane/model/interval.hpp>

#include "model/rank/list_room.hpp"
#include "rank/owned.hpp"
#include "support/keys.hpp"

namespace membrane::test {
namespace {

struct law {
    double mean, deviation;
};
// Equal entries are kept once in the form that cannot erase: the shape knows.
double entries_of(const filter_spec& spec, std::uint64_t keys) {
    return plan::balanced_rank_shape_of(spec, keys).keys_per_line *
           static_cast<double>(spec[balanced_rank_field::lines]);
}
law listed_by_model(const filter_spec& spec, std::uint64_t keys) {
    const auto numbers = model::balanced_rank_at(plan::balanced_rank_shape_of(spec, keys));
    if (!numbers) throw std::runtime_error(describe(numbers.error()));
    return {entries_of(spec, keys) * numbers->listed,
            std::sqrt(static_cast<double>(second_lines(spec)) * numbers->listed_variance)};
}

// With how many keys the list is too small with this chance.
std::uint64_t keys_of_chance(const filter_spec& spec, std::uint64_t planned, double chance) {
    std::uint64_t keys = planned;
    const auto slots_for = [&](std::uint64_t more) {
        const auto entries = static_cast<std::uint64_t>(entries_of(spec, more));
        return model::balanced_rank_for(plan::balanced_rank_shape_of(spec, more), entries, chance)
            ->list_slots;
    };
    while (slots_for(keys + planned / 200) <= spec[balanced_rank_field::list_slots]) keys += planned / 200;
    return keys;
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
    SCOPED_TRACE(testing::Message() << balanced_rank_form_names[form] << " at " << fpr);
    const filter_spec spec = planned_spec(form, keys, fpr);
    const law expected = listed_by_model(spec, keys);
    constexpr double chance = 1e-5;
    // Filters that grow have less room to spare, and grow.
    const std::uint64_t more = has_universe(form) ? keys : keys_of_chance(spec, keys, chance);
    EXPECT_TRUE(has_universe(form) || more > keys);
    model::running_summary listed;
    for (std::uint64_t i = 0; i < filters; ++i) {
        const hasher hash = numbered_hasher(700 + i);
        owned<View> filter(spec);
        std::uint64_t key = 0;
        for (; key < keys; ++key) ASSERT_TRUE(filter.view.insert(hash(key)));
        listed.add(static_cast<double>(listed_in(filter.view)));
        for (; key < more; ++key) ASSERT_TRUE(filter.view.insert(hash(key))) << "of " << more;
    }
    const double n = static_cast<double>(filters);
    EXPECT_NEAR(listed.mean(), expected.mean, 5 * expected.deviation / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(listed.variance()), expected.deviation,
                5 * expected.deviation / std::sqrt(2 * (n - 1)));
}

// The model counts on the list that there is.
TEST(RankListed, IsTheListOfTheModel) {
    filter_spec spec;
    for (const std::uint64_t slots : {0u, 1u, 2u, 1023u, 1024u, 1025u, 100'000u}) {
        spec[balanced_rank_field::list_slots] = slots;
        EXPECT_EQ(static_cast<double>(slots - list_homes(spec)),
                  std::min(std::floor(static_cast<double>(slots) / 2), model::most_spare_slots));
    }
    EXPECT_EQ(model::most_moved_slots, static_cast<double>(counted_list::most_moved));
}

TEST(RankListed, IsAsManyAsPlannedAndLeavesRoom) {
    for (const double fpr : {0.01, 0.001}) {
        expect_planned_list<fixed_rank_view>(balanced_rank_form::fixed, fpr, 20'000, 120);
        expect_planned_list<growable_rank_view>(balanced_rank_form::growable, fpr, 20'000, 120);
        expect_planned_list<erasable_rank_view>(balanced_rank_form::erasable, fpr, 20'000, 120);
    }
}

// A list with 64 spare slots refused one of 25 such filters.
template <class View>
void expect_room_for_many(std::uint64_t form) {
    constexpr std::uint64_t keys = 10'000'000;
    const filter_spec spec = planned_spec(form, keys, 0.0001);
    std::vector<key_hash> hashes(keys);
    for (std::uint64_t i = 0; i < 25; ++i) {
        const hasher hash = numbered_hasher(900 + i);
        for (std::uint64_t key = 0; key < keys; ++key) hashes[key] = hash(key);
        owned<View> filter(spec);
        ASSERT_TRUE(filter.view.fill_empty(hashes, 2))
            << balanced_rank_form_names[form] << ", hash key " << 900 + i;
    }
}
TEST(LongRankListed, TenMillionKeysFindRoom) {
    expect_room_for_many<fixed_rank_view>(balanced_rank_form::fixed);
    expect_room_for_many<growable_rank_view>(balanced_rank_form::growable);
    expect_room_for_many<erasable_rank_view>(balanced_rank_form::erasable);
}

}  // namespace
}  // namespace membrane::test
