#include <membrane/kind/balanced_rank/view.hpp>

#include "kind/balanced_rank/number_ops.hpp"
#include "runtime/make_grower.hpp"
#include "runtime/make_ops.hpp"

namespace membrane {

kind_ops MEMBRANE_TARGET::growable_rank_ops() {
    kind_ops ops = make_ops<growable_rank_view>();
    ops.grows = &grows_of<growable_rank_view>;
    return ops;
}

}  // namespace membrane
