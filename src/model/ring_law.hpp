// Probabilities in the ring Z_m of double hashing, with any strides, or with odd strides and m a multiple of 64. Strides b, b'
// are random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <membrane/model/less_hashing.hpp>

namespace membrane::model {

class ring_law {
public:
    ring_law(std::uint64_t m, stride_rule strides, std::uint64_t most_order)
        : odd_(strides == stride_rule::coprime),
          m_(static_cast<std::int64_t>(m)),
          stride_count_(static_cast<double>(m) / (odd_ ? 2 : 1)),
          of_order_(most_order + 1) {
        for (std::uint64_t d = 1; d <= most_order; ++d) {
            std::uint64_t elements = std::gcd(d, m);
            for (std::uint64_t e = 1; e < d; ++e) elements -= d % e == 0 ? of_order_[e] : 0;
            of_order_[d] = elements;
        }
    }

    bool has_odd_strides() const { return odd_; }
    double stride_count() const { return stride_count_; }

    // Probability that a random element (an even one if strides are odd, as a difference of two strides is) has order d < 64. All
    // elements of such an order are even, because m is a multiple of 64.
    double order_chance(std::uint64_t d) const { return static_cast<double>(of_order_[d]) / stride_count_; }

    // The equation u b + v b' = c for two random strides: solvable with probability `chance` if c fits, otherwise never.
    struct equation {
        std::int64_t divides;  // c - offset must be a multiple of this
        std::int64_t offset;
        double chance;

        bool always_fits() const { return divides == 1; }
        bool fits(std::int64_t c) const { return (c - offset) % divides == 0; }
        // c - offset modulo `divides`, not negative; c fits if it is 0.
        std::size_t remainder(std::int64_t c) const {
            const std::int64_t rest = c % divides;
            return static_cast<std::size_t>(rest < 0 ? rest + divides : rest);
        }
    };

    equation equation_of(std::int64_t u, std::int64_t v) const {
        const std::int64_t step = std::gcd(u, v);
        if (!odd_) {
            const std::int64_t common = std::gcd(step, m_);
            return {common, 0, static_cast<double>(common) / static_cast<double>(m_)};
        }
        // b = 2 beta + 1, b' = 2 beta' + 1: u beta + v beta' = (c - u - v) / 2 modulo m / 2.
        const std::int64_t common = std::gcd(step, m_ / 2);
        return {2 * common, u + v, 2 * static_cast<double>(common) / static_cast<double>(m_)};
    }

private:
    bool odd_;
    std::int64_t m_;
    double stride_count_;
    std::vector<std::uint64_t> of_order_;
};

}  // namespace membrane::model
