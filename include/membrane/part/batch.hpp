// Many keys at once: the memory of a key a little ahead is asked for while the present one is answered, so that
// the waits overlap. The same answers as one by one, in the same order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/result.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/part/batch_ring.hpp>
#include <membrane/hash/hash_batches.hpp>
#include <membrane/hash/hasher.hpp>

namespace membrane {

constexpr std::size_t bitmap_words(std::size_t keys) { return (keys + 63) / 64; }

// `ask(block)` answers up to 64 keys as the bits of a word.
template <class Ask>
std::size_t ask_in_blocks(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                          Ask&& ask) noexcept {
    std::size_t present = 0;
    for (std::size_t first = 0; first < hashes.size(); first += 64) {
        const std::uint64_t word =
            ask(hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first)));
        answers[first / 64] = word;
        present += static_cast<std::size_t>(std::popcount(word));
    }
    return present;
}
// Bit i of `answers` (little end first within each word) is the answer for hashes[i]; unused bits are zero.
// Returns the number of keys that may be present. `answers` has bitmap_words(hashes.size()) words.
template <class View>
std::size_t may_contain_many(const View& view, std::span<const key_hash> hashes,
                             std::span<std::uint64_t> answers) noexcept {
    if constexpr (requires { view.is_in_memory(); })
        if (view.is_in_memory()) return view.ask_in_memory(hashes, answers);
    if constexpr (requires { view.steps(); }) {
        return ask_in_ring(view.steps(), hashes, answers);
    } else if constexpr (requires(bool& state) { view.may_contain_block(hashes, state); }) {
        bool is_mostly_present = false;
        return ask_in_blocks(hashes, answers, [&](std::span<const key_hash> block) {
            return view.may_contain_block(block, is_mostly_present);
        });
    } else {
        std::size_t present = 0;
        for (std::size_t i = 0; i < std::min(batch_lookahead, hashes.size()); ++i) view.prefetch(hashes[i]);
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            const std::size_t last = std::min(first + 64, hashes.size());
            std::uint64_t word = 0;
            for (std::size_t i = first; i < last; ++i) {
                if (i + batch_lookahead < hashes.size()) view.prefetch(hashes[i + batch_lookahead]);
                const std::uint64_t yes = view.may_contain(hashes[i]) ? 1 : 0;
                word |= yes << (i - first);
                present += yes;
            }
            answers[first / 64] = word;
        }
        return present;
    }
}

// The memory of each of so many keys is asked for by ask(i) before change(i), until that answers false. Returns how many were not
// refused.
template <class Ask, class Change>
std::size_t change_in_turn(std::size_t keys, const Ask& ask, const Change& change) noexcept {
    for (std::size_t i = 0; i < std::min(batch_lookahead, keys); ++i) ask(i);
    for (std::size_t i = 0; i < keys; ++i) {
        if (i + batch_lookahead < keys) ask(i + batch_lookahead);
        if (!change(i)) return i;
    }
    return keys;
}
// The same with a step in between: when what was asked for has come, it says where there is more, which ask_further(i) asks for.
template <class Ask, class AskFurther, class Change>
std::size_t change_in_turn(std::size_t keys, const Ask& ask, const AskFurther& ask_further,
                           const Change& change) noexcept {
    for (std::size_t i = 0; i < std::min(batch_lookahead, keys); ++i) ask(i);
    return change_in_turn(
        keys,
        [&](std::size_t i) {
            if (i + batch_lookahead < keys) ask(i + batch_lookahead);
            ask_further(i);
        },
        change);
}

// Returns how many were stored before the first refusal; all of them unless the filter is full.
// `code` goes with each key to the view, where it takes one.
template <class View, class... Code>
std::size_t insert_many(View& view, std::span<const key_hash> hashes, const Code&... code) noexcept {
    if constexpr (requires { view.is_empty(); })
        if (view.is_worth_filling(hashes.size(), 1) && view.is_empty() && view.fill_empty(hashes, 1))
            return hashes.size();
    if constexpr (requires { view.insert_block(hashes); }) {
        view.insert_block(hashes);
        return hashes.size();
    } else {
        const auto ask = [&](std::size_t i) { view.prefetch_insert(hashes[i]); };
        const auto insert = [&](std::size_t i) { return view.insert(hashes[i], code...); };
        if constexpr (requires { view.prefetch_forwarding(hashes[0], code...); })
            return change_in_turn(
                hashes.size(), ask, [&](std::size_t i) { view.prefetch_forwarding(hashes[i], code...); },
                insert);
        else return change_in_turn(hashes.size(), ask, insert);
    }
}

