// The tests of one target, compiled for the library's portable target.
#define MEMBRANE_LIBRARY_PORTABLE
#include "kernel/bloom_blocks.hpp"
#include "kernel/flat_arrays.hpp"
#include "kernel/line_operations.hpp"

namespace membrane::test {
namespace {

TEST(PortableTarget, LineOperationsAreTheObviousOnes) { line_test::play_all(); }
TEST(PortableTarget, FindsTheCellsOfAChain) { line_test::compare_words(); }
TEST(PortableTarget, FindsBitsAnywhereInABlock) { block_test().compare_anywhere(); }
TEST(PortableTarget, FindsBitsOfBalancedBlocks) { block_test().compare_balanced(); }
TEST(PortableTarget, FindsBitsInLanes) { block_test().compare_lanes(); }
TEST(PortableTarget, BatchesInMemoryAnswerAsSingleLookups) { flat_test::compare_unfolded(); }
TEST(PortableTarget, BatchesInFoldedArraysInMemoryToo) { flat_test::compare_folded(); }

}  // namespace
}  // namespace membrane::test
