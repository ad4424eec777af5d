// For 64-bit integer keys: two chained 64-bit finalisers (splitmix64's; each a bijection, so distinct integers have distinct
// hashes). Faster than the byte hashes and, like xxh3, not resistant to chosen keys.
#pragma once

#include <cstdint>

#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

constexpr std::uint64_t finalise64(std::uint64_t word) noexcept {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

constexpr key_hash integer_mix(const hash_key& key, std::uint64_t number) noexcept {
    const std::uint64_t low = finalise64(number ^ key.low);
    return {low, finalise64(low + key.high + 0x9e3779b97f4a7c15)};
}

}  // namespace membrane
