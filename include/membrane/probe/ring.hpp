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
        return total >= modulus_ ? total - modulus_ : total;
    }
    constexpr element advanced(element a, std::uint64_t by) const noexcept {
        a += by;
        while (a >= modulus_) a -= modulus_;  // more than once only in arrays smaller than `by` (at most 384)
        return a;
    }
    constexpr std::uint64_t position(element a) const noexcept { return a; }

private:
    std::uint64_t modulus_;
};

class word_ring {
public:
    static constexpr bool distinct = true;  // for up to 64 probes
    struct element {
        std::uint64_t word;
        std::uint64_t bit;
    };

    explicit constexpr word_ring(std::uint64_t size_bits) noexcept : words_(size_bits / 64) {}

    constexpr element start(std::uint64_t uniform) const noexcept {
        return {words_.start(uniform), uniform & 63};
    }
    constexpr element stride(std::uint64_t uniform) const noexcept {
        return {words_.start(uniform), (uniform & 63) | 1};
    }
    constexpr element sum(element a, element b) const noexcept {
        return {words_.sum(a.word, b.word), (a.bit + b.bit) & 63};
    }
    constexpr element advanced(element a, std::uint64_t by) const noexcept {
        return {words_.advanced(a.word, by), (a.bit + by) & 63};
    }
    constexpr std::uint64_t position(element a) const noexcept { return a.word * 64 + a.bit; }

private:
    flat_ring words_;
};

}  // namespace membrane
