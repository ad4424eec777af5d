// Tables in memory of what a file says: hashes that the file's writer chose must not all meet in one bucket.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <gtest/gtest.h>

#include <membrane/hash/process_hash.hpp>
#include <membrane/kind/count_min/heavy_hitters.hpp>

#include "support/keys.hpp"

namespace membrane::corrupt {
namespace {

constexpr std::uint64_t chosen_count = 20'000;

TEST(chosen_hashes, spread_over_the_buckets_of_a_table) {
    constexpr std::size_t buckets = 1009;
    const auto fullest = [&](const auto& hash_of) {
        std::array<std::uint64_t, buckets> loads{};
        for (std::uint64_t i = 0; i < chosen_count; ++i) ++loads[process_hash{}(hash_of(i)) % buckets];
        return *std::max_element(loads.begin(), loads.end());
    };
    // Mean 19.8; above 80 with a probability of 1e-20 in each bucket, by the Poisson law.
    constexpr std::uint64_t most = 80;
    EXPECT_LT(fullest([](std::uint64_t i) { return key_hash{42, i}; }), most) << "equal low words";
    EXPECT_LT(fullest([](std::uint64_t i) { return key_hash{i, 42}; }), most) << "equal high words";
    EXPECT_LT(fullest([](std::uint64_t i) {
                  return key_hash{i * buckets, i};
              }),
              most)
        << "low words that are multiples of the number of buckets";
    EXPECT_LT(fullest([](std::uint64_t i) { return key_hash{i << 40, 0}; }), most) << "high bits alone";
}

// A table whose order a file's writer knows takes 5,000 times as long.
TEST(chosen_hashes, do_not_slow_down_the_list_of_most_counted_keys) {
    const auto seconds = [](const auto& hash_of) {
        heavy_hitters tracker(chosen_count, 8);
        const std::clock_t start = std::clock();
        for (std::uint64_t i = 0; i < chosen_count; ++i) tracker.offer({hash_of(i), i + 1, 3, "key"});
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    const hasher hash = test::numbered_hasher(1);
    const double usual = seconds([&](std::uint64_t i) { return hash(i); });
    EXPECT_LT(seconds([](std::uint64_t i) {
                  return key_hash{42, i};
              }),
              10 * usual + 0.2)
        << "usual: " << usual << " s";
}

}  // namespace
}  // namespace membrane::corrupt
