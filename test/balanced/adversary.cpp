// Keys chosen with the hash key known, all aimed at one block: the list and the last candidates take them, nothing fails,
// lookups read no more than they may. With another hash key the same keys are keys like any others.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "balanced/balanced_specs.hpp"

namespace membrane::test {
namespace {

using filter_type = balanced_filter<512, multi_level_placement>;

balanced_shape shape_for(std::uint64_t n) {
    balanced_shape shape = paper_shape(n, 1.1, 2, 25, 512, 10, stop_rule::flag_coin);
    shape.list_slots = n / 50;
    return shape;
}

// Integers whose first candidate is block 0, and whose second is the first block of the second table.
std::vector<std::uint64_t> keys_for_one_block(const filter_spec& spec, const hasher& hash,
                                              std::size_t count) {
    const auto placed = placement_of<multi_level_placement>(spec);
    std::vector<std::uint64_t> keys;
    for (std::uint64_t key = 0; keys.size() < count; ++key)
        if (placed.bucket(hash(key), 0) == 0 && placed.bucket(hash(key), 1) == placed.table(1).first)
            keys.push_back(key);
    return keys;
}

TEST(BalancedAdversary, FillsTheListAndTheLastBlocksAndNothingBreaks) {
    const filter_spec spec = spec_of(shape_for(2000));
    const hasher known = numbered_hasher(1);
    const auto keys = keys_for_one_block(spec, known, 1500);
    filter_type filter(spec);
    for (const std::uint64_t key : keys) ASSERT_TRUE(filter.view().insert(known(key)));
    EXPECT_EQ(filter.state_of(0).load, spec[balanced_field::h(0)] + 1);
    EXPECT_GE(filter.view().listed(), spec[balanced_field::list_slots] * 3 / 4);
    EXPECT_LE(filter.view().listed(), spec[balanced_field::list_slots]);
    expect_done(filter.view().check_payload());
    // What else is inserted afterwards is found, too.
    for (std::uint64_t key = 1 << 30; key < (1 << 30) + 1000; ++key) filter.view().insert(known(key));
    for (const std::uint64_t key : keys) {
        const auto cost = filter.cost_of(known(key));
        ASSERT_TRUE(cost.found);
        ASSERT_LE(cost.blocks, 2u);
    }
    for (std::uint64_t key = 1 << 30; key < (1 << 30) + 1000; ++key)
        ASSERT_TRUE(filter.view().may_contain(known(key)));
}

TEST(BalancedAdversary, GainsNothingWithoutTheHashKey) {
    const filter_spec spec = spec_of(shape_for(2000));
    const auto keys = keys_for_one_block(spec, numbered_hasher(1), 1500);
    for (std::uint64_t seed = 2; seed < 12; ++seed) {
        const hasher secret = numbered_hasher(seed);
        filter_type filter(spec);
        for (const std::uint64_t key : keys) filter.view().insert(secret(key));
        const auto by_model = value_of(model::balanced_process(1500, setup_of(shape_for(2000))));
        // Three quarters of the planned keys hardly overflow, whoever they are: rare and independent, so Poisson.
        EXPECT_LE(static_cast<double>(filter.view().listed()),
                  by_model.listed + 5 * std::sqrt(by_model.listed));
        EXPECT_NEAR(filter.view().estimated_fpr_now(), by_model.fpr, 5 * rate_scatter(shape_for(2000), 1500));
    }
}

}  // namespace
}  // namespace membrane::test
