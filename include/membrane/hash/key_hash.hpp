// The 128-bit hash of a key. A key is hashed once; filters see only this type. It is not a plain integer, because a function
// that takes an integer would accept a key in place of its hash.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace membrane {

struct key_hash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend constexpr auto operator<=>(const key_hash&, const key_hash&) = default;
};

// Parts of the second word, each loaded separately from memory: extracting both from one register takes two more registers.
inline std::uint64_t upper_half_of_high(const key_hash& hash) noexcept {
    if constexpr (std::endian::native != std::endian::little) return hash.high >> 32;
    std::uint32_t half = 0;
    std::memcpy(&half, reinterpret_cast<const std::byte*>(&hash.high) + 4, sizeof half);
    return half;
}
inline std::uint64_t lowest_byte_of_high(const key_hash& hash) noexcept {
    if constexpr (std::endian::native != std::endian::little) return hash.high & 0xff;
    return std::to_integer<std::uint64_t>(*reinterpret_cast<const std::byte*>(&hash.high));
}

}  // namespace membrane
