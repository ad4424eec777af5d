// Many lookups in a balanced_bloom, for part/batch_ring.hpp: after the first candidate a key waits for its second, and after that for
// what is behind it; where it has one candidate, for the list. `Test(block, hash, k)` tells whether a block holds a key; its `glance`, where it has one, is cheaper and right if it
// says no.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/prefetch.hpp>
#include <membrane/part/batch_ring.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

template <class View, class Test>
struct balanced_lookup_steps {
    using place = std::byte*;
    static constexpr bool has_next = true;
    static constexpr bool has_glance = Test::has_glance;
    static constexpr std::size_t keys_together = 1;

    void start(place& at, key_hash hash) const noexcept {
        at = view.at(hash, 0);
        prefetch_far(at);
    }
    first_look look(place at, key_hash hash) const noexcept {
        const auto here = first_block(at);
        return {test(here, hash, k) ? 1u : 0u, may_go_on(here)};
    }
    first_look glance(const place* at, const key_hash* hash) const noexcept {
        const auto here = first_block(*at);
        return {test.glance(here, *hash, k) ? 1u : 0u, may_go_on(here)};
    }
    // The coin is thrown here, for the few that need it: those that it took away have nothing to wait for. No branch, since it is a
    // coin.
    bool next(place& at, key_hash hash) const noexcept {
        const bool is_taken = view.is_taken_by_coin(first_block(at), hash, 0);
        if (view.placement_.tries() > 1) {
            at = view.at(hash, 1);
            prefetch_far(at);
        } else {
            ask_for_list(hash);
        }
        return !is_taken | (is_spent != 0);
    }
    // A quarter of those that come here go on: no branch here, either.
    first_look settle(place at, key_hash hash) const noexcept {
        if (is_spent != 0) return {view.may_contain(hash, test) ? 1u : 0u, 0};
        if (view.placement_.tries() < 2) return {view.is_listed(hash) ? 1u : 0u, 0};
        const typename View::block here(at, second_form);
        return {test(here, hash, k) ? 1u : 0u,
                (here.may_have_refused() ? 1u : 0u) & (view.is_taken_by_coin(here, hash, 1) ? 0u : 1u)};
    }
    void last(place& at, key_hash hash) const noexcept {
        if (view.placement_.tries() > 2) {
            at = view.at(hash, 2);
            prefetch_far(at);
        } else {
            ask_for_list(hash);
        }
    }
    bool finish(place at, key_hash hash) const noexcept {
        return view.placement_.tries() > 2 ? view.may_contain_from(2, at, hash, test) : view.is_listed(hash);
    }

    void ask_for_list(key_hash hash) const noexcept {
        if (view.list_.slots() != 0) prefetch_far(view.list_.home(View::list_word(hash)));
    }
    auto first_block(place at) const noexcept { return typename View::block(at, first_form); }
    template <class Block>
    std::uint64_t may_go_on(const Block& here) const noexcept {
        return (here.may_have_refused() ? 1u : 0u) | is_spent;
    }

    const View& view;
    Test test;
    unsigned is_spent;  // 1: the list is asked in any case
    // Kept here, where nothing that is written can be them.
    typename View::block::form first_form, second_form;
    std::uint64_t k;
};

}  // namespace membrane
