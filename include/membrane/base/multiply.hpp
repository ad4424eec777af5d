// 64 x 64 -> 128-bit multiplication, and two functions built on it: fastrange maps a hash to [0, range) without a division
// (Lemire 2019; any range, not only powers of two), fold_multiply mixes two words into one.
#pragma once

#include <cstdint>

namespace membrane {

struct wide_product {
    std::uint64_t low;
    std::uint64_t high;
};

constexpr wide_product multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(a) * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
    const std::uint64_t a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t carry = a_low * b_high + (middle & 0xffffffff);
    return {(carry << 32) | (low & 0xffffffff), a_high * b_high + (middle >> 32) + (carry >> 32)};
#endif
}

// floor(uniform * range / 2^64): in [0, range), each value with the same chance up to range / 2^64; 0 when range is 0.
constexpr std::uint64_t fastrange(std::uint64_t uniform, std::uint64_t range) noexcept {
    return multiply_wide(uniform, range).high;
}

constexpr std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    const wide_product product = multiply_wide(a, b);
    return product.low ^ product.high;
}

}  // namespace membrane
