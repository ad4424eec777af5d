#include <membrane/kind/blocked_bloom/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::blocked_bloom_table() { return make_table<blocked_bloom_family>(); }

}  // namespace membrane
