#include <membrane/kind/balanced_rank/view.hpp>

#include "kind/balanced_rank/number_ops.hpp"
#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::balanced_rank_table() {
    static const std::array variants{make_ops<fixed_rank_view>(), growable_rank_ops(), erasable_rank_ops()};
    using family = balanced_rank_family;
    static_assert(std::tuple_size_v<family::types> == variants.size());
    return {family::id,          family::name,        family::meaning, family::fields,
            &family::check_spec, &family::variant_of, variants};
}

}  // namespace membrane
