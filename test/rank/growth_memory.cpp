// The memory of a growth in place: how much it holds, and what happens where it is refused half way.
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/hash/hasher.hpp>
#include <membrane/kind/balanced_rank/growth.hpp>

#include "support/filters.hpp"

namespace membrane::test {
namespace {

// Beside the new layout: the old second table and list. Step by step, since it can be asked there; a growth at once holds the same. The
// allocator is not counted: large blocks of the C library are enlarged by remapping pages.
template <class View>
void expect_little_memory(std::uint64_t form, double fpr, double factor) {
    constexpr std::uint64_t keys = 100'000;
    const std::uint64_t universe = universe_of_at_least(static_cast<double>(keys) / fpr);
    auto filter = value_of(rank_growth<View>::create(number_layout(form, universe, keys),
                                                     {.factor = factor, .lines_per_insertion = 8}));
    const std::uint64_t before = filter.held_bytes();
    constexpr hasher hash{hash_id::fold, {1, 2}};
    std::uint64_t key = 0;
    while (!filter.is_growing()) {
        ASSERT_NE(filter.insert(hash(key)), insertion::refused);
        ASSERT_LE(++key, 2 * keys);
    }
    const auto laid_out = static_cast<double>(filter.buffer().size_bytes());
    EXPECT_GT(laid_out, static_cast<double>(before));
    EXPECT_GT(static_cast<double>(filter.held_bytes()), laid_out);
    EXPECT_LE(static_cast<double>(filter.held_bytes()), 1.35 * laid_out);
    filter.finish();
    EXPECT_EQ(static_cast<double>(filter.held_bytes()), laid_out);
}

TEST(GrowthMemory, InPlaceIsAtMostAThirdMoreThanTheNewLayout) {
    for (const double fpr : {0.01, 0.0001})
        for (const double factor : {1.1, 1.5, 2.0}) {
            SCOPED_TRACE(testing::Message() << fpr << " by " << factor);
            expect_little_memory<growable_rank_view>(balanced_rank_form::growable, fpr, factor);
            expect_little_memory<erasable_rank_view>(balanced_rank_form::erasable, fpr, factor);
        }
}

// Keys chosen by their numbers: many equal ones in neighbouring lines drive all others of these lines into the list, until the list of a
// layout only a little larger has no room for what the old one held.
struct chosen_keys {
    std::uint64_t planned, universe;
    double factor;
    std::uint64_t numbers, times, spacing;
};
class hostile_multiset {
public:
    using filter_type = rank_growth<erasable_rank_view>;

