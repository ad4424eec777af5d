#include <array>

#include <membrane/kind/balanced_rank/view.hpp>

#include "runtime/make_grower.hpp"
#include "runtime/make_ops.hpp"

namespace membrane {

kind_table MEMBRANE_TARGET::balanced_rank_table() {
    static const auto variants = [] {
        auto all = variants_of<balanced_rank_family>;
        all[rank_form::growable].grows = &grows_of<growable_rank_view>;
        all[rank_form::erasable].grows = &grows_of<erasable_rank_view>;
        return all;
    }();
    kind_table table = make_table<balanced_rank_family>();
    table.variants = variants;
    return table;
}

}  // namespace membrane
