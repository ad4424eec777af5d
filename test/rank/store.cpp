// The kind rank beside exact multisets, in shapes so small that buckets extend, extensions run out and are given back.
#include <membrane/kind/rank/view.hpp>

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "rank/owned.hpp"
#include "rank/rank_specs.hpp"

namespace membrane::test {
namespace {

const model::rank_shape store_shapes[]{
    {1, 1, 1, 1, 0, 0, 0, 0, 2},      {1, 3, 5, 2, 1, 1, 1, 1, 1},    {7, 16, 3, 4, 3, 5, 4, 2, 2},
    {16, 64, 6, 8, 2, 30, 9, 3, 3},   {40, 8, 12, 5, 2, 3, 20, 5, 2}, {3, 64, 7, 87, 16, 57, 2, 1, 4},
    {100, 33, 32, 3, 1, 2, 64, 9, 8}, {5, 64, 56, 30, 7, 9, 3, 2, 8},
};

void expect_well_formed(const result<void>& checked) { ASSERT_TRUE(checked) << describe(checked.error()); }

// Keys come and go; the filter knows at least as many as are there, all together exactly as many.
template <class View>
void play_multiset(const model::rank_shape& shape, std::uint64_t mode) {
    const filter_spec spec = rank_spec_of(shape, mode);
    ASSERT_TRUE(check_rank_spec(spec)) << describe(check_rank_spec(spec).error());
    owned<View> filter(spec);
    std::mt19937_64 random(shape.buckets + mode);
    const std::uint64_t universe = 2 + 2 * shape.buckets * shape.cells;
    std::map<std::uint64_t, std::uint64_t> truth;
    std::uint64_t present = 0, refused = 0;
    for (int step = 0; step < 12000; ++step) {
        const std::uint64_t key = random() % (random() % 8 == 0 ? 2 : universe);
        if (random() % 100 < (step / 1500 % 2 == 0 ? 75u : 30u)) {
            const auto before = filter.bytes();
            if (filter.view.insert(hash_of(key))) {
                ++truth[key];
                ++present;
            } else {
                ++refused;
                ASSERT_EQ(filter.bytes(), before) << "a refused insertion changed bytes";
            }
        } else if (truth[key] != 0) {
            ASSERT_TRUE(filter.view.erase(hash_of(key)));
            --truth[key];
            --present;
        } else if (!filter.view.may_contain(hash_of(key))) {
            ASSERT_FALSE(filter.view.erase(hash_of(key)));
        }
        ASSERT_GE(filter.view.estimate(hash_of(key)), truth[key]);
        ASSERT_EQ(filter.view.may_contain(hash_of(key)), filter.view.estimate(hash_of(key)) != 0);
        if (step % 64 != 0) continue;
        expect_well_formed(filter.view.check_payload());
        ASSERT_EQ(filter.view.estimated_size(), static_cast<double>(present));
        for (const auto& [each, times] : truth) ASSERT_GE(filter.view.estimate(hash_of(each)), times);
    }
    EXPECT_GT(refused, 0u) << "the extensions never ran out";
    for (auto& [key, times] : truth)
        for (; times != 0; --times) ASSERT_TRUE(filter.view.erase(hash_of(key)));
    ASSERT_EQ(filter.bytes(), owned<View>(spec).bytes()) << "an empty filter is not zero";
}

TEST(Rank, SetIsAMultiset) {
    for (const model::rank_shape& shape : store_shapes) play_multiset<rank_set_view>(shape, rank_mode::set);
}

TEST(Rank, CountingIsAMultiset) {
    for (const model::rank_shape& shape : store_shapes)
        play_multiset<rank_counting_view>(shape, rank_mode::counting);
}

TEST(Rank, CountersSpillWhenTheyAreFull) {
    const filter_spec spec = rank_spec_of({1, 64, 20, 50, 0, 0, 0, 0, 2}, rank_mode::counting);
    owned<rank_counting_view> filter(spec);
    for (std::uint64_t times = 1; times <= 200; ++times) {
        ASSERT_TRUE(filter.view.insert(hash_of(7))) << times;
        ASSERT_EQ(filter.view.estimate(hash_of(7)), times);
        ASSERT_EQ(filter.view.entries(), (times + 3) / 4) << "four times in every entry";
    }
    EXPECT_FALSE(filter.view.insert(hash_of(7)));
    for (std::uint64_t times = 200; times != 0; --times) {
        ASSERT_EQ(filter.view.estimate(hash_of(7)), times);
        ASSERT_EQ(filter.view.entries(), (times + 3) / 4);
        ASSERT_TRUE(filter.view.erase(hash_of(7)));
    }
    EXPECT_FALSE(filter.view.erase(hash_of(7)));
}

// A key's true value is always among those that it may have, whoever shares its fingerprint.
TEST(Rank, MapKeepsTheValueOfEveryKey) {
    for (const model::rank_shape& shape : store_shapes) {
        const filter_spec spec = rank_spec_of(shape, rank_mode::map);
        const std::uint64_t most = rank_map_view::largest_value(spec);
        owned<rank_map_view> filter(spec);
        std::mt19937_64 random(shape.buckets);
        const std::uint64_t universe = 2 + shape.buckets * shape.cells;
        std::map<std::uint64_t, std::uint64_t> truth;
        const auto values_of = [&](std::uint64_t key) {
            std::vector<std::uint64_t> values;
            filter.view.visit_values(hash_of(key), [&](std::uint64_t value) {
                values.push_back(value);
                return true;
            });
            return values;
        };
        for (int step = 0; step < 12000; ++step) {
            const std::uint64_t key = random() % universe, value = random() & most;
            const auto found = truth.find(key);
            if (found == truth.end()) {
                const auto before = filter.bytes();
                if (filter.view.insert_value(hash_of(key), value)) truth[key] = value;
                else ASSERT_EQ(filter.bytes(), before);
            } else if (random() % 2 == 0) {
                ASSERT_TRUE(filter.view.update_value(hash_of(key), found->second, value));
                found->second = value;
            } else {
                ASSERT_TRUE(filter.view.erase_value(hash_of(key), found->second));
                truth.erase(found);
            }
            if (step % 64 != 0) continue;
            ASSERT_EQ(filter.view.entries(), truth.size());
            expect_well_formed(filter.view.check_payload());
            for (const auto& [each, expected] : truth) {
                const auto values = values_of(each);
                ASSERT_NE(std::find(values.begin(), values.end(), expected), values.end());
            }
        }
        EXPECT_FALSE(filter.view.insert_value(hash_of(1), most + 1));
        for (const auto& [key, value] : truth) ASSERT_TRUE(filter.view.erase_value(hash_of(key), value));
        ASSERT_EQ(filter.bytes(), owned<rank_map_view>(spec).bytes());
    }
}

TEST(Rank, EveryChangedBitIsSeenOrHarmless) {
    const filter_spec spec = rank_spec_of({6, 9, 3, 4, 2, 3, 3, 2, 0}, rank_mode::set);
    owned<rank_set_view> filter(spec);
    for (std::uint64_t i = 0; i < 40; ++i) filter.view.insert(hash_of(i));
    expect_well_formed(filter.view.check_payload());
    const std::size_t bits = 8 * filter.bytes().size();
    std::size_t seen = 0;
    for (std::size_t bit = 0; bit < bits; ++bit) {
        const std::byte mask = std::byte{1} << (bit % 8);
        filter.data()[bit / 8] ^= mask;
        if (!filter.view.check_payload()) {
            ++seen;
        } else {
            // A fingerprint may be any, and chains may be others: it is a filter like any other.
            owned<rank_set_view> copy(spec);
            std::memcpy(copy.data(), filter.data(), filter.bytes().size());
            for (std::uint64_t key = 100; key < 120; ++key)
                if (copy.view.insert(hash_of(key))) {
                    ASSERT_TRUE(copy.view.erase(hash_of(key)));
                }
            expect_well_formed(copy.view.check_payload());
            ASSERT_EQ(copy.view.estimated_size(), filter.view.estimated_size());
        }
        filter.data()[bit / 8] ^= mask;
    }
    EXPECT_GT(seen, bits / 3);
    EXPECT_LT(seen, bits);
}

TEST(Rank, BothBucketsOfASharedExtensionAreRefused) {
    const filter_spec spec = rank_spec_of({2, 1, 4, 1, 3, 0, 2, 0, 0}, rank_mode::set);
    owned<rank_set_view> filter(spec);
    for (std::uint64_t i = 0; i < 12; ++i) filter.view.insert(hash_of(i));
    expect_well_formed(filter.view.check_payload());
    const rank_layout layout = *rank_layout::of(spec);
    ASSERT_EQ(layout.link_bits[0], 1);
    packed_bits bits(filter.data());
    for (std::uint64_t bucket = 0; bucket < 2; ++bucket)
        ASSERT_TRUE(bits.test(bucket * layout.item_bits[0] + 2)) << "both are extended";
    bits.put(3, !bits.test(3));
    EXPECT_FALSE(filter.view.check_payload());
}

}  // namespace
}  // namespace membrane::test
