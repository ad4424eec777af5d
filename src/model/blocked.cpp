#include <membrane/model/blocked.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/less_hashing.hpp>

#include "model/block_loads.hpp"
#include "model/block_rates.hpp"
#include "model/least_blocks.hpp"

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
    // Uneven loads never need more probes than even ones.
    const std::uint64_t most = best_k(bits_per_key);
    // The rate falls to its minimum and then rises, with small ripples: try up to 8 more k after the best.
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
    n = std::max<std::uint64_t>(n, 1);
    std::uint64_t k = 1;
    const auto found = least_blocks(
        n, fpr, block_bits,
        [&](double bits_per_key) {
            return rate_of_many_blocks(bits_per_key, block_bits, blocked_best_k(bits_per_key, block_bits));
        },
        [&](double bits_per_key) { k = blocked_best_k(bits_per_key, block_bits); },
        [&](std::uint64_t blocks) { return blocked_bloom_fpr(n, blocks, block_bits, k); });
    if (!found) return found.error();
    return blocked_size{found->blocks, k};
}

}  // namespace membrane::model
