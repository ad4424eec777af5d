#include <membrane/model/blocked.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <membrane/model/less_hashing.hpp>

#include "model/block_rates.hpp"
#include "model/occupancy.hpp"

namespace membrane::model {

namespace {

struct load_law {
    std::uint64_t least = 0;
    std::vector<double> weights;  // of the loads least, least + 1, ...
    double mean = 0;
    double variance = 0;
};

// Twelve deviations and sixty more: a Poisson load beyond that has a chance below 1e-28 even relative to the rates
// of 1e-60 and less that a sparse filter has.
std::uint64_t reach_above(double mean) {
    return static_cast<std::uint64_t>(mean + 12 * std::sqrt(mean)) + 60;
}
std::uint64_t reach_below(double mean) {
    return static_cast<std::uint64_t>(std::max(0.0, mean - 12 * std::sqrt(mean) - 60));
}

load_law poisson_loads(double mean) {
    load_law law;
    law.least = reach_below(mean);
    law.mean = law.variance = mean;
    law.weights = weights_from_mode(law.least, reach_above(mean), static_cast<std::uint64_t>(mean),
                                    [=](std::uint64_t i) { return mean / static_cast<double>(i + 1); });
    return law;
}

load_law binomial_loads(std::uint64_t n, std::uint64_t blocks) {
    load_law law;
    const auto keys = static_cast<double>(n);
    const auto others = static_cast<double>(blocks) - 1;
    law.mean = keys / static_cast<double>(blocks);
    law.variance = law.mean * (others / static_cast<double>(blocks));
    if (blocks == 1) {
        law.least = n;
        law.weights = {1.0};
        return law;
    }
    law.least = reach_below(law.mean);
    const auto mode = std::min(n, static_cast<std::uint64_t>(law.mean));
    law.weights = weights_from_mode(
        law.least, std::min(n, reach_above(law.mean)), mode,
        [=](std::uint64_t i) { return static_cast<double>(n - i) / static_cast<double>(i + 1) / others; });
    return law;
}

bool is_saturated(double mean_load, std::uint64_t block_bits, std::uint64_t k) {
    const auto throws = static_cast<double>(reach_below(mean_load)) * static_cast<double>(k);
    return throws > saturated_throws_per_bit * static_cast<double>(block_bits);
}

template <class Use>
void for_each_load(const load_law& law, const std::vector<double>& rates, Use use) {
    for (std::size_t i = 0; i < law.weights.size(); ++i) {
        const std::uint64_t load = law.least + i;
        use(static_cast<double>(load), law.weights[i], load < rates.size() ? rates[load] : 1.0);
    }
}

double mean_rate(const load_law& law, std::uint64_t block_bits, std::uint64_t k) {
    const std::uint64_t most_load = law.least + law.weights.size() - 1;
    double mean = 0;
    for_each_load(law, rates_by_load(most_load, block_bits, k, k),
                  [&](double, double weight, double rate) { mean += weight * rate; });
    return std::min(mean, 1.0);
}

double rate_of_many_blocks(double bits_per_key, std::uint64_t block_bits, std::uint64_t k) {
    const double mean_load = static_cast<double>(block_bits) / bits_per_key;
    if (is_saturated(mean_load, block_bits, k)) return 1;
    return mean_rate(poisson_loads(mean_load), block_bits, k);
}

}  // namespace

double blocked_bloom_fpr(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t k) {
    k = std::min(k, max_probes);
    if (k == 0) return 1;
    if (n == 0) return 0;
    if (blocks == 0 || block_bits == 0) return 1;
    if (is_saturated(static_cast<double>(n) / static_cast<double>(blocks), block_bits, k)) return 1;
    return mean_rate(binomial_loads(n, blocks), block_bits, k);
}

double blocked_bloom_fpr_stddev_between(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits,
                                        std::uint64_t k) {
    k = std::min(k, max_probes);
    if (n == 0 || blocks == 0 || block_bits == 0 || k == 0) return 0;
    if (is_saturated(static_cast<double>(n) / static_cast<double>(blocks), block_bits, k)) return 0;
    const load_law law = binomial_loads(n, blocks);
    const std::uint64_t most_load = law.least + law.weights.size() - 1;
    const std::vector<double> rates = rates_by_load(most_load, block_bits, k, k);
    const std::vector<double> squares = rates_by_load(most_load, block_bits, k, 2 * k);
    double mean = 0;
    double with_load = 0;
    for_each_load(law, rates, [&](double load, double weight, double rate) {
        mean += weight * rate;
        with_load += weight * (load - law.mean) * rate;
    });
    double square = 0;
    for_each_load(law, squares, [&](double, double weight, double rate) { square += weight * rate; });
    // The loads add up to n: what the load explains of a block's rate cancels over the blocks.
    const double explained = law.variance > 0 ? with_load * with_load / law.variance : 0;
    const double variance = square - mean * mean - explained;
    return std::sqrt(std::max(0.0, variance) / static_cast<double>(blocks));
}

std::uint64_t blocked_best_k(double bits_per_key, std::uint64_t block_bits) {
    if (!(bits_per_key > 0) || block_bits == 0) return 1;
    std::uint64_t best = 1;
    double least = rate_of_many_blocks(bits_per_key, block_bits, 1);
    // An uneven load never asks for more probes than an even one.
    const std::uint64_t most = best_k(bits_per_key);
    // The rate falls to its minimum and rises from there; a few k more are looked at for its small ripples.
    for (std::uint64_t k = 2; k <= std::min(most, best + 8); ++k) {
        const double rate = rate_of_many_blocks(bits_per_key, block_bits, k);
        if (rate < least) {
            least = rate;
            best = k;
        }
    }
    return best;
}

result<blocked_size> blocks_for_fpr(std::uint64_t n, double fpr, std::uint64_t block_bits) {
    if (!(fpr > 0 && fpr < 1)) {
        return make_error(errc::bad_field, "fpr").with_note("a false-positive rate is above 0 and below 1");
    }
    if (block_bits < 8 || block_bits > 65536) {
        return make_error(errc::bad_field, "block_bits").with_found(block_bits).with_range(8, 65536);
    }
    n = std::max<std::uint64_t>(n, 1);
    const auto fits = [&](double bits_per_key) {
        return rate_of_many_blocks(bits_per_key, block_bits, blocked_best_k(bits_per_key, block_bits)) <= fpr;
    };
    double enough = max_blocked_bits_per_key;
    double short_of = 0.25;
    if (!fits(enough)) {
        return make_error(errc::bad_field, "fpr")
            .with_note(
                "not reached with blocks of this size and 128 bits per key; use larger blocks or another "
                "kind");
    }
    for (int step = 0; step < 24; ++step) {
        const double middle = (short_of + enough) / 2;
        (fits(middle) ? enough : short_of) = middle;
    }
    const std::uint64_t k = blocked_best_k(enough, block_bits);
    const double wanted = std::ceil(static_cast<double>(n) * enough / static_cast<double>(block_bits));
    if (!(wanted * static_cast<double>(block_bits) <= static_cast<double>(max_size_bits))) {
        return make_error(errc::size_overflow, "size_bits").with_range(block_bits, max_size_bits);
    }
    // Few blocks have binomial, not Poisson loads: a small filter may need fewer blocks (never more).
    auto blocks = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    while (blocked_bloom_fpr(n, blocks, block_bits, k) > fpr) blocks += 1 + (blocks >> 20);
    while (blocks > 1 && blocks < 4096 && blocked_bloom_fpr(n, blocks - 1, block_bits, k) <= fpr) --blocks;
    return blocked_size{blocks, k};
}

}  // namespace membrane::model
