// Keys for tests: hash keys by number and the hashes of consecutive integers, identical in every run.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/hash/hasher.hpp>

namespace membrane::test {

// A hasher with a hash key derived from `number`; different numbers give unrelated hash keys.
inline hasher numbered_hasher(std::uint64_t number, hash_id id = hash_id::fold) {
    const std::uint64_t low = finalise64(2 * number + 0x51ed270b0e5f3a1d);
    return {id, {low, finalise64(low + 0x2545f4914f6cdd1d)}};
}

// The hashes of the integers first .. first + count - 1.
inline std::vector<key_hash> hashes_of(const hasher& hash, std::uint64_t first, std::uint64_t count) {
    std::vector<key_hash> hashes;
    hashes.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) hashes.push_back(hash(first + i));
    return hashes;
}

// splitmix64: identical on every platform, unlike the standard library's distributions.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return finalise64(state_ += 0x9e3779b97f4a7c15); }
    std::uint64_t below(std::uint64_t limit) { return fastrange(next(), limit); }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

}  // namespace membrane::test
