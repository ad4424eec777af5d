// Positions against the formulas that doc/format.md states, computed here with multiplications and remainders.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/probe/independent_probe.hpp>
#include <membrane/part/probe/partitioned_probe.hpp>
#include <membrane/part/probe/progression_probe.hpp>

#include "probe/positions.hpp"
#include "support/keys.hpp"

namespace membrane {
namespace {

using test::positions_of;

constexpr std::uint64_t zero(std::uint64_t) { return 0; }
constexpr std::uint64_t square(std::uint64_t i) { return i * i; }
constexpr std::uint64_t cube(std::uint64_t i) { return i * i * i; }
constexpr std::uint64_t tetrahedral(std::uint64_t i) { return (i * i * i - i) / 6; }

constexpr std::uint64_t large_size = (std::uint64_t{1} << 40) + 64;

std::uint64_t modulo_sum(std::uint64_t start, std::uint64_t i, std::uint64_t stride, std::uint64_t more,
                         std::uint64_t modulus) {
    // Below 2^48: start and stride are below the modulus, i is at most 64.
    return (i * stride + start + more) % modulus;
}

template <class Growth, class Formula>
void expect_flat_formula(Formula f) {
    test::random_numbers random(11);
    for (const std::uint64_t size :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{63}, std::uint64_t{64},
          std::uint64_t{65}, std::uint64_t{1000}, std::uint64_t{16001}, large_size}) {
        const progression_probe<flat_ring, Growth> probe(size, 64);
        for (int key = 0; key < 200; ++key) {
            const key_hash hash{random.next(), random.next()};
            const std::uint64_t start = fastrange(remix(hash, stream::start), size);
            const std::uint64_t stride = fastrange(remix(hash, stream::stride), size);
            const auto positions = positions_of(probe, hash);
            ASSERT_EQ(positions.size(), 64u);
            for (std::uint64_t i = 0; i < 64; ++i)
                ASSERT_EQ(positions[i], modulo_sum(start, i, stride, f(i), size))
                    << "size " << size << ", probe " << i;
        }
    }
}

template <class Growth, class Formula>
void expect_odd_formula(Formula f) {
    test::random_numbers random(12);
    for (const std::uint64_t words : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{64},
                                      std::uint64_t{250}, std::uint64_t{1021}, large_size / 64}) {
        const std::uint64_t size = words * 64;
        const progression_probe<odd_ring, Growth> probe(size, 64);
        for (int key = 0; key < 200; ++key) {
            const key_hash hash{random.next(), random.next()};
            const std::uint64_t start = fastrange(remix(hash, stream::start), size);
            const std::uint64_t stride = 2 * fastrange(remix(hash, stream::stride), size / 2) + 1;
            const auto positions = positions_of(probe, hash);
            ASSERT_EQ(positions.size(), 64u);
            for (std::uint64_t i = 0; i < 64; ++i)
                ASSERT_EQ(positions[i], modulo_sum(start, i, stride, f(i), size))
                    << words << " words, probe " << i;
        }
    }
}

TEST(Progression, IsStartPlusStridesPlusGrowthModuloTheSize) {
    expect_flat_formula<no_growth>(zero);
    expect_flat_formula<square_growth>(square);
    expect_flat_formula<cube_growth>(cube);
    expect_flat_formula<tetrahedral_growth>(tetrahedral);
}

TEST(Progression, OfOddStridesFollowsTheSameFormula) {
    expect_odd_formula<no_growth>(zero);
    expect_odd_formula<square_growth>(square);
    expect_odd_formula<cube_growth>(cube);
    expect_odd_formula<tetrahedral_growth>(tetrahedral);
}

TEST(Progression, StopsAtTheFirstNo) {
    const progression_probe<odd_ring, no_growth> probe(6400, 10);
    for (std::uint64_t limit = 1; limit <= 10; ++limit) {
        std::uint64_t visited = 0;
        EXPECT_FALSE(probe.all_of(key_hash{1, 2}, [&](std::uint64_t) { return ++visited != limit; }));
        EXPECT_EQ(visited, limit);
    }
    std::uint64_t visited = 0;
    EXPECT_TRUE(probe.all_of(key_hash{1, 2}, [&](std::uint64_t) { return ++visited != 11; }));
    EXPECT_EQ(visited, 10u);
}

TEST(Partitioned, StaysInTheSubArrayOfEachProbeAndFollowsTheFormula) {
    test::random_numbers random(13);
    for (const std::uint64_t sub_array :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{1459}, large_size}) {
        const partitioned_probe probe(sub_array, 11);
        for (int key = 0; key < 500; ++key) {
            const key_hash hash{random.next(), random.next()};
            const std::uint64_t start = fastrange(remix(hash, stream::start), sub_array);
            const std::uint64_t stride = fastrange(remix(hash, stream::stride), sub_array);
            const auto positions = positions_of(probe, hash);
            ASSERT_EQ(positions.size(), 11u);
            for (std::uint64_t i = 0; i < 11; ++i) {
                ASSERT_GE(positions[i], i * sub_array);
                ASSERT_EQ(positions[i] - i * sub_array, modulo_sum(start, i, stride, 0, sub_array));
            }
        }
    }
}

TEST(Independent, DrawsEachPositionFromItsOwnStream) {
    test::random_numbers random(14);
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{100}, large_size}) {
        const independent_probe probe(size, 64);
        for (int key = 0; key < 200; ++key) {
            const key_hash hash{random.next(), random.next()};
            const auto positions = positions_of(probe, hash);
            ASSERT_EQ(positions.size(), 64u);
            for (std::uint64_t i = 0; i < 64; ++i) {
                ASSERT_EQ(positions[i], fastrange(remix(hash, 0x200 + i), size));
                ASSERT_LT(positions[i], size);
            }
        }
    }
}

TEST(OddRing, NeverRepeatsAPositionWithin64Probes) {
    for (std::uint64_t words = 1; words <= 200; ++words) {
        const progression_probe<odd_ring, no_growth> probe(words * 64, 64);
        test::random_numbers random(words);
        for (int key = 0; key < 100; ++key) {
            auto positions = positions_of(probe, {random.next(), random.next()});
            std::sort(positions.begin(), positions.end());
            ASSERT_TRUE(std::adjacent_find(positions.begin(), positions.end()) == positions.end())
                << words << " words";
            ASSERT_LT(positions.back(), words * 64);
        }
    }
}

TEST(OddRing, NeverRepeatsAPositionWhateverTheStride) {
    for (std::uint64_t words = 1; words <= 12; ++words) {
        const odd_ring ring(words * 64);
        for (std::uint64_t stride = 1; stride < words * 64; stride += 2) {
            std::uint64_t at = 0;
            std::set<std::uint64_t> seen;
            for (int i = 0; i < 64; ++i, at = ring.sum(at, stride)) seen.insert(at);
            ASSERT_EQ(seen.size(), 64u) << words << " words, stride " << stride;
        }
    }
}

TEST(OddRing, DrawsEveryOddStride) {
    const odd_ring ring(192);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 96; ++i) seen.insert(ring.stride(i * (UINT64_MAX / 96) + UINT64_MAX / 192));
    EXPECT_EQ(seen.size(), 96u);
    for (const std::uint64_t stride : seen) EXPECT_TRUE(stride % 2 == 1 && stride < 192);
}

}  // namespace
}  // namespace membrane
