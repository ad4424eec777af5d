#include <membrane/model/two_choice.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <membrane/model/less_hashing.hpp>

#include "model/domain.hpp"

namespace membrane::model {

namespace {

std::optional<error> problem_with(std::uint64_t choices, std::uint64_t k) {
    if (choices < 1 || choices > max_choice_groups)
        return make_error(errc::bad_field, "choices").with_found(choices).with_range(1, max_choice_groups);
    if (k < 1 || k > max_probes)
        return make_error(errc::bad_field, "k").with_found(k).with_range(1, max_probes);
    return std::nullopt;
}

bool is_size(double bits_per_key) { return within(bits_per_key, 0.25, 1e6); }
error bad_size() { return outside_domain("bits_per_key", "bits per key are between 0.25 and a million"); }

double power(double base, std::uint64_t exponent) {
    double value = 1;
    for (; exponent > 0; exponent /= 2, base *= base) {
        if (exponent % 2 != 0) value *= base;
    }
    return value;
}

// Number of new ones of a key: Pr(at least j) = Pr(Bin(k, 1-z) >= j)^c.
class new_ones {
public:
    new_ones(std::uint64_t choices, std::uint64_t k) : choices_(choices), k_(static_cast<std::size_t>(k)) {
        ways_[0] = 1;
        for (std::size_t i = 0; i < k_; ++i)
            ways_[i + 1] = ways_[i] * static_cast<double>(k_ - i) / static_cast<double>(i + 1);
    }

    double operator()(double z) const { return of(z).mean; }

    struct moments {
        double mean = 0, variance = 0;
    };
    moments of(double z) const {
        z = std::clamp(z, 0.0, 1.0);
        std::array<double, max_probes + 1> set{};
        set[0] = 1;
        for (std::size_t i = 0; i < k_; ++i) set[i + 1] = set[i] * z;
        std::array<double, max_probes + 1> exactly{};
        double unset = 1;
        for (std::size_t i = 0; i <= k_; ++i, unset *= 1 - z) exactly[i] = ways_[i] * unset * set[k_ - i];
        moments found;
        double at_least = 0;
        for (std::size_t i = k_; i > 0; --i) {
            at_least += exactly[i];
            const double all = power(std::min(at_least, 1.0), choices_);
            found.mean += all;
            found.variance += static_cast<double>(2 * i - 1) * all;
        }
        found.variance = std::max(0.0, found.variance - found.mean * found.mean);
        return found;
    }

private:
    std::uint64_t choices_;
    std::size_t k_;
    std::array<double, max_probes + 1> ways_{};
};

double ones_of(double bits_per_key, std::uint64_t choices, std::uint64_t k) {
    const new_ones slope(choices, k);
    // Runge-Kutta of order 4; a step sets at most 5 % of the array.
    const auto steps =
        static_cast<int>(std::max(400.0, std::ceil(20 * static_cast<double>(k) / bits_per_key)));
    const double step = 1 / static_cast<double>(steps) / bits_per_key;
    double z = 0;
    for (int i = 0; i < steps; ++i) {
        const double s1 = slope(z);
        const double s2 = slope(z + step / 2 * s1);
        const double s3 = slope(z + step / 2 * s2);
        const double s4 = slope(z + step * s3);
        z = std::min(1.0, z + step / 6 * (s1 + 2 * s2 + 2 * s3 + s4));
    }
    return z;
}

// Variance of the number of ones over the number of keys: v' = 2 mu'(z) v / bits_per_key + variance of the new ones.
double ones_variance_per_key(double bits_per_key, std::uint64_t choices, std::uint64_t k) {
    const new_ones added(choices, k);
    const auto steps =
        static_cast<int>(std::max(400.0, std::ceil(20 * static_cast<double>(k) / bits_per_key)));
    const double step = 1 / static_cast<double>(steps);
    double z = 0;
    double variance = 0;
    for (int i = 0; i < steps; ++i) {
        const double middle = std::min(1.0, z + step / 2 / bits_per_key * added(z));
        const double around = 1e-4 * std::max(middle, 1e-4);
        const double slope = (added(middle + around) - added(middle - around)) / (2 * around);
        const double damped = std::exp(2 * slope * step / bits_per_key);
        variance = variance * damped + added.of(middle).variance * step * (1 + damped) / 2;
        z = std::min(1.0, z + step / bits_per_key * added(middle));
    }
    return variance;
}

double fpr_of(double ones, std::uint64_t choices, std::uint64_t k) {
    const double all_ones = power(ones, k);
    if (all_ones >= 1) return 1;
    return -std::expm1(static_cast<double>(choices) * std::log1p(-all_ones));
}

}  // namespace

result<double> choice_bloom_ones(double bits_per_key, std::uint64_t choices, std::uint64_t k) {
    if (!is_size(bits_per_key)) return bad_size();
    if (const auto problem = problem_with(choices, k)) return *problem;
    return ones_of(bits_per_key, choices, k);
}

result<double> choice_bloom_fpr(double bits_per_key, std::uint64_t choices, std::uint64_t k) {
    const auto ones = choice_bloom_ones(bits_per_key, choices, k);
    if (!ones) return ones.error();
    return fpr_of(*ones, choices, k);
}

result<double> choice_bloom_fpr_from_ones(double ones, std::uint64_t choices, std::uint64_t k) {
    if (!within(ones, 0, 1)) return outside_domain("ones", "a fraction");
    if (const auto problem = problem_with(choices, k)) return *problem;
    return fpr_of(ones, choices, k);
}

result<double> choice_bloom_ones_stddev(double bits_per_key, std::uint64_t choices, std::uint64_t k,
                                        std::uint64_t n) {
    if (!is_size(bits_per_key)) return bad_size();
    if (const auto problem = problem_with(choices, k)) return *problem;
    if (n == 0) return outside_domain("n", "at least one key");
    return std::sqrt(ones_variance_per_key(bits_per_key, choices, k) / static_cast<double>(n)) / bits_per_key;
}

result<double> choice_bloom_fpr_stddev_between(double bits_per_key, std::uint64_t choices, std::uint64_t k,
                                               std::uint64_t n) {
    const auto stddev = choice_bloom_ones_stddev(bits_per_key, choices, k, n);
    if (!stddev) return stddev.error();
    const double ones = ones_of(bits_per_key, choices, k);
    const auto groups = static_cast<double>(choices);
    return groups * std::pow(1 - power(ones, k), groups - 1) * static_cast<double>(k) * power(ones, k - 1) *
           *stddev;
}

result<double> choice_bloom_keys_per_bit(double ones, std::uint64_t choices, std::uint64_t k) {
    if (!(ones >= 0 && ones < 1)) return outside_domain("ones", "a fraction below 1");
    if (const auto problem = problem_with(choices, k)) return *problem;
    const new_ones slope(choices, k);
    // Simpson's rule in equal steps of -ln(1-z), because the integrand diverges at z = 1.
    constexpr int intervals = 128;
    const double step = -std::log1p(-ones) / intervals;
    double sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double zeros = std::exp(-step * i);
        const double weight = i == 0 || i == intervals ? 1 : i % 2 == 0 ? 2 : 4;
        sum += weight * zeros / slope(1 - zeros);
    }
    return sum * step / 3;
}

