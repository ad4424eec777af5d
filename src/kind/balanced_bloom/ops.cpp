#include <membrane/kind/balanced_bloom/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::balanced_bloom_table() { return make_table<balanced_bloom_family>(); }

}  // namespace membrane