    explicit hostile_multiset(const chosen_keys& chosen)
        : universe_(chosen.universe),
          filter(value_of(
              filter_type::create(number_layout(balanced_rank_form::erasable, universe_, chosen.planned),
                                  {.factor = chosen.factor}))) {
        std::mt19937_64 random(1);
        for (std::uint64_t i = 0; i < chosen.planned * 9 / 10; ++i) insert(random() % universe_);
        // One growth is allowed, and no second.
        const filter_spec next = filter_type::larger(filter.spec(), chosen.factor);
        filter.policy().max_bytes = *erasable_rank_view::payload_bytes(next);
        const std::uint64_t distance = universe_ / next[balanced_rank_field::lines] / chosen.spacing;
        for (std::uint64_t i = 0; i < chosen.numbers * chosen.times && !is_refused; ++i)
            insert((universe_ / 3 + i % chosen.numbers * distance) % universe_);
        for (std::uint64_t i = 0; i < 20'000 && !is_refused; ++i) insert(random() % universe_);
    }
    bool has_exact_counts() const {
        for (const auto& [number, times] : truth_)
            if (filter.estimate(hash_of(number)) != times) return false;
        return true;
    }
    void insert(std::uint64_t number) {
        is_refused = filter.insert(hash_of(number)) == insertion::refused;
        if (!is_refused) ++truth_[number];
    }

private:
    // floor(low U / 2^64) = number, for U a power of two.
    key_hash hash_of(std::uint64_t number) const { return {number << (64 - std::countr_zero(universe_)), 0}; }

    std::uint64_t universe_;
    std::map<std::uint64_t, std::uint64_t> truth_;

public:
    filter_type filter;
    bool is_refused = false;
};

TEST(GrowthMemory, RefusedHalfWayLosesNothing) {
    unsigned half_way = 0;
    for (const chosen_keys& chosen : {chosen_keys{33566, std::uint64_t{1} << 27, 1.08, 132, 143, 4},
                                      chosen_keys{32162, std::uint64_t{1} << 27, 1.05, 101, 126, 1},
                                      chosen_keys{33493, std::uint64_t{1} << 29, 1.05, 68, 72, 1},
                                      chosen_keys{32060, std::uint64_t{1} << 26, 1.05, 177, 155, 2}}) {
        hostile_multiset tested(chosen);
        ASSERT_TRUE(tested.is_refused);
        ASSERT_TRUE(tested.has_exact_counts());
        if (!tested.filter.is_growing()) continue;
        ++half_way;
        // Allowed, while what the growth needs may not be.
        const std::uint64_t keys = tested.filter.spec().planned_keys + 50;
        tested.filter.policy().max_bytes = *erasable_rank_view::payload_bytes(tested.filter.layout_of(keys));
        (void)tested.filter.reserve(keys);
        EXPECT_TRUE(tested.has_exact_counts());
        tested.filter.policy().max_bytes = UINT64_MAX;
        tested.insert(1);
        EXPECT_FALSE(tested.is_refused);
        EXPECT_TRUE(tested.filter.settle());
        EXPECT_TRUE(tested.has_exact_counts());
    }
    EXPECT_GT(half_way, 0u);
}

// The search for a layout asks for block sizes, which is how it is counted.
unsigned searches = 0;
std::uint64_t counted_block_bytes(std::uint64_t bytes) {
    ++searches;
    return bytes;
}

// A full filter refuses by the thousand. It searches again when what it is allowed changes, and erasures make room without a search.
TEST(GrowthMemory, AFullFilterSearchesForALayoutOnce) {
    constexpr hasher hash{hash_id::fold, {1, 2}};
    for (const double lines_per_insertion : {0.0, 4.0}) {
        const filter_spec layout =
            number_layout(balanced_rank_form::erasable, universe_of_at_least(1e8), 20'000);
        const std::uint64_t bytes = *erasable_rank_view::payload_bytes(layout);
        auto filter = value_of(
            rank_growth<erasable_rank_view>::create(layout, {.max_bytes = bytes,
                                                             .lines_per_insertion = lines_per_insertion,
                                                             .block_bytes = counted_block_bytes}));
        searches = 0;
        std::uint64_t keys = 0;
        while (filter.insert(hash(keys)) != insertion::refused) ASSERT_LE(++keys, 40'000u);
        EXPECT_EQ(searches, 1u);
        // Keys whose lines have room are still taken.
        std::vector<std::uint64_t> stored(keys);
        std::iota(stored.begin(), stored.end(), std::uint64_t{0});
        std::uint64_t refused = 1;
        for (std::uint64_t key = keys + 1; key < keys + 5000; ++key) {
            if (filter.insert(hash(key)) == insertion::refused) ++refused;
            else stored.push_back(key);
        }
        EXPECT_GT(refused, 100u);
        EXPECT_EQ(searches, 1u);

        for (std::uint64_t key = 0; key < 2000; ++key) ASSERT_TRUE(filter.erase(hash(key)));
        for (std::uint64_t key = 0; key < 1000; ++key)
            ASSERT_NE(filter.insert(hash(key)), insertion::refused) << key;
        EXPECT_EQ(searches, 1u);
        stored.erase(stored.begin() + 1000, stored.begin() + 2000);

        // A little more is searched for once, and not enough; then it grows.
        const auto insert_more = [&](std::uint64_t from) {
            std::uint64_t taken = 0;
            for (std::uint64_t key = from; key < from + 10'000; ++key) {
                if (filter.insert(hash(key)) == insertion::refused) continue;
                stored.push_back(key);
                ++taken;
            }
            return taken;
        };
        filter.policy().max_bytes = bytes + 1;
        EXPECT_LT(insert_more(100'000), 10'000u);
        EXPECT_EQ(searches, 2u);
        filter.policy().max_bytes = 4 * bytes;
        EXPECT_EQ(insert_more(200'000), 10'000u);
        EXPECT_GE(searches, 3u);
        for (const std::uint64_t key : stored) ASSERT_TRUE(filter.may_contain(hash(key)));
    }
}

}  // namespace
}  // namespace membrane::test