result<std::uint64_t> choice_bloom_best_k(double bits_per_key, std::uint64_t choices) {
    if (!is_size(bits_per_key)) return bad_size();
    if (const auto problem = problem_with(choices, 1)) return *problem;
    const auto fpr = [&](std::uint64_t k) { return fpr_of(ones_of(bits_per_key, choices, k), choices, k); };
    // The rate has one minimum over k, near the best k of the standard filter.
    std::uint64_t best = best_k(bits_per_key);
    double least = fpr(best);
    for (const bool is_upward : {true, false}) {
        while (is_upward ? best < max_probes : best > 1) {
            const std::uint64_t next = is_upward ? best + 1 : best - 1;
            const double there = fpr(next);
            if (!(there < least)) break;
            best = next;
            least = there;
        }
    }
    return best;
}

result<double> choice_bloom_deviation_bound(std::uint64_t n, std::uint64_t k, double distance) {
    if (n == 0) return outside_domain("n", "at least one key");
    if (const auto problem = problem_with(1, k)) return *problem;
    if (!(distance >= 0)) return outside_domain("distance", "a number of ones, not negative");
    const double in_steps = distance / static_cast<double>(k);
    return std::min(1.0, 2 * std::exp(-in_steps * in_steps / (2 * static_cast<double>(n))));
}

result<double> choice_bloom_deviation(std::uint64_t n, std::uint64_t k, double chance) {
    if (n == 0) return outside_domain("n", "at least one key");
    if (const auto problem = problem_with(1, k)) return *problem;
    if (!(chance > 0 && chance <= 1)) return outside_domain("chance", "a probability above 0");
    return static_cast<double>(k) * std::sqrt(2 * static_cast<double>(n) * std::log(2 / chance));
}

}  // namespace membrane::model
