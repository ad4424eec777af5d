// How new_code_for is made; compiled once for each view, in files of their own: each takes a minute.
#pragma once

#include "runtime/new_code_ops.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include <membrane/kind/balanced_rank/view.hpp>

namespace membrane {

namespace new_code_detail {

// `ops` with the functions of a code for lines.
template <class View, class Code>
kind_ops with_code(kind_ops ops, bool is_near) {
    using code = kernel::coded<View, Code>;
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

// The first of these codes that suits both tables.
template <class View, class... Codes>
const kind_ops* first_that_suits(const filter_spec& spec) {
    static const auto ops = [] {
        const kind_ops plain = make_ops<View>();
        std::array<std::array<kind_ops, sizeof...(Codes)>, 2> all;
        for (const bool is_near : {false, true})
            all[is_near ? 1 : 0] = {with_code<View, Codes>(plain, is_near)...};
        return all;
    }();
    const bool suits[] = {kernel::coded<View, Codes>::suits(spec)...};
    const auto first = std::find(std::begin(suits), std::end(suits), true) - std::begin(suits);
    return &ops[View::is_near(spec) ? 1 : 0][static_cast<std::size_t>(first)];
}

}  // namespace new_code_detail

template <class View>
const kind_ops* new_code_for(const filter_spec& spec) {
    using namespace kernel;
    return new_code_detail::first_that_suits<View, code_of_planned<View, 7>, code_of_planned<View, 8>,
                                             code_of_planned<View, 10>, code_of_planned<View, 13>,
                                             code_of_bits<View, 7>, code_of_bits<View, 8>,
                                             code_of_bits<View, 10>, code_of_bits<View, 13>, code_of_any>(
        spec);
}

}  // namespace membrane

#endif
