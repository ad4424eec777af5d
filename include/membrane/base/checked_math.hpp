// Overflow-checked arithmetic for sizes: a product that wraps must never become a small allocation. Empty on overflow.
#pragma once

#include <cstdint>
#include <optional>

namespace membrane {

constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    if (sum < a) return std::nullopt;
    return sum;
}

constexpr std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
    return a * b;
}

// For counts of keys, which may be too high but never too low: a sum that does not fit is the largest number.
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    return checked_add(a, b).value_or(UINT64_MAX);
}

constexpr std::uint64_t divide_rounding_up(std::uint64_t a, std::uint64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

// The least multiple of `unit` that is at least `a`; empty if it does not fit into 64 bits.
constexpr std::optional<std::uint64_t> round_up(std::uint64_t a, std::uint64_t unit) {
    return checked_multiply(divide_rounding_up(a, unit), unit);
}

}  // namespace membrane
