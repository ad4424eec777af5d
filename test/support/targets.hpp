// Tests that are compiled for the library's vector target run only where the machine has it.
#pragma once

#include <membrane/base/target.hpp>

#include "runtime/active_target.hpp"

namespace membrane::test {

inline bool has_vector_target() { return best_target() != target::portable; }

}  // namespace membrane::test
