// Members and strangers: 16-byte text keys that never overlap, and their hashes. Members are made in chunks, outside the
// clock, so that a hundred million of them need no memory; what is asked for is an evenly spaced sample of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

namespace bench {

using text_key = std::array<char, 16>;

inline std::string_view text_of(const text_key& key) { return {key.data(), key.size()}; }

enum class side : char { member = 'm', stranger = 's' };

inline text_key make_key(side which, std::uint64_t number) {
    text_key key;
    key[0] = static_cast<char>(which);
    std::uint64_t word = membrane::finalise64(number + 1);
    for (std::size_t i = 1; i < key.size(); ++i, word >>= 4) key[i] = "0123456789abcdef"[word & 15];
    return key;
}

struct key_set {
    std::vector<text_key> keys;
    std::vector<membrane::key_hash> hashes;

    void clear() {
        keys.clear();
        hashes.clear();
    }
    void add(side which, std::uint64_t number, const membrane::hasher& hash) {
        keys.push_back(make_key(which, number));
        hashes.push_back(hash(text_of(keys.back())));
    }
    std::size_t size() const { return keys.size(); }
};

// What a round asks for.
struct asked_keys {
    static constexpr std::uint64_t most = 4'000'000;

    asked_keys(std::uint64_t members_in_all, const membrane::hasher& hash) {
        const std::uint64_t count = std::min(members_in_all, most);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto spread = static_cast<std::uint64_t>(
                static_cast<double>(i) * (static_cast<double>(members_in_all) / static_cast<double>(count)));
            members.add(side::member, std::min(spread, members_in_all - 1), hash);
            strangers.add(side::stranger, i, hash);
        }
    }
    key_set members, strangers;
};

// `use(chunk)` for the members from `first` to `last`, a chunk at a time.
template <class Use>
void for_each_chunk(std::uint64_t first, std::uint64_t last, const membrane::hasher& hash, Use&& use) {
    constexpr std::uint64_t chunk_keys = 1 << 18;
    key_set chunk;
    for (std::uint64_t begin = first; begin < last; begin += chunk_keys) {
        chunk.clear();
        for (std::uint64_t i = begin; i < std::min(begin + chunk_keys, last); ++i)
            chunk.add(side::member, i, hash);
        use(static_cast<const key_set&>(chunk));
    }
}

}  // namespace bench
