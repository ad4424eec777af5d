#include <membrane/kind/balanced_rank/view.hpp>

#include "kind/balanced_rank/number_ops.hpp"
#include "runtime/make_grower.hpp"
#include "runtime/make_ops.hpp"

namespace membrane {

kind_ops MEMBRANE_TARGET::erasable_rank_ops() {
    kind_ops ops = make_ops<erasable_rank_view>();
    ops.grows = &grows_of<erasable_rank_view>;
    return ops;
}

}  // namespace membrane
