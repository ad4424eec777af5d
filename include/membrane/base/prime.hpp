// Primality for the schemes that need a prime modulus (two-hash partitions and count-min rows). Miller-Rabin with the first
// twelve primes as bases is deterministic for every 64-bit number (Sorenson and Webster, 2015: the least composite that passes
// them all is above 2^64).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace membrane {

namespace detail {

constexpr std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using uint128 = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<uint128>(a) * b % modulus);
#else
    std::uint64_t product = 0;
    for (a %= modulus, b %= modulus; b != 0; b >>= 1) {
        // (x + y) modulo `modulus`, computed as x - (modulus - y) because x + y could wrap.
        if (b & 1) product = product >= modulus - a ? product - (modulus - a) : product + a;
        a = a >= modulus - a ? a - (modulus - a) : a + a;
    }
    return product;
#endif
}

constexpr std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent,
                                     std::uint64_t modulus) noexcept {
    std::uint64_t power = 1;
    for (base %= modulus; exponent != 0; exponent >>= 1) {
        if (exponent & 1) power = multiply_modulo(power, base, modulus);
        base = multiply_modulo(base, base, modulus);
    }
    return power;
}

// True if `base` proves the odd number `n` composite, where n - 1 = odd_part * 2^twos.
constexpr bool is_witness(std::uint64_t base, std::uint64_t n, std::uint64_t odd_part, int twos) noexcept {
    std::uint64_t power = power_modulo(base, odd_part, n);
    if (power == 1 || power == n - 1) return false;
    for (int i = 1; i < twos; ++i) {
        power = multiply_modulo(power, power, n);
        if (power == n - 1) return false;
    }
    return true;
}

}  // namespace detail

constexpr bool is_prime(std::uint64_t n) noexcept {
    constexpr std::array<std::uint64_t, 12> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (n < 2) return false;
    for (const std::uint64_t base : bases) {
        if (n % base == 0) return n == base;
    }
    std::uint64_t odd_part = n - 1;
    int twos = 0;
    for (; odd_part % 2 == 0; odd_part /= 2) ++twos;
    for (const std::uint64_t base : bases) {
        if (detail::is_witness(base, n, odd_part, twos)) return false;
    }
    return true;
}

// The least prime >= n; empty above 18446744073709551557, the largest 64-bit prime.
constexpr std::optional<std::uint64_t> next_prime(std::uint64_t n) noexcept {
    if (n <= 2) return 2;
    for (n |= 1;; n += 2) {
        if (is_prime(n)) return n;
        if (n == UINT64_MAX) return std::nullopt;
    }
}

// The greatest prime <= n; empty below 2.
constexpr std::optional<std::uint64_t> prev_prime(std::uint64_t n) noexcept {
    if (n < 2) return std::nullopt;
    if (n == 2) return 2;
    for (n -= n % 2 == 0 ? 1 : 0;; n -= 2) {
        if (is_prime(n)) return n;
    }
}

}  // namespace membrane
