// Members and strangers: 16-byte text keys that never overlap, and their hashes, in random order of memory access.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

namespace bench {

using text_key = std::array<char, 16>;

inline text_key make_key(char side, std::uint64_t number) {
    text_key key;
    key[0] = side;
    std::uint64_t word = membrane::finalise64(number + 1);
    for (std::size_t i = 1; i < key.size(); ++i, word >>= 4) key[i] = "0123456789abcdef"[word & 15];
    return key;
}

struct key_set {
    key_set(char side, std::uint64_t count, const membrane::hasher& hash) {
        keys.reserve(count);
        hashes.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            keys.push_back(make_key(side, i));
            hashes.push_back(hash(std::string_view(keys.back().data(), keys.back().size())));
        }
    }
    std::vector<text_key> keys;
    std::vector<membrane::key_hash> hashes;
};

}  // namespace bench
