#include <membrane/model/blocked.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/less_hashing.hpp>

#include "model/block_loads.hpp"
#include "model/block_rates.hpp"

namespace membrane::model {

namespace {

bool is_saturated(double mean_load, std::uint64_t block_bits, std::uint64_t k) {
    const auto throws = static_cast<double>(reach_below(mean_load)) * static_cast<double>(k);
    return throws > saturated_throws_per_bit * static_cast<double>(block_bits);
}

double mean_rate(const load_law& law, std::uint64_t block_bits, std::uint64_t k) {
    return mean_over_loads(law, rates_by_load(law.most(), block_bits, k, k));
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
    return scatter_over_loads(law, rates_by_load(law.most(), block_bits, k, k),
                              rates_by_load(law.most(), block_bits, k, 2 * k), blocks);
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
