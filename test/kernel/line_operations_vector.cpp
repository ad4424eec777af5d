#define MEMBRANE_LIBRARY_VECTOR
#include "kernel/line_operations.hpp"

#if defined(MEMBRANE_HAS_VECTOR_TARGET)

namespace membrane::test {
namespace {

TEST(LineOperations, OfTheVectorTargetAreTheObviousOnes) {
    if (!has_vector_target()) GTEST_SKIP() << "this machine does not have the vector target";
    line_test::play_all();
}

}  // namespace
}  // namespace membrane::test

#endif
