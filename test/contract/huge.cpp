// Above 2^33 bits: positions need more than 32 bits, sizes in bytes more than 30. The rate must be the predicted one and
// every region of the array as full as the others.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/model/interval.hpp>

#include "statistics/rates.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t size_bits = (std::uint64_t{1} << 33) + (std::uint64_t{1} << 27) + 512;
constexpr std::uint64_t huge_keys = 300'000'000;
constexpr std::uint64_t regions = 4096;

// Ones of each of `regions` equal parts of the payload.
std::vector<double> ones_by_region(std::span<const std::byte> payload) {
    std::vector<double> ones(regions);
    const std::uint64_t words = payload.size() / 8;
    for (std::uint64_t word = 0; word < words; ++word)
        ones[fastrange(word * (UINT64_MAX / words), regions)] +=
            std::popcount(load_le<std::uint64_t>(payload.data() + word * 8));
    return ones;
}

void expect_right_rate_and_every_region_used(const filter_spec& spec) {
    const kind_entry& entry = *find_entry(spec.kind);
    const hasher hash = numbered_hasher(1);
    any_filter filter = make(spec, hash);
    ASSERT_GT(filter.size_bytes(), std::uint64_t{1} << 30);
    insert_integers(filter, hash, 0, huge_keys);

    std::uint64_t denied = 0;
    for (std::uint64_t key = 0; key < huge_keys; key += 97) denied += filter.may_contain(key) ? 0 : 1;
    EXPECT_EQ(denied, 0u);

    const std::uint64_t probes = 20'000'000;
    const double measured =
        static_cast<double>(false_positives(filter, hash, probes)) / static_cast<double>(probes);
    const double predicted = entry.plan.predicted_fpr(spec, huge_keys);
    const auto accepted =
        model::five_sigma(predicted, probes, 1, entry.plan.fpr_stddev_between(spec, huge_keys));
    std::cout << "measured " << measured << ", predicted " << predicted << '\n';
    EXPECT_TRUE(accepted.contains(measured)) << accepted.low << " to " << accepted.high;

    // About 2 million cells a region. Ones of a region scatter less than the keys that land there (they overlap), so
    // that the Poisson deviation of what fell into it bounds the deviation of its ones.
    const auto ones = ones_by_region(filter.payload());
    double mean = 0;
    for (const double count : ones) mean += count / static_cast<double>(regions);
    const double per_key = static_cast<double>(
        spec[spec.kind == kind_id::bloom ? std::size_t{flat_field::k} : std::size_t{blocked_field::k}]);
    const double arrivals = static_cast<double>(huge_keys) * per_key / static_cast<double>(regions);
    // Blocked: a key brings all its bits to one region.
    const double stddev = std::sqrt(spec.kind == kind_id::bloom ? arrivals : arrivals * per_key);
    for (std::uint64_t region = 0; region < regions; ++region)
        ASSERT_NEAR(ones[region], mean, 6 * stddev)
            << "region " << region;  // the largest of 4096: 6 sigma, not 5
}

filter_spec flat(std::uint64_t chosen_probes) {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size_bits;
    spec[flat_field::k] = 4;
    spec[flat_field::probes] = chosen_probes;
    if (chosen_probes == probes::partitioned) spec[flat_field::sub_array] = size_bits / 4;
    return spec;
}

TEST(LongHuge, BloomWithIndependentProbes) {
    expect_right_rate_and_every_region_used(flat(probes::independent));
}
TEST(LongHuge, BloomWithDoubleHashing) { expect_right_rate_and_every_region_used(flat(probes::two_hash)); }
TEST(LongHuge, BloomWithEnhancedDoubleHashing) {
    expect_right_rate_and_every_region_used(flat(probes::enhanced));
}
TEST(LongHuge, BloomWithSubArrays) { expect_right_rate_and_every_region_used(flat(probes::partitioned)); }

TEST(LongHuge, BlockedBloom) {
    filter_spec spec = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    spec[blocked_field::blocks] = size_bits / 512;
    spec[blocked_field::k] = 4;
    spec[blocked_field::lanes] = block_lanes::none;
    expect_right_rate_and_every_region_used(spec);
}

}  // namespace
}  // namespace membrane::test
