// The two rings in which double hashing walks.
//
// flat_ring: the integers modulo m, any stride 0 .. m-1: the paper's scheme (less hashing, section 5). Strides of
//   small order (0, m/2, ...) repeat positions and are its main error at finite size.
// word_ring: Z_64 x Z_words: the bit inside a 64-bit word advances by an odd stride, the word by any stride.
//   No stride repeats a position within 64 probes, whatever the number of words: the paper's error term from
//   degenerate strides vanishes for every size, without a prime or a power of two and without a division.
//   It has 32 * words strides, as many as the odd strides of Z_m (decision 0001).
#pragma once

#include <cstdint>

#include <membrane/base/multiply.hpp>
#include <membrane/probe/place.hpp>

namespace membrane {

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
        while (a >= modulus_) a -= modulus_;  // more than once only in arrays smaller than `by` (at most 384)
        return a;
    }
    constexpr place place_of(element a) const noexcept { return place::at(a); }

private:
    std::uint64_t modulus_;
};

class word_ring {
public:
    static constexpr bool distinct = true;  // for up to 64 probes
    struct element {
        std::uint64_t word;
        std::uint64_t bit;  // modulo 64, which a shift does for nothing
    };

    explicit constexpr word_ring(std::uint64_t size_bits) noexcept : words_(size_bits / 64) {}

    constexpr element start(std::uint64_t uniform) const noexcept {
        return {words_.start(uniform), uniform & 63};
    }
    constexpr element stride(std::uint64_t uniform) const noexcept {
        return {words_.start(uniform), (uniform & 63) | 1};
    }
    constexpr element sum(element a, element b) const noexcept {
        return {words_.sum(a.word, b.word), a.bit + b.bit};
    }
    constexpr element advanced(element a, std::uint64_t by) const noexcept {
        return {words_.advanced(a.word, by), a.bit + by};
    }
    constexpr place place_of(element a) const noexcept { return {a.word, a.bit}; }

private:
    flat_ring words_;
};

}  // namespace membrane
