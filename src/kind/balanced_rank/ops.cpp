#include <membrane/kind/balanced_rank/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::balanced_rank_table() { return make_table<balanced_rank_family>(); }

}  // namespace membrane
