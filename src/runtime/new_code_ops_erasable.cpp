#include "runtime/make_new_code_ops.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

namespace membrane {

template const kind_ops* new_code_for<erasable_rank_view>(const filter_spec&);

}  // namespace membrane

#endif
