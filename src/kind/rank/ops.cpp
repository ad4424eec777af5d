#include <membrane/kind/rank/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::rank_table() { return make_table<rank_family>(); }

}  // namespace membrane
