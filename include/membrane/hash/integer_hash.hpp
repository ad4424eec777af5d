// For 64-bit integer keys of the program's own: two multiplications to 128 bits, each folded, so that a lookup waits for few
// instructions. Keyed, but not resistant to chosen keys: whoever knows the key, or can watch the answers, finds integers that meet.
// The first multiplication spreads the key's bits; its result alone would place multiples of a number too evenly, or in lumps. The first
// word, which chooses the line in most kinds, is that of the second multiplication; the second word costs a rotation and an addition.
#pragma once

#include <bit>
#include <cstdint>

#include <membrane/base/multiply.hpp>
#include <membrane/hash/hash_key.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

constexpr key_hash integer_fold(const hash_key& key, std::uint64_t number) noexcept {
    // Added, where the rest is exclusive or: compilers would otherwise regroup it and compute `key.high ^ constant` for each number.
    const std::uint64_t spread =
        fold_multiply(number ^ key.low, 0x9e3779b97f4a7c15) + (key.high ^ 0x94d049bb133111eb);
    const std::uint64_t low = fold_multiply(spread, 0xbf58476d1ce4e5b9);
    return {low, std::rotl(low, 32) + spread};
}

// splitmix64's finaliser: a bijection that changes half of the bits for each bit of the word.
constexpr std::uint64_t finalise64(std::uint64_t word) noexcept {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

// The integers of files with hash `mix`, which are only read: two finalisers, one after the other. integer_fold is shorter.
constexpr key_hash integer_mix(const hash_key& key, std::uint64_t number) noexcept {
    const std::uint64_t low = finalise64(number ^ key.low);
    return {low, finalise64(low + key.high + 0x9e3779b97f4a7c15)};
}

}  // namespace membrane
