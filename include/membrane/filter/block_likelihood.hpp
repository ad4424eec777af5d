// How many keys are in a blocked Bloom filter? One key sets k bits of one block, so the fills of the blocks are a
// sample of a mixture: Poisson(lambda) keys in a block, each throwing k bits at it with repetition. We take the
// lambda of greatest likelihood (by expectation maximisation); unlike a sum of per-block formulas it stays right
// when some blocks are full and most are nearly empty.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace membrane {

namespace block_likelihood_detail {

// rows[i][x]: probability that i keys of k probes leave x bits set, in a block of fills.size() - 1 bits.
inline std::vector<std::vector<double>> occupancy_rows(std::size_t keys, std::uint64_t k, std::size_t block_bits) {
    std::vector<std::vector<double>> rows;
    std::vector<double> now(block_bits + 1, 0.0);
    now[0] = 1;
    rows.push_back(now);
    const double bits = static_cast<double>(block_bits);
    for (std::size_t i = 0; i < keys; ++i) {
        for (std::uint64_t probe = 0; probe < k; ++probe) {
            for (std::size_t x = block_bits; x > 0; --x)
                now[x] = now[x] * (static_cast<double>(x) / bits) +
                         now[x - 1] * ((bits - static_cast<double>(x - 1)) / bits);
            now[0] = 0;
        }
        rows.push_back(now);
    }
    return rows;
}

}  // namespace block_likelihood_detail

// blocks_by_fill[x] = number of blocks with exactly x bits set, x = 0 .. block bits.
inline double estimated_keys_by_fill(std::span<const std::uint64_t> blocks_by_fill, std::uint64_t k) {
    const std::size_t block_bits = blocks_by_fill.size() - 1;
    const double bits = static_cast<double>(block_bits);
    double blocks = 0;
    double first_guess = 0;
    std::size_t fullest = 0;
    const auto keys_at = [&](std::size_t fill) {
        const double unused = std::max(0.5, bits - static_cast<double>(fill)) / bits;
        return std::log(unused) / std::log1p(-1 / bits) / static_cast<double>(k);
    };
    for (std::size_t x = 0; x <= block_bits; ++x) {
        if (blocks_by_fill[x] == 0) continue;
        fullest = x;
        blocks += static_cast<double>(blocks_by_fill[x]);
        first_guess += static_cast<double>(blocks_by_fill[x]) * keys_at(x);
    }
    if (fullest == 0) return 0;

    // Twice the fullest block's own estimate and a few keys more: beyond that the likelihood is negligible.
    const auto most_keys = static_cast<std::size_t>(std::ceil(2 * keys_at(fullest))) + 16;
    const auto rows = block_likelihood_detail::occupancy_rows(most_keys, k, block_bits);
    std::vector<double> log_factorial(most_keys + 1, 0.0);
    for (std::size_t i = 1; i <= most_keys; ++i)
        log_factorial[i] = log_factorial[i - 1] + std::log(static_cast<double>(i));

    double lambda = first_guess / blocks;
    std::vector<double> weight(most_keys + 1);
    for (int round = 0; round < 500; ++round) {
        for (std::size_t i = 0; i <= most_keys; ++i)
            weight[i] = std::exp(static_cast<double>(i) * std::log(lambda) - lambda - log_factorial[i]);
        double expected_keys = 0;
        for (std::size_t x = 0; x <= fullest; ++x) {
            if (blocks_by_fill[x] == 0) continue;
            double mass = 0, moment = 0;
            for (std::size_t i = 0; i <= most_keys; ++i) {
                const double joint = weight[i] * rows[i][x];
                mass += joint;
                moment += joint * static_cast<double>(i);
            }
            const double keys_here = mass > 0 ? moment / mass : keys_at(x);
            expected_keys += keys_here * static_cast<double>(blocks_by_fill[x]);
        }
        const double next = expected_keys / blocks;
        const bool settled = std::abs(next - lambda) <= 1e-9 * lambda;
        lambda = next;
        if (settled) break;
    }
    return lambda * blocks;
}

}  // namespace membrane
