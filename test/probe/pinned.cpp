// Where a key's bits go is part of the file format: the first eight positions of one hash in an array of a million
// cells, for every scheme. A change here means that filters written before answer wrongly.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/part/probe/independent_probe.hpp>
#include <membrane/part/probe/partitioned_probe.hpp>
#include <membrane/part/probe/progression_probe.hpp>

#include "probe/positions.hpp"

namespace membrane {
namespace {

template <class Probe>
std::vector<std::uint64_t> pinned(std::uint64_t size) {
    return test::positions_of(Probe(size, 8), {0x0123456789abcdef, 0xfedcba9876543210});
}

using list = std::vector<std::uint64_t>;

TEST(PinnedPositions, OfIndependentProbesAreUnchanged) {
    EXPECT_EQ(pinned<independent_probe>(1000000),
              (list{231719, 706816, 196590, 950687, 626507, 243743, 972283, 259210}));
}

TEST(PinnedPositions, OfProgressionsWithOddStridesAreUnchanged) {
    // The hash's stride happens to be odd: the same positions as with any stride.
    EXPECT_EQ((pinned<progression_probe<odd_ring, no_growth>>(1000000)),
              (list{469695, 621120, 772545, 923970, 75395, 226820, 378245, 529670}));
    EXPECT_EQ((pinned<progression_probe<odd_ring, square_growth>>(1000000)),
              (list{469695, 621121, 772549, 923979, 75411, 226845, 378281, 529719}));
    EXPECT_EQ((pinned<progression_probe<odd_ring, cube_growth>>(1000000)),
              (list{469695, 621121, 772553, 923997, 75459, 226945, 378461, 530013}));
    EXPECT_EQ((pinned<progression_probe<odd_ring, tetrahedral_growth>>(1000000)),
              (list{469695, 621120, 772546, 923974, 75405, 226840, 378280, 529726}));
    // A hash whose stride would be even.
    const key_hash even{0x0011223344556677, 0x8899aabbccddeeff};
    EXPECT_EQ(test::positions_of(progression_probe<odd_ring, no_growth>(1000000, 8), even),
              (list{288411, 976028, 663645, 351262, 38879, 726496, 414113, 101730}));
    EXPECT_EQ(test::positions_of(progression_probe<flat_ring, no_growth>(1000000, 8), even),
              (list{288411, 976027, 663643, 351259, 38875, 726491, 414107, 101723}));
}

TEST(PinnedPositions, OfProgressionsModuloTheSizeAreUnchanged) {
    EXPECT_EQ((pinned<progression_probe<flat_ring, no_growth>>(1000000)),
              (list{469695, 621120, 772545, 923970, 75395, 226820, 378245, 529670}));
    EXPECT_EQ((pinned<progression_probe<flat_ring, square_growth>>(1000000)),
              (list{469695, 621121, 772549, 923979, 75411, 226845, 378281, 529719}));
    EXPECT_EQ((pinned<progression_probe<flat_ring, cube_growth>>(1000000)),
              (list{469695, 621121, 772553, 923997, 75459, 226945, 378461, 530013}));
    EXPECT_EQ((pinned<progression_probe<flat_ring, tetrahedral_growth>>(1000000)),
              (list{469695, 621120, 772546, 923974, 75405, 226840, 378280, 529726}));
}

TEST(PinnedPositions, OfSubArraysAreUnchanged) {
    EXPECT_EQ(pinned<partitioned_probe>(124987),
              (list{58705, 202618, 346531, 490444, 509370, 653283, 797196, 941109}));
}

}  // namespace
}  // namespace membrane
