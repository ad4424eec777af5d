// The operations of views that have code of their own for machines with AVX2 or NEON (kernel/new_code.hpp): a table for each of their
// codes, near and far, of which a filter gets its own when it is made.
#pragma once

#include "kernel/new_code.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

#include <membrane/runtime/kind_ops.hpp>

namespace membrane {

// Compiled in new_code_ops_*.cpp for the views that have it.
template <class View>
const kind_ops* new_code_for(const filter_spec& spec);

}  // namespace membrane

#endif
