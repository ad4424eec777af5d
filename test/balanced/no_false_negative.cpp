// No key is ever missed: every rule, scheme, coin and block size, overfilled threefold, with duplicates and in any order.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "balanced/balanced_specs.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t planned = 400;

std::vector<balanced_shape> all_shapes() {
    std::vector<balanced_shape> shapes;
    for (const std::uint64_t which : {scheme::single, scheme::sequential, scheme::multi_level})
        for (const stop_rule rule : {stop_rule::load, stop_rule::coin, stop_rule::flag, stop_rule::flag_coin})
            for (const double p : {0.0, 0.3, 0.9, 1.0})
                for (const std::uint64_t bits : {128u, 256u, 512u})
                    for (const std::uint64_t slots : {0u, 3u, 40u, 4000u})
                        for (const std::uint64_t permille : {0u, 1050u}) {
                            if (permille != 0 && which != scheme::sequential) continue;
                            balanced_shape shape{which, rule, bits, 3, which == scheme::single ? 1u : 3u};
                            shape.tables = {{40, 9, p}};
                            if (which == scheme::multi_level)
                                shape.tables = {{30, 9, p}, {8, 7, p}, {2, 6, p}};
                            shape.list_slots = slots;
                            shape.planned_keys = planned;
                            shape.accesses_permille = permille;
                            shapes.push_back(shape);
                        }
    return shapes;
}

TEST(BalancedNoFalseNegative, InAnyOrderWithDuplicatesAndThreefoldOverfill) {
    random_numbers random(11);
    for (const balanced_shape& shape : all_shapes()) {
        const filter_spec spec = spec_of(shape);
        any_filter filter = make(spec);
        std::vector<key_hash> keys = hashes_of(numbered_hasher(1), 0, 3 * planned);
        for (std::size_t i = keys.size(); i-- > 1;) std::swap(keys[i], keys[random.below(i + 1)]);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_TRUE(filter.insert(keys[i]));
            ASSERT_TRUE(filter.insert(keys[random.below(i + 1)])) << "a duplicate";
            ASSERT_TRUE(filter.may_contain(keys[i]));
            if (i % 100 == 99) {
                ASSERT_EQ(false_negatives(filter, std::span(keys).first(i + 1)), 0u);
            }
        }
        ASSERT_EQ(false_negatives(filter, keys), 0u);
        value_of(any_view::open(file_of(filter)));  // checks the payload
    }
}

TEST(BalancedDuplicates, ChangeNoByte) {
    for (const balanced_shape& shape : all_shapes()) {
        any_filter filter = make(spec_of(shape));
        const auto keys = hashes_of(numbered_hasher(1), 0, planned);
        filter.insert_many(keys);
        const auto before = payload_of(filter);
        filter.insert_many(keys);
        ASSERT_EQ(payload_of(filter), before);
    }
}

}  // namespace
}  // namespace membrane::test
