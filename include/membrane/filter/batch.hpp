// Many keys at once: the memory of a key a little ahead is asked for while the present one is answered, so that
// the waits overlap. The same answers as one by one, in the same order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/hash/key_hash.hpp>

namespace membrane {

inline constexpr std::size_t batch_lookahead = 16;

constexpr std::size_t bitmap_words(std::size_t keys) { return (keys + 63) / 64; }

// Bit i of `answers` (little end first within each word) is the answer for hashes[i]; unused bits are zero.
// Returns the number of keys that may be present. `answers` has bitmap_words(hashes.size()) words.
template <class View>
std::size_t may_contain_many(const View& view, std::span<const key_hash> hashes,
                             std::span<std::uint64_t> answers) noexcept {
    std::size_t present = 0;
    if constexpr (requires(bool& state) { view.may_contain_block(hashes, state); }) {
        bool is_mostly_present = false;
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            const auto block = hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
            answers[first / 64] = view.may_contain_block(block, is_mostly_present);
            present += static_cast<std::size_t>(std::popcount(answers[first / 64]));
        }
        return present;
    }
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

// Returns how many were stored before the first refusal; all of them unless the filter is full.
template <class View>
std::size_t insert_many(View& view, std::span<const key_hash> hashes) noexcept {
    for (std::size_t i = 0; i < std::min(batch_lookahead, hashes.size()); ++i)
        view.prefetch_insert(hashes[i]);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (i + batch_lookahead < hashes.size()) view.prefetch_insert(hashes[i + batch_lookahead]);
        if (!view.insert(hashes[i])) return i;
    }
    return hashes.size();
}

}  // namespace membrane
