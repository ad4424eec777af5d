#include <membrane/kind/blocked_bloom/concurrent_blocks.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>

#include "runtime/make_concurrent.hpp"
#include "runtime/make_ops.hpp"

namespace membrane {

namespace {

template <class View>
kind_ops ops_of() {
    kind_ops ops = make_ops<View>();
    ops.concurrent = &concurrent_of<concurrent_blocks<View, block_insertions::exact>>;
    return ops;
}
template <class... View>
auto all_ops(std::tuple<View...>*) {
    return std::array{ops_of<View>()...};
}

}  // namespace

kind_table MEMBRANE_TARGET::blocked_bloom_table() {
    using family = blocked_bloom_family;
    static const auto variants = all_ops(static_cast<family::types*>(nullptr));
    return {family::id,          family::name,        family::meaning, family::fields,
            &family::check_spec, &family::variant_of, variants};
}

}  // namespace membrane
