// The hash function of tables in memory whose entries come from a file, a reply or a stream. Whoever writes those also knows the
// hash key of the filter, and could choose hashes that all meet in one bucket; so the order of a table depends on a key that
// nobody sees: random, and the same for one run of the program.
#pragma once

#include <cstddef>

#include <membrane/base/multiply.hpp>
#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

// Zeros if the operating system refuses random bytes.
inline const hash_key& key_of_this_process() {
    static const hash_key key = [] {
        const auto random = random_hash_key();
        return random ? *random : hash_key{};
    }();
    return key;
}

struct process_hash {
    std::size_t operator()(const key_hash& hash) const {
        const hash_key& key = key_of_this_process();
        return static_cast<std::size_t>(fold_multiply(hash.low ^ key.low, hash.high ^ key.high));
    }
};

}  // namespace membrane
