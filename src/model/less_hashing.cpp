#include <membrane/model/less_hashing.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/occupancy.hpp"

namespace membrane::model {

namespace {

double clamped(double rate) { return std::clamp(rate, 0.0, 1.0); }

double throws_of(std::uint64_t n, std::uint64_t k) {
    return static_cast<double>(n) * static_cast<double>(std::min(k, max_probes));
}

// 1 - (1 - 1/bins)^throws
double hit_chance(double throws, double bins) {
    if (throws <= 0) return 0;
    if (bins <= 1) return 1;
    return -std::expm1(throws * std::log1p(-1 / bins));
}

std::uint64_t euler_phi(std::uint64_t t) {
    std::uint64_t units = 0;
    for (std::uint64_t i = 1; i <= t; ++i) units += std::gcd(i, t) == 1 ? 1 : 0;
    return units;
}

// A stride of order t visits only t positions. There are phi(t) such strides for each t that divides m.
double degenerate_strides(std::uint64_t m, std::uint64_t k, double ones) {
    double sum = 0;
    for (std::uint64_t t = 1; t < k; ++t) {
        if (m % t != 0) continue;
        const double excess = std::pow(ones, static_cast<double>(t)) - std::pow(ones, static_cast<double>(k));
        sum += static_cast<double>(euler_phi(t)) / static_cast<double>(m) * excess;
    }
    return sum;
}

// Probability of a key with the stranger's own progression (forward or backward, hence 2), or that progression shifted by j
// positions, which leaves j probes to chance: 1 + 2 (z + z^2 + ...) for each of the two directions.
double shared_progressions(std::uint64_t n, std::uint64_t m, stride_rule strides, double ones) {
    const auto bits = static_cast<double>(m);
    const double stride_count = strides == stride_rule::any ? bits : bits / 2;
    return 2 * static_cast<double>(n) / (stride_count * bits) * (1 + 2 * ones / (1 - ones));
}

}  // namespace

double bloom_ones_asymptotic(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    if (n == 0) return 0;
    return -std::expm1(-throws_of(n, k) / static_cast<double>(m));
}

double bloom_ones_exact(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    return hit_chance(throws_of(n, k), static_cast<double>(m));
}

double bloom_ones_distinct(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (n == 0 || k == 0) return 0;
    return hit_chance(static_cast<double>(n), static_cast<double>(m) / static_cast<double>(k));
}

double bloom_ones_stddev(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    const double throws = throws_of(n, k);
    const auto bins = static_cast<double>(m);
    if (throws < 2 || m < 2) return 0;
    double variance = 0;  // of the number of ones
    if (throws < 1e-4 * bins) {
        // Nearly every throw makes a one; each pair of throws collides with probability 1/bins. The form below would cancel.
        variance = throws * (throws - 1) / (2 * bins);
    } else if (m == 2) {
        const double one_empty = std::exp2(1 - throws);
        variance = one_empty * (1 - one_empty);
    } else {
        // With E = number of zeros and q = (1 - 1/m)^throws: E[E (E-1)] + E[E] - E[E]^2, leading terms factored out.
        const double empty = std::exp(throws * std::log1p(-1 / bins));
        const double pair = std::expm1(throws * std::log1p(-1 / ((bins - 1) * (bins - 1))));
        variance = bins * empty * (bins * empty * pair - std::expm1(throws * std::log1p(-1 / (bins - 1))));
    }
    return std::sqrt(std::max(0.0, variance)) / bins;
}

double bloom_fpr_asymptotic(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    k = std::min(k, max_probes);
    return std::pow(bloom_ones_asymptotic(n, m, k), static_cast<double>(k));
}

// E[(X/m)^k] with X ones: the stranger's probes touch d distinct bits, all of which must be set.
double bloom_fpr_exact(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (k == 0) return 1;
    if (n == 0) return 0;
    if (m == 0) return 1;
    const auto bins = static_cast<double>(m);
    const std::vector<double> touched = distinct_law(k, bins);
    const std::vector<double> hit = all_hit(throws_of(n, k), bins, std::min(k, m));
    return clamped(std::inner_product(hit.begin(), hit.end(), touched.begin(), 0.0));
}

double bloom_fpr_stddev_between(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (n == 0 || m == 0 || k == 0) return 0;
    const auto probes = static_cast<double>(k);
    return probes * std::pow(bloom_ones_exact(n, m, k), probes - 1) * bloom_ones_stddev(n, m, k);
}

double partitioned_independent_fpr_exact(std::uint64_t n, double sub_array_bits, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (k == 0) return 1;
    return std::pow(hit_chance(static_cast<double>(n), sub_array_bits), static_cast<double>(k));
}

double partitioned_two_hash_fpr_exact(std::uint64_t n, double sub_array_bits, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (k == 0) return 1;
    if (n == 0) return 0;
    if (!(sub_array_bits > 1)) return 1;
    const auto keys = static_cast<double>(n);
    const double coincidence = hit_chance(keys, sub_array_bits * sub_array_bits);
    // Two different pairs (h1, h2) collide in at most one sub-array, in each with probability 1 / (p + 1).
    // Sub-array i + p repeats sub-array i.
    const std::uint64_t rows =
        sub_array_bits < static_cast<double>(k) ? static_cast<std::uint64_t>(sub_array_bits) : k;
    const double met = all_hit(keys, sub_array_bits + 1, rows)[rows];
    return clamped(coincidence + (1 - coincidence) * met);
}

double enhanced_fpr_first_order(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                                stride_rule strides) {
    k = std::min(k, max_probes);
    double rate = bloom_fpr_exact(n, m, k);
    const bool is_cubic = growth == growth_order::cubic || growth == growth_order::tetrahedral;
    if (n == 0 || m == 0 || k < 2 || is_cubic) return rate;
    const double ones = bloom_ones_exact(n, m, k);
    if (growth == growth_order::none && strides == stride_rule::any) rate += degenerate_strides(m, k, ones);
    return std::min(1.0, rate + shared_progressions(n, m, strides, ones));
}

double double_hash_fpr_first_order(std::uint64_t n, std::uint64_t m, std::uint64_t k, stride_rule strides) {
    return enhanced_fpr_first_order(n, m, k, growth_order::none, strides);
}

}  // namespace membrane::model
