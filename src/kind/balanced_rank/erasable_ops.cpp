#include <membrane/kind/balanced_rank/concurrent/concurrent_rank.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

#include "kind/balanced_rank/number_ops.hpp"
#include "runtime/make_concurrent.hpp"
#include "runtime/make_grower.hpp"

namespace membrane {

kind_ops MEMBRANE_TARGET::erasable_rank_ops() {
    kind_ops ops = make_growing_ops<erasable_rank_view>();
    ops.concurrent = &concurrent_of<concurrent_rank<balanced_rank_form::erasable>>;
    return ops;
}

}  // namespace membrane
