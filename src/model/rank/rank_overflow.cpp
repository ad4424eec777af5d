#include <membrane/model/rank_overflow.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/rank/rank_tails.hpp"
#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

// Poisson loads tilted by e^theta and cut at `cells`: mean and variance of a load on one side of the cut. With s = probability of
// that side and q = pmf at the cut, E[X | X > z] = mu (s + q) / s; E[X (X-1) | X > z] has one more term.
struct side {
    double log_chance, mean, variance;
};

side above_cut(double mu, double cells) {
    const double log_chance = log_poisson_above(mu, cells);
    const double at_cut = std::exp(log_poisson_at(mu, cells) - log_chance);
    const double before_cut = cells >= 1 ? std::exp(log_poisson_at(mu, cells - 1) - log_chance) : 0;
    const double mean = mu * (1 + at_cut);
    return {log_chance, mean, std::max(1e-12, mu * mu * (1 + at_cut + before_cut) + mean - mean * mean)};
}

side below_cut(double mu, double cells) {
    const double above = poisson_above(mu, cells);
    const double log_chance = std::log1p(-std::min(above, 1 - 1e-16));
    const double at_cut = std::exp(log_poisson_at(mu, cells) - log_chance);
    const double before_cut = cells >= 1 ? std::exp(log_poisson_at(mu, cells - 1) - log_chance) : 0;
    const double mean = mu * (1 - at_cut);
    return {log_chance, mean, std::max(1e-12, mu * mu * (1 - at_cut - before_cut) + mean - mean * mean)};
}

// ln Pr[exactly `over` buckets hold more than `cells` keys | n keys in all]. `tilted`: in, the saddle point of a neighbouring
// count as a start; out, this one's.
double log_exactly(double n, double buckets, double cells, double over, double& tilted) {
    const double mu = n / buckets;
    const double under = buckets - over;
    side high{}, low{};
    for (int i = 0; i < 60; ++i) {
        high = above_cut(tilted, cells);
        low = below_cut(tilted, cells);
        const double lack = n - over * high.mean - under * low.mean;
        const double step = std::clamp(lack / (over * high.variance + under * low.variance), -0.5, 0.5);
        tilted *= std::exp(step);
        if (std::abs(step) < 1e-10) break;
    }
    // Binomial coefficient times the tilted chances; the tilt itself costs B (tilted - mu) - n ln(tilted / mu).
    const double choices = log_binomial_at(buckets, 0.5, over) + buckets * std::log(2.0);
    const double weight = choices + over * high.log_chance + under * low.log_chance +
                          buckets * (tilted - mu) - n * std::log(tilted / mu);
    const double variance = over * high.variance + under * low.variance;
    return weight - 0.5 * std::log(variance / n);
}

}  // namespace

double log_sum(double a, double b) {
    const double larger = std::max(a, b);
    return larger == never ? never : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

rank_overflow overflow_terms(const rank_shape& shape, double n, log_tail_function tail) {
    const auto buckets = static_cast<double>(shape.buckets);
    const auto extensions = static_cast<double>(shape.extensions);
    const double last_extensions = shape.extensions > 0 ? static_cast<double>(shape.last_extensions) : 0;
    const auto first = static_cast<double>(shape.cells);
    const double second = first + (extensions > 0 ? static_cast<double>(shape.extension_cells) : 0);
    const double third = second + (last_extensions > 0 ? static_cast<double>(shape.last_cells) : 0);
    rank_overflow overflow;
    overflow.log_extensions = extensions > 0 ? tail(n, buckets, first, extensions) : never;
    overflow.log_last_extensions = last_extensions > 0 ? tail(n, buckets, second, last_extensions) : never;
    overflow.log_bucket = log_bucket_bound(n, buckets, third);
    overflow.log_any =
        log_sum(log_sum(overflow.log_extensions, overflow.log_last_extensions), overflow.log_bucket);
    return overflow;
}

double log_overflow_bound(double n, double buckets, double cells, double extensions) {
    // No more buckets can overflow than the keys fill.
    if (extensions >= std::min(buckets, std::floor(n / (cells + 1)))) return never;
    const double chance = poisson_above(n / buckets, cells);
    return std::log(2.0) + log_binomial_above(buckets, chance, extensions);
}

double log_overflow_estimate(double n, double buckets, double cells, double extensions) {
    if (extensions >= std::min(buckets, std::floor(n / (cells + 1)))) return never;
    const double mean = buckets * poisson_above(n / buckets, cells);
    if (extensions < mean) return 0;
    double tilted = n / buckets;
    double total = never;
    for (double over = extensions + 1; over < buckets; ++over) {
        if (over * (cells + 1) >= n) break;
        const double term = log_exactly(n, buckets, cells, over, tilted);
        total = log_sum(total, term);
        if (term < total - 20) break;
    }
    return total;
}

double log_bucket_bound(double n, double buckets, double cells) {
    return std::log(buckets) + log_binomial_above(n, 1 / buckets, cells);
}

result<rank_overflow> rank_overflow_bound(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = rank_bits_per_key(shape, n); !checked) return checked.error();
    return overflow_terms(shape, static_cast<double>(n), log_overflow_bound);
}

result<rank_overflow> rank_overflow_estimate(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = rank_bits_per_key(shape, n); !checked) return checked.error();
    return overflow_terms(shape, static_cast<double>(n), log_overflow_estimate);
}

result<overflow_scatter> rank_overflow_scatter(std::uint64_t n, std::uint64_t buckets, std::uint64_t cells) {
    if (n < 1 || n > max_rank_keys)
        return make_error(errc::bad_field, "n").with_found(n).with_range(1, max_rank_keys);
    if (buckets < 1 || buckets > max_rank_keys)
        return make_error(errc::bad_field, "buckets").with_found(buckets).with_range(1, max_rank_keys);
    if (cells > max_rank_cells)
        return make_error(errc::bad_field, "cells").with_found(cells).with_range(0, max_rank_cells);
    const double mean_load = static_cast<double>(n) / static_cast<double>(buckets);
    const double chance = poisson_above(mean_load, static_cast<double>(cells));
    const double at_cells = poisson_at(mean_load, static_cast<double>(cells));
    overflow_scatter scatter;
    scatter.mean = static_cast<double>(buckets) * chance;
    scatter.variance_if_independent = scatter.mean * (1 - chance);
    scatter.variance =
        std::max(0.0, scatter.variance_if_independent - static_cast<double>(n) * at_cells * at_cells);
    return scatter;
}

}  // namespace membrane::model
