// Chances in the ring where progressions walk: Z_m with any stride, or Z_64 x Z_(m/64) with strides that are odd inside
// the word. Strides b, b' are drawn at random; the growth of an enhanced progression adds whole numbers to both parts.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include <membrane/model/less_hashing.hpp>

namespace membrane::model {

class ring_law {
public:
    ring_law(std::uint64_t m, stride_rule strides, std::uint64_t most_order)
        : odd_(strides == stride_rule::coprime),
          words_(static_cast<std::int64_t>(odd_ ? m / 64 : m)),
          stride_count_(static_cast<double>(m) / (odd_ ? 2 : 1)),
          of_order_(most_order + 1) {
        for (std::uint64_t d = 1; d <= most_order; ++d) {
            std::uint64_t elements =
                std::gcd(d, static_cast<std::uint64_t>(words_)) * (odd_ ? std::gcd<std::uint64_t>(d, 64) : 1);
            for (std::uint64_t e = 1; e < d; ++e) elements -= d % e == 0 ? of_order_[e] : 0;
            of_order_[d] = elements;
        }
    }

    bool has_odd_strides() const { return odd_; }
    double stride_count() const { return stride_count_; }

    // Chance that a random element, even inside the word where strides are odd (as a difference of two strides is), has order d.
    double order_chance(std::uint64_t d) const { return static_cast<double>(of_order_[d]) / stride_count_; }

    // The equation u b + v b' = c for two random strides: solved with `chance` if c fits, never otherwise.
    struct equation {
        std::int64_t words_divide;   // c must be a multiple of this
        std::int64_t inside_divide;  // c - (u + v) must be a multiple of this
        std::int64_t u_and_v;
        double chance;

        bool always_fits() const { return words_divide == 1 && inside_divide == 1; }
        bool fits(std::int64_t c) const {
            return c % words_divide == 0 && (c - u_and_v) % inside_divide == 0;
        }
    };

    equation equation_of(std::int64_t u, std::int64_t v) const {
        const std::int64_t step = std::gcd(u, v);
        const std::int64_t common = std::gcd(step, words_);
        const double in_words = static_cast<double>(common) / static_cast<double>(words_);
        if (!odd_) return {common, 1, u + v, in_words};
        // b = 2 beta + 1, b' = 2 beta' + 1 inside the word: 2 (u beta + v beta') = c - u - v modulo 64.
        const std::int64_t inside = std::gcd<std::int64_t>(step, 32);
        return {common, 2 * inside, u + v, in_words * static_cast<double>(inside) / 32};
    }

private:
    bool odd_;
    std::int64_t words_;
    double stride_count_;
    std::vector<std::uint64_t> of_order_;
};

}  // namespace membrane::model
