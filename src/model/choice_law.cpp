#include <membrane/model/choice_law.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <membrane/model/less_hashing.hpp>

#include "model/normal_nodes.hpp"

namespace membrane::model {

namespace {

double power(double base, std::uint64_t exponent) {
    double value = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 != 0) value *= base;
    return value;
}

struct growth_now {
    double mean = 0;      // A: mean of the new bits of one key
    double variance = 0;  // B
};

class one_key {
public:
    one_key(double bits, std::uint64_t choices, std::uint64_t k, positions in_group)
        : bits_(bits), choices_(choices), k_(k), in_group_(in_group) {}

    growth_now at(double ones) const {
        const double unset = std::clamp(bits_ - ones, 0.0, bits_);
        std::array<double, max_probes + 1> chance{};  // of j new bits after i positions
        chance[0] = 1;
        // No more new bits than there are unset ones.
        const std::uint64_t most = static_cast<std::uint64_t>(std::ceil(unset));
        for (std::uint64_t i = 0; i < k_; ++i) {
            const double room =
                in_group_ == positions::distinct ? std::max(1.0, bits_ - static_cast<double>(i)) : bits_;
            for (std::uint64_t j = std::min(i + 1, most); j-- != 0;) {
                const double fresh =
                    std::clamp((unset - static_cast<double>(j)) / room, 0.0, 1.0) * chance[j];
                chance[j + 1] += fresh;
                chance[j] -= fresh;
            }
        }
        // The least of c: E X = sum of Pr(X >= j), E X^2 = sum of (2j - 1) Pr(X >= j).
        double at_least = 0, mean = 0, square = 0;
        for (std::uint64_t j = k_; j != 0; --j) {
            at_least = std::min(1.0, at_least + chance[j]);
            const double all = power(at_least, choices_);
            mean += all;
            square += static_cast<double>(2 * j - 1) * all;
        }
        return {mean, std::max(0.0, square - mean * mean)};
    }

private:
    double bits_;
    std::uint64_t choices_, k_;
    positions in_group_;
};

// Propagates mean and variance of the ones by single keys or by steps of many keys.
class ones_law {
public:
    ones_law(double bits, const one_key& key) : bits_(bits), key_(key) {}

    void add(double keys) {
        constexpr double one_by_one = 256;
        const double first = std::min(keys, one_by_one);
        for (double i = 0; i < first; ++i) {
            if (bits_ - mean_ < 1e-3) return;
            const slope now = slope_at(mean_);
            variance_ = std::min(variance_ * (1 + now.first) * (1 + now.first) + now.here.variance, bits_);
            mean_ = std::clamp(mean_ + now.here.mean + now.second * variance_ / 2, 0.0, bits_);
        }
        double left = keys - first;
        // A few hundred steps fill any array; the limit only matters for arguments that no filter has.
        for (int steps = 0; left > 0 && steps < 4096; ++steps) {
            const slope now = slope_at(mean_);
            if (now.here.mean * left < 1e-9 * bits_ || bits_ - mean_ < 1e-3) return;
            const double gentle = 0.004 * bits_ / now.here.mean;
            const double stable = now.first < 0 ? -0.1 / now.first : gentle;
            const double step = std::min({left, gentle, stable});
            midpoint(now, step);
            left -= step;
        }
    }

    mean_and_scatter fraction() const { return {mean_ / bits_, std::sqrt(std::max(0.0, variance_)) / bits_}; }

private:
    struct slope {
        growth_now here;
        double first, second;  // derivatives of A
    };
    slope slope_at(double ones) const {
        // Not beyond the full array, where A has a kink: differences across it would overestimate the last steps.
        const double reach = std::min(std::max(1.0, bits_ * 1e-3), std::max(1e-6, (bits_ - ones) / 2));
        const growth_now here = key_.at(ones);
        const double above = key_.at(ones + reach).mean;
        const double below = key_.at(ones - reach).mean;
        return {here, (above - below) / (2 * reach), (above - 2 * here.mean + below) / (reach * reach)};
    }
    // d mean / d key, with the correction for whole keys.
    static double drift(const slope& at, double variance) {
        return at.here.mean * (1 - at.first / 2) + at.second * variance / 2;
    }
    void midpoint(const slope& now, double step) {
        const double half_mean = std::min(bits_, mean_ + step / 2 * drift(now, variance_));
        const double half_variance = variance_ + step / 2 * (2 * now.first * variance_ + now.here.variance);
        const slope middle = slope_at(half_mean);
        mean_ = std::clamp(mean_ + step * drift(middle, half_variance), 0.0, bits_);
        // Never wider than independently set bits: near the full array the expansion is no longer valid.
        variance_ = std::clamp(variance_ + step * (2 * middle.first * half_variance + middle.here.variance),
                               0.0, bits_ - mean_);
    }

    double bits_;
    one_key key_;
    double mean_ = 0, variance_ = 0;
};

// Probability that k positions of one group are all ones.
double covered(double ones, double bits, std::uint64_t k, positions in_group) {
    if (in_group == positions::may_repeat) return power(std::clamp(ones / bits, 0.0, 1.0), k);
    double chance = 1;
    for (std::uint64_t i = 0; i < k; ++i) {
        const double taken = static_cast<double>(i);
        chance *= bits > taken ? std::clamp((ones - taken) / (bits - taken), 0.0, 1.0) : 1;
    }
    return chance;
}

}  // namespace

mean_and_scatter choice_ones_law(std::uint64_t n, std::uint64_t m, std::uint64_t choices, std::uint64_t k,
                                 positions in_group) {
    if (n == 0 || m == 0) return {};
    const double bits = static_cast<double>(m);
    ones_law law(bits, one_key(bits, std::clamp<std::uint64_t>(choices, 1, 64),
                               std::clamp<std::uint64_t>(k, 1, max_probes), in_group));
    law.add(static_cast<double>(n));
    return law.fraction();
}

mean_and_scatter choice_rate_law(mean_and_scatter ones, std::uint64_t m, std::uint64_t choices,
                                 std::uint64_t k, positions in_group, double shared) {
    if (m == 0) return {1, 0};
    const double bits = static_cast<double>(m);
    const auto rate = [&](double fraction) {
        const double one_group = covered(fraction * bits, bits, std::min(k, max_probes), in_group);
        const double with_shared = std::clamp(one_group + (1 - one_group) * shared, 0.0, 1.0);
        return -std::expm1(static_cast<double>(choices) * std::log1p(-with_shared));
    };
    double mean = 0, square = 0;
    for (const normal_node& each : normal_nodes) {
        const double here = rate(std::clamp(ones.mean + each.sigmas * ones.stddev, 0.0, 1.0));
        mean += each.weight * here;
        square += each.weight * here * here;
    }
    return {std::clamp(mean, 0.0, 1.0), std::sqrt(std::max(0.0, square - mean * mean))};
}

}  // namespace membrane::model
