#include <membrane/kind/count_min/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::count_min_table() { return make_table<count_min_family>(); }

}  // namespace membrane
