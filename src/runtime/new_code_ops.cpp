#include "runtime/new_code_ops.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

#include <array>

#include <membrane/filter/balanced_rank.hpp>

namespace membrane {

namespace {

// `ops` with the functions for fingerprints of Bits bits.
template <class View, unsigned Bits>
kind_ops with_code(kind_ops ops, bool is_near) {
    using code = kernel::sized_code<View, Bits>;
    ops.insert = &code::insert;
    ops.insert_many = &code::insert_many;
    ops.insert_all = &code::insert_all;
    ops.may_contain = is_near ? &code::may_contain_near : &code::may_contain_far;
    ops.may_contain_many = is_near ? &code::many_near : &code::many_far;
    if constexpr (requires(View & view, key_hash hash) { view.erase(hash); }) {
        ops.erase = &code::erase;
        ops.erase_many = &code::erase_many;
    }
    ops.for_spec = nullptr;
    return ops;
}

}  // namespace

template <class View>
const kind_ops* new_code_for(const filter_spec& spec) {
    static const auto ops = [] {
        const kind_ops plain = make_ops<View>();
        std::array<std::array<kind_ops, 5>, 2> all;
        for (const bool is_near : {false, true})
            all[is_near ? 1 : 0] = {with_code<View, 0>(plain, is_near), with_code<View, 7>(plain, is_near),
                                    with_code<View, 8>(plain, is_near), with_code<View, 10>(plain, is_near),
                                    with_code<View, 13>(plain, is_near)};
        return all;
    }();
    const auto& sizes = ops[View::is_near(spec) ? 1 : 0];
    // Both tables as they are planned, or code for any.
    if (kernel::sized_code<View, 7>::suits(spec)) return &sizes[1];
    if (kernel::sized_code<View, 8>::suits(spec)) return &sizes[2];
    if (kernel::sized_code<View, 10>::suits(spec)) return &sizes[3];
    if (kernel::sized_code<View, 13>::suits(spec)) return &sizes[4];
    return &sizes[0];
}

template const kind_ops* new_code_for<insert_only_rank_view>(const filter_spec&);
template const kind_ops* new_code_for<erasable_rank_view>(const filter_spec&);

}  // namespace membrane

#endif
