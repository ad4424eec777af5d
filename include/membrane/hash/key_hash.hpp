// A key is hashed once, to 128 bits; everything behind sees this type and never the key. It is a type of its own
// because an integer parameter would happily take a key in place of its hash.
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

// Parts of the second word, each read by itself where the hash is in memory: a lookup that cuts both from one register takes two
// more of them.
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
