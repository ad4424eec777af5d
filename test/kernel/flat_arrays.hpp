// Batches in flat arrays that are too large for the caches, which look at a key's cells in three rounds, in one target: the answers of
// single lookups, for keys with fewer cells than the rounds take and with more, folded or not.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>
#include <membrane/part/key_batches.hpp>

#include "support/keys.hpp"
#include "support/targets.hpp"

MEMBRANE_TARGET_BEGIN
namespace flat_test {

using test::numbered_hasher;
using test::random_numbers;

inline constexpr std::uint64_t array_bytes = std::uint64_t{17} << 20;

// Half of the cells in use, as good as random, so that keys end in every round.
inline std::vector<std::byte> half_used_array() {
    std::vector<std::byte> bytes(array_bytes);
    random_numbers random(1);
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = random.next();
        std::memcpy(bytes.data() + at, &word, 8);
    }
    return bytes;
}

// Members and strangers in runs and mixed, so that words of either sort follow each other; the last word is not whole.
inline std::vector<key_hash> keys_to_look_up() {
    const hasher hash = numbered_hasher(2);
    std::vector<key_hash> keys;
    for (std::uint64_t i = 0; i < 3011; ++i) {
        const bool is_member = i / 300 % 3 == 0 || (i / 300 % 3 == 1 && i % 2 == 0);
        keys.push_back(hash(is_member ? i % 1000 : i + 1'000'000));
    }
    return keys;
}

template <class View>
void expect_single_answers(std::uint64_t k, std::uint64_t fold_log2) {
    SCOPED_TRACE(testing::Message() << "k " << k << " fold_log2 " << fold_log2);
    using probe = std::remove_cvref_t<decltype(std::declval<View>().probe())>;
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

    const std::vector<key_hash> keys = keys_to_look_up();
    std::vector<std::uint64_t> answers(bitmap_words(keys.size()));
    const std::size_t present = view.may_contain_many(keys, answers);
    std::size_t counted = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool is_there = view.may_contain(keys[i]);
        counted += is_there ? 1 : 0;
        ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, is_there ? 1u : 0u) << "key " << i;
    }
    ASSERT_EQ(counted, present);
}
template <class... Views>
void compare_views(std::uint64_t k, std::uint64_t fold_log2) {
    (expect_single_answers<Views>(k, fold_log2), ...);
}
inline void compare(std::uint64_t k, std::uint64_t fold_log2) {
    compare_views<bloom_view<progression_probe<odd_ring, no_growth>>,
                  bloom_view<progression_probe<flat_ring, cube_growth>>, bloom_view<independent_probe>,
                  bloom_view<partitioned_probe>, counting_bloom_view<progression_probe<odd_ring, no_growth>>>(
        k, fold_log2);
}
inline void compare_unfolded() {
    for (const std::uint64_t k : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 17u}) compare(k, 0);
}
inline void compare_folded() {
    for (const std::uint64_t k : {2u, 5u, 10u}) compare(k, 2);
}

}  // namespace flat_test
MEMBRANE_TARGET_END
