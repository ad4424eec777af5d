// Batches of keys for whoever has a hasher: keys are hashed a chunk at a time, so that the hashes stay in the first-level cache and
// no memory is allocated. And what the owners of filters check before they build.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/result.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/hash/hasher.hpp>

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
