// Ranges of keys for whoever has a hash function: keys are hashed a piece at a time, so that the hashes stay in the nearest caches and no
// memory is allocated. And what the owners of filters check before they build.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>

#include <membrane/base/result.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/hash/key.hpp>

namespace membrane {

// Words of answers for so many keys, one bit each.
constexpr std::size_t bitmap_words(std::size_t keys) { return (keys + 63) / 64; }

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

template <class Keys>
concept key_range = std::ranges::input_range<Keys>;

template <class Keys, class Key>
concept array_of = std::ranges::contiguous_range<Keys> && std::ranges::sized_range<Keys> &&
    std::same_as<std::ranges::range_value_t<Keys>, Key>;

// A multiple of the 64 answers of a word. Each piece fills the queue of prefetched lines and drains it: pieces of 256 cost 0.3 to 0.8 ns a
// key, these 0.1. Their hashes are 32 KB of stack.
inline constexpr std::size_t hash_piece = 2048;

// Calls use(hashes) for the hashes of one piece of the keys after the other, until it answers false. Hashes are used where they are.
template <class Hash, class Keys, class Use>
void for_hash_pieces(const Hash& hash, Keys&& keys, Use&& use) {
    using range = std::remove_reference_t<Keys>;
    if constexpr (array_of<range, key_hash>) {
        use(std::span<const key_hash>(std::ranges::data(keys), std::ranges::size(keys)));
    } else if constexpr (std::same_as<Hash, hasher> &&
                         (array_of<range, std::string_view> || array_of<range, std::uint64_t>)) {
        const std::span<const std::ranges::range_value_t<range>> all(std::ranges::data(keys),
                                                                     std::ranges::size(keys));
        key_hash hashes[hash_piece];
        for (std::size_t first = 0; first < all.size(); first += hash_piece) {
            const auto now = all.subspan(first, std::min(hash_piece, all.size() - first));
            hash.hash_all(now, hashes);
            if (!use(std::span<const key_hash>(hashes, now.size()))) return;
        }
    } else {
        key_hash hashes[hash_piece];
        std::size_t now = 0;
        for (const auto& key : keys) {
            hashes[now++] = hash_of(hash, key);
            if (now < hash_piece) continue;
            if (!use(std::span<const key_hash>(hashes, now))) return;
            now = 0;
        }
        if (now != 0) use(std::span<const key_hash>(hashes, now));
    }
}

// The batch calls over keys, made of those over hashes.

// change(hashes) answers how many were changed before the first refusal.
template <class Hash, class Keys, class Change>
std::size_t change_in_pieces(const Hash& hash, Keys&& keys, const Change& change) {
    std::size_t done = 0;
    for_hash_pieces(hash, keys, [&](std::span<const key_hash> hashes) {
        const std::size_t changed = change(hashes);
        done += changed;
        return changed == hashes.size();
    });
    return done;
}

// look_up(hashes, answers) answers how many may be present, and so does this.
template <class Hash, class Keys, class LookUp>
std::size_t look_up_in_pieces(const Hash& hash, Keys&& keys, std::span<std::uint64_t> answers,
                              const LookUp& look_up) {
    std::size_t present = 0, first = 0;
    for_hash_pieces(hash, keys, [&](std::span<const key_hash> hashes) {
        present += look_up(hashes, answers.subspan(first / 64));
        first += hashes.size();
        return true;
    });
    return present;
}

}  // namespace membrane
