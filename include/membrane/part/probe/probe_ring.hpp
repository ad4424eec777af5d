// The two rings in which double hashing walks, both the integers modulo m.
//
// flat_ring: any stride 0 .. m-1: the paper's scheme (less hashing, section 5). Strides of small order (0, m/2, ...)
//   repeat positions and are its main error at finite size.
// odd_ring: odd strides, m a multiple of 64. An odd stride shares only odd factors with m, so that its order is a
//   multiple of 64: no key repeats a position within 64 probes, whatever the number of words, without a prime or a
//   power of two and without a division (decision 0001).
#pragma once

#include <cstdint>

#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/probe/place.hpp>

MEMBRANE_TARGET_BEGIN

class flat_ring {
public:
    using element = std::uint64_t;
    static constexpr bool distinct = false;

    explicit constexpr flat_ring(std::uint64_t modulus) noexcept : modulus_(modulus) {}

    constexpr element start(std::uint64_t uniform) const noexcept { return fastrange(uniform, modulus_); }
    constexpr element stride(std::uint64_t uniform) const noexcept { return fastrange(uniform, modulus_); }
    constexpr element sum(element a, element b) const noexcept {
        const element total = a + b;  // no wrap: sizes are below 2^57
        const element reduced = total - modulus_;
        return total < modulus_ ? total : reduced;
    }
    constexpr element advanced(element a, std::uint64_t by) const noexcept {
        a += by;
        if (a >= modulus_) a -= modulus_;
        if (a >= modulus_) a %= modulus_;  // only in arrays smaller than `by`, which is at most 384
        return a;
    }
    constexpr place place_of(element a) const noexcept { return place::at(a); }

private:
    std::uint64_t modulus_;
};

class odd_ring : public flat_ring {
public:
    static constexpr bool distinct = true;  // for up to 64 probes

    explicit constexpr odd_ring(std::uint64_t modulus) noexcept : flat_ring(modulus), half_(modulus / 2) {}

    constexpr element stride(std::uint64_t uniform) const noexcept {
        return fastrange(uniform, half_) * 2 + 1;
    }

private:
    std::uint64_t half_;
};

MEMBRANE_TARGET_END
