// The tests of one target, compiled for the library's vector target: avx2 or neon.
#define MEMBRANE_LIBRARY_VECTOR
#include "kernel/bloom_blocks.hpp"
#include "kernel/flat_arrays.hpp"
#include "kernel/four_lines.hpp"
#include "kernel/line_operations.hpp"

#if defined(MEMBRANE_HAS_VECTOR_TARGET)

namespace membrane::test {
namespace {

class VectorTarget : public testing::Test {
protected:
    void SetUp() override {
        if (!has_vector_target()) GTEST_SKIP() << "this machine does not have the vector target";
    }
};

TEST_F(VectorTarget, LineOperationsAreTheObviousOnes) { line_test::play_all(); }
TEST_F(VectorTarget, FindsTheCellsOfAChain) { line_test::compare_words(); }
TEST_F(VectorTarget, FindsBitsAnywhereInABlock) { block_test().compare_anywhere(); }
TEST_F(VectorTarget, FindsBitsOfBalancedBlocks) { block_test().compare_balanced(); }
TEST_F(VectorTarget, FindsBitsInLanes) { block_test().compare_lanes(); }
TEST_F(VectorTarget, BatchesInMemoryAnswerAsSingleLookups) { flat_test::compare_unfolded(); }
TEST_F(VectorTarget, BatchesInFoldedArraysInMemoryToo) { flat_test::compare_folded(); }
#if defined(MEMBRANE_TARGET_AVX2)
TEST_F(VectorTarget, LooksAtFourLinesAsAtEach) { four_lines_test::compare_all(); }
#endif

}  // namespace
}  // namespace membrane::test

#endif
