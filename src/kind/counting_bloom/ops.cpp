#include <membrane/kind/counting_bloom/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::counting_bloom_table() { return make_table<counting_bloom_family>(); }

}  // namespace membrane
