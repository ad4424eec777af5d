// Batches over hashes for any view: its own batch operation where it has one, else the generic one. The same answers and bytes as one
// key after the other, in the same order; memory is prefetched a few keys ahead, so that the waits overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/hash/hash_batches.hpp>
#include <membrane/part/batch_lookup.hpp>

MEMBRANE_TARGET_BEGIN

// Bit i of `answers` (lowest bit first) is the answer for hashes[i]; unused bits are zero. Returns the number of keys that may be
// present. `answers` has bitmap_words(hashes.size()) words.
template <class View>
std::size_t may_contain_many(const View& view, std::span<const key_hash> hashes,
                             std::span<std::uint64_t> answers) noexcept {
    if constexpr (requires { view.may_contain_many(hashes, answers); }) {
        return view.may_contain_many(hashes, answers);
    } else {
        std::size_t present = 0;
        for (std::size_t i = 0; i < std::min(write_lookahead, hashes.size()); ++i) view.prefetch(hashes[i]);
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            const std::size_t last = std::min(first + 64, hashes.size());
            std::uint64_t word = 0;
            for (std::size_t i = first; i < last; ++i) {
                if (i + write_lookahead < hashes.size()) view.prefetch(hashes[i + write_lookahead]);
                const std::uint64_t yes = view.may_contain(hashes[i]) ? 1 : 0;
                word |= yes << (i - first);
                present += yes;
            }
            answers[first / 64] = word;
        }
        return present;
    }
}

// Calls change(i) for each key in turn until it returns false, with prefetch(i) a few keys ahead. Returns how many changes were not
// refused.
template <class Prefetch, class Change>
std::size_t change_in_turn(std::size_t keys, const Prefetch& prefetch, const Change& change) noexcept {
    for (std::size_t i = 0; i < std::min(write_lookahead, keys); ++i) prefetch(i);
    for (std::size_t i = 0; i < keys; ++i) {
        if (i + write_lookahead < keys) prefetch(i + write_lookahead);
        if (!change(i)) return i;
    }
    return keys;
}
// Three stages: once the prefetched line has arrived, prefetch_next(i) reads it to see which line to prefetch next.
template <class Prefetch, class PrefetchNext, class Change>
std::size_t change_in_turn(std::size_t keys, const Prefetch& prefetch, const PrefetchNext& prefetch_next,
                           const Change& change) noexcept {
    for (std::size_t i = 0; i < std::min(write_lookahead, keys); ++i) prefetch(i);
    return change_in_turn(
        keys,
        [&](std::size_t i) {
            if (i + write_lookahead < keys) prefetch(i + write_lookahead);
            prefetch_next(i);
        },
        change);
}

// Returns how many were stored before the first refusal; all of them unless the filter is full.
template <class View>
std::size_t insert_many(View& view, std::span<const key_hash> hashes) noexcept {
    if constexpr (requires { view.insert_many(hashes); }) return view.insert_many(hashes);
    else
        return change_in_turn(
            hashes.size(), [&](std::size_t i) { view.prefetch_insert(hashes[i]); },
            [&](std::size_t i) { return view.insert(hashes[i]); });
}

// Returns how many were there; each is erased once.
template <class View>
std::size_t erase_many(View& view, std::span<const key_hash> hashes) noexcept {
    if constexpr (requires { view.erase_many(hashes); }) {
        return view.erase_many(hashes);
    } else {
        std::size_t erased = 0;
        const auto prefetch = [&]([[maybe_unused]] std::size_t i) {
            if constexpr (requires { view.prefetch_insert(hashes[i]); }) view.prefetch_insert(hashes[i]);
        };
        change_in_turn(hashes.size(), prefetch, [&](std::size_t i) {
            erased += view.erase(hashes[i]) ? 1 : 0;
            return true;
        });
        return erased;
    }
}

// All keys of an empty filter, by several threads where the view can: the bytes are those of insertion in this order. False if they
// do not fit; the filter then holds some of them.
template <class View>
bool insert_all(View& view, const hash_batches& hashes, unsigned threads) noexcept {
    if constexpr (requires { view.fill_empty(hashes, threads); })
        if (view.is_worth_filling(hashes.size(), threads) && view.fill_empty(hashes, threads)) return true;
    return hashes.visit_range(0, hashes.size(), [&](std::span<const key_hash> piece) {
        return insert_many(view, piece) == piece.size();
    });
}

MEMBRANE_TARGET_END
