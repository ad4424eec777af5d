// Batches in flat arrays that are too large for the caches, which look at a key's cells in three steps: the answers of single
// lookups, for keys with fewer cells than the steps ask for and with more, folded or not.
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/batch.hpp>
#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>

#include "kernel/many.hpp"
#include "support/keys.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t array_bytes = std::uint64_t{17} << 20;

// Half of the cells in use, as good as random, so that keys end at every step.
std::vector<std::byte> half_used_array() {
    std::vector<std::byte> bytes(array_bytes);
    random_numbers random(1);
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = random.next();
        std::memcpy(bytes.data() + at, &word, 8);
    }
    return bytes;
}

// Members and strangers in runs and mixed, so that words of either sort follow each other; the last word is not whole.
std::vector<key_hash> keys_to_ask() {
    const hasher hash = numbered_hasher(2);
    std::vector<key_hash> keys;
    for (std::uint64_t i = 0; i < 3011; ++i) {
        const bool is_member = i / 300 % 3 == 0 || (i / 300 % 3 == 1 && i % 2 == 0);
        keys.push_back(hash(is_member ? i % 1000 : i + 1'000'000));
    }
    return keys;
}

template <class View>
class FlatInMemory : public testing::Test {
protected:
    void expect_single_answers(std::uint64_t k, std::uint64_t fold_log2) {
        SCOPED_TRACE(testing::Message() << "k " << k << " fold_log2 " << fold_log2);
        filter_spec spec{};
        const std::uint64_t cells_per_byte = std::is_base_of_v<flat_view<nibble_array, probe>, View> ? 2 : 8;
        spec[flat_field::size] = array_bytes * cells_per_byte << fold_log2;
        spec[flat_field::sub_array] = (array_bytes * cells_per_byte << fold_log2) / k;
        spec[flat_field::k] = k;
        spec[flat_field::fold_log2] = fold_log2;
        if (std::is_same_v<probe, partitioned_probe>) spec[flat_field::probes] = probes::partitioned;
        std::vector<std::byte> bytes = half_used_array();
        ASSERT_LE(*View::payload_bytes(spec), bytes.size());
        View view(spec, bytes.data());
        ASSERT_TRUE(view.is_in_memory());
        const hasher hash = numbered_hasher(2);
        for (std::uint64_t i = 0; i < 1000; ++i) view.insert(hash(i));

        std::vector<std::uint64_t> plain(bitmap_words(asked_.size())), kernel(plain.size());
        const std::size_t present = may_contain_many(view, asked_, plain);
        ASSERT_EQ(kernel::may_contain_many(view, asked_, kernel), present);
        ASSERT_EQ(kernel, plain);
        std::size_t counted = 0;
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            const bool is_there = view.may_contain(asked_[i]);
            counted += is_there ? 1 : 0;
            ASSERT_EQ(plain[i / 64] >> (i % 64) & 1, is_there ? 1u : 0u) << "key " << i;
        }
        ASSERT_EQ(counted, present);
    }

    using probe = std::remove_cvref_t<decltype(std::declval<View>().probe())>;
    const std::vector<key_hash> asked_ = keys_to_ask();
};

using views = testing::Types<bloom_view<progression_probe<odd_ring, no_growth>>,
                             bloom_view<progression_probe<flat_ring, cube_growth>>,
                             bloom_view<independent_probe>, bloom_view<partitioned_probe>,
                             counting_bloom_view<progression_probe<odd_ring, no_growth>>>;
TYPED_TEST_SUITE(FlatInMemory, views);

TYPED_TEST(FlatInMemory, BatchesAnswerAsSingleLookups) {
    for (const std::uint64_t k : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 17u})
        this->expect_single_answers(k, 0);
}
TYPED_TEST(FlatInMemory, BatchesOfFoldedArraysToo) {
    for (const std::uint64_t k : {2u, 5u, 10u}) this->expect_single_answers(k, 2);
}

}  // namespace
}  // namespace membrane::test
