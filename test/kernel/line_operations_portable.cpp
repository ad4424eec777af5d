#define MEMBRANE_LIBRARY_PORTABLE
#include "kernel/line_operations.hpp"

namespace membrane::test {
namespace {

TEST(LineOperations, OfThePortableTargetAreTheObviousOnes) { line_test::play_all(); }

}  // namespace
}  // namespace membrane::test