// Returns how many were there; each is erased once.
template <class View, class... Code>
std::size_t erase_many(View& view, std::span<const key_hash> hashes, const Code&... code) noexcept {
    std::size_t erased = 0;
    const auto ask = [&]([[maybe_unused]] std::size_t i) {
        if constexpr (requires { view.prefetch_insert(hashes[i]); }) view.prefetch_insert(hashes[i]);
    };
    if constexpr (requires { view.erase_asked(hashes[0], code...); })
        change_in_turn(
            hashes.size(), ask, [&](std::size_t i) { view.prefetch_forwarded(hashes[i], code...); },
            [&](std::size_t i) {
                erased += view.erase_asked(hashes[i], code...) ? 1 : 0;
                return true;
            });
    else
        change_in_turn(hashes.size(), ask, [&](std::size_t i) {
            erased += view.erase(hashes[i], code...) ? 1 : 0;
            return true;
        });
    return erased;
}

// All keys of an empty filter, by several threads where the view can: the bytes that insertion in this order gives. False
// if they do not fit; the filter then holds some of them.
template <class View, class... Code>
bool insert_all(View& view, const hash_batches& hashes, unsigned threads, const Code&... code) noexcept {
    if constexpr (requires { view.fill_empty(hashes, threads); })
        if (view.is_worth_filling(hashes.size(), threads) && view.fill_empty(hashes, threads)) return true;
    return hashes.visit_range(0, hashes.size(), [&](std::span<const key_hash> piece) {
        return insert_many(view, piece, code...) == piece.size();
    });
}

// What the owners' `build` asks first: no keys, and a payload of zeros, which is the empty filter of every kind. A file may say
// that there are no keys and hold some; counters that were at their most do not go back when the keys are erased. Nothing
// of either is overwritten: whoever wants that clears the filter.
inline result<void> check_empty(std::uint64_t keys, std::span<const std::byte> payload) {
    if (keys != 0)
        return make_error(errc::bad_field, "keys of the filter to build")
            .with_found(keys)
            .with_expected(0)
            .with_note("not empty; clear it first");
    if (!are_all_zero(payload))
        return make_error(errc::bad_field, "payload of the filter to build")
            .with_note("not empty, though it counts no keys; clear it first");
    return {};
}
inline error too_many(std::uint64_t keys) {
    return make_error(errc::full, "filter").with_found(keys).with_note("plan for more keys");
}

// Keys that are not hashes yet are hashed a chunk at a time, so that the hashes stay in the nearest cache and no memory
// is taken. `use(first, hashes, done)` adds to `done` and answers whether to go on.
template <class Key, class Use>
std::size_t in_hashed_chunks(const hasher& hash, std::span<const Key> keys, Use&& use) noexcept {
    constexpr std::size_t chunk = 256;  // a multiple of the 64 answers of a word
    key_hash hashes[chunk];
    std::size_t done = 0;
    for (std::size_t first = 0; first < keys.size(); first += chunk) {
        const auto now = keys.subspan(first, std::min(chunk, keys.size() - first));
        hash.hash_all(now, hashes);
        if (!use(first, std::span<const key_hash>(hashes, now.size()), done)) break;
    }
    return done;
}

// The batch calls of whoever has a hasher, over keys: `Filter` has them over hashes.
template <class Filter, class Key>
std::size_t may_contain_keys(const Filter& filter, std::span<const Key> keys,
                             std::span<std::uint64_t> answers) noexcept {
    return in_hashed_chunks(filter.hash(), keys,
                            [&](std::size_t first, std::span<const key_hash> hashes, std::size_t& done) {
                                done += filter.may_contain_many(hashes, answers.subspan(first / 64));
                                return true;
                            });
}
template <class Filter, class Key>
std::size_t insert_keys(Filter& filter, std::span<const Key> keys) noexcept {
    return in_hashed_chunks(filter.hash(), keys,
                            [&](std::size_t, std::span<const key_hash> hashes, std::size_t& done) {
                                const std::size_t stored = filter.insert_many(hashes);
                                done += stored;
                                return stored == hashes.size();
                            });
}

// erase(hashes) answers how many of them were there.
template <class Key, class Erase>
std::size_t erase_keys(const hasher& hash, std::span<const Key> keys, const Erase& erase) noexcept {
    return in_hashed_chunks(hash, keys,
                            [&](std::size_t, std::span<const key_hash> hashes, std::size_t& done) {
                                done += erase(hashes);
                                return true;
                            });
}

}  // namespace membrane
