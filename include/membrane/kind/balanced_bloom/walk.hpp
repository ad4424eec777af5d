// The walk of a batch of lookups in a balanced_bloom, in three rounds: the first candidate block; the second one, or the list if there
// is none; what is behind that. A block says yes if it holds the key's bits, no if it cannot have refused the key.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/base/prefetch.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/part/batch_lookup.hpp>

MEMBRANE_TARGET_BEGIN

template <class View>
class balanced_bloom_walk {
    using block = typename View::block;

public:
    explicit balanced_bloom_walk(const View& view) noexcept
        : view_(view),
          is_spent_(view.is_budget_spent() ? 1u : 0u),
          first_form_(view.form_of(0)),
          second_form_(view.form_of(view.placement_.tries() > 1 ? 1 : 0)),
          k_(view.k_) {}

    static constexpr unsigned rounds = 3;
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
    static constexpr bool has_quick_look = true;
#else
    static constexpr bool has_quick_look = false;
#endif
    static constexpr std::size_t group = 1;
    using place = std::byte*;

    void start(place& at, const key_hash& hash) const noexcept {
        at = view_.at(hash, 0);
        prefetch_far(at);
    }
    look_result look(const place& at, const key_hash& hash) const noexcept {
        const block here(at, first_form_);
        return {here.holds(hash, k_) ? 1u : 0u, may_go_on(here)};
    }
    look_result quick_look(const place* at, const key_hash* hash) const noexcept {
        const block here(*at, first_form_);
        return {here.may_hold(*hash, k_) ? 1u : 0u, may_go_on(here)};
    }
    // Round 1 tosses the coin, for the few keys that need it: where the coin says that the block took the key, the key is absent.
    // No branch, since it is a coin.
    template <unsigned Round>
    bool next(place& at, const key_hash& hash) const noexcept {
        const bool is_taken = Round == 1 && view_.is_taken_by_coin(block(at, first_form_), hash, 0);
        if (view_.placement_.tries() > Round) {
            at = view_.at(hash, Round);
            prefetch_far(at);
        } else if (view_.list_.slots() != 0) {
            prefetch_far(view_.list_.home(View::list_word(hash)));
        }
        return !is_taken | (is_spent_ != 0);
    }
    // A quarter of the keys in round 1 go on: no branch here, either.
    template <unsigned Round>
    look_result look_again(const place& at, const key_hash& hash) const noexcept {
        if (view_.placement_.tries() <= Round) return {view_.is_listed(hash) ? 1u : 0u, 0};
        if constexpr (Round == 2) {
            return {view_.may_contain_from(2, at, hash) ? 1u : 0u, 0};
        } else {
            if (is_spent_ != 0) return {view_.may_contain(hash) ? 1u : 0u, 0};
            const block here(at, second_form_);
            return {here.holds(hash, k_) ? 1u : 0u,
                    (here.may_have_refused() ? 1u : 0u) & (view_.is_taken_by_coin(here, hash, 1) ? 0u : 1u)};
        }
    }

private:
    std::uint64_t may_go_on(const block& here) const noexcept {
        return (here.may_have_refused() ? 1u : 0u) | is_spent_;
    }

    const View& view_;
    unsigned is_spent_;  // 1: the list is asked in any case
    // Copies, which no write through a pointer can alias.
    typename block::form first_form_, second_form_;
    std::uint64_t k_;
};

MEMBRANE_TARGET_END
