#include <membrane/kind/choice_bloom/view.hpp>

#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::choice_bloom_table() { return make_table<choice_bloom_family>(); }

}  // namespace membrane
