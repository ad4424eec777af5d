#include <membrane/kind/bloom/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::bloom_table() { return make_table<bloom_family>(); }

}  // namespace membrane
