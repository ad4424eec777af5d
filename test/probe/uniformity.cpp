// Every part of the array is used as often as any other, at every size: 5 sigma of a chi-square over equal regions.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/probe/independent_probe.hpp>
#include <membrane/part/probe/partitioned_probe.hpp>
#include <membrane/part/probe/progression_probe.hpp>

#include "support/keys.hpp"

namespace membrane {
namespace {

// One probe per key is counted, so that the counts are independent of each other.
template <class Probe>
double excess_sigmas(const Probe& probe, std::uint64_t probed, std::uint64_t first, std::uint64_t span,
                     std::uint64_t regions) {
    const std::uint64_t keys = regions * 100;
    const hasher hash = test::numbered_hasher(span + probed);
    std::vector<double> counts(regions);
    for (std::uint64_t key = 0; key < keys; ++key) {
        std::uint64_t i = 0;
        probe.all_of(hash(key), [&](std::uint64_t position) {
            if (i == probed) counts[(position - first) * regions / span] += 1;
            return i++ != probed;
        });
    }
    // A region holds span / regions cells, rounded: expect in proportion.
    double chi_square = 0;
    for (std::uint64_t region = 0; region < regions; ++region) {
        const std::uint64_t low = (region * span + regions - 1) / regions;
        const std::uint64_t high = ((region + 1) * span + regions - 1) / regions;
        const double expected =
            static_cast<double>(keys) * static_cast<double>(high - low) / static_cast<double>(span);
        chi_square += (counts[region] - expected) * (counts[region] - expected) / expected;
    }
    const double freedom = static_cast<double>(regions - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

template <class Probe>
void expect_even(std::uint64_t size) {
    for (const std::uint64_t probed : {0u, 1u, 2u, 7u, 15u})
        EXPECT_LT(std::abs(excess_sigmas(Probe(size, 16), probed, 0, size, 64)), 5)
            << "size " << size << ", probe " << probed;
}

TEST(Uniformity, OfIndependentProbes) {
    for (const std::uint64_t size : {100u, 128u, 6400u, 100003u}) expect_even<independent_probe>(size);
}

TEST(Uniformity, OfProgressionsModuloTheSize) {
    for (const std::uint64_t size : {100u, 128u, 6400u, 100003u}) {
        expect_even<progression_probe<flat_ring, no_growth>>(size);
        expect_even<progression_probe<flat_ring, square_growth>>(size);
        expect_even<progression_probe<flat_ring, cube_growth>>(size);
        expect_even<progression_probe<flat_ring, tetrahedral_growth>>(size);
    }
}

TEST(Uniformity, OfProgressionsOfWords) {
    for (const std::uint64_t size : {64u, 128u, 6400u, 100032u}) {
        expect_even<progression_probe<odd_ring, no_growth>>(size);
        expect_even<progression_probe<odd_ring, square_growth>>(size);
        expect_even<progression_probe<odd_ring, cube_growth>>(size);
        expect_even<progression_probe<odd_ring, tetrahedral_growth>>(size);
    }
}

TEST(Uniformity, OfEachSubArray) {
    for (const std::uint64_t sub_array : {97u, 128u, 1459u})
        for (const std::uint64_t probed : {0u, 1u, 5u, 10u})
            EXPECT_LT(std::abs(excess_sigmas(partitioned_probe(sub_array, 11), probed, probed * sub_array,
                                             sub_array, 64)),
                      5)
                << "sub-array of " << sub_array << ", probe " << probed;
}

}  // namespace
}  // namespace membrane
