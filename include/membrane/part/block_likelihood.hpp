// How many keys are in a blocked Bloom filter? One key sets k bits of one block, so the fills of the blocks are a
// sample of a mixture: Poisson(lambda) keys in a block, each throwing k bits at it with repetition, or, with choices, that
// one of several such throws which brings the fewest new bits, or one bit into each of its lanes. For lanes the new bits are
// taken as binomial: their mean is exact, since it depends on the whole fill alone, their variance a little large. We take the
// lambda of greatest likelihood (by expectation maximisation, sped up by extrapolation); unlike a sum of per-block
// formulas it stays right when some blocks are full and most are nearly empty.
// Time and memory depend on the block size and k alone, so that a file made by an enemy costs no more than another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/target.hpp>
#include <membrane/part/bit_span.hpp>
#include <membrane/part/choice_size.hpp>

MEMBRANE_TARGET_BEGIN

// count[x] = number of blocks with exactly x bits set.
template <unsigned BlockBits>
std::vector<std::uint64_t> blocks_by_fill(const bit_span& bits) {
    constexpr std::uint64_t block_words = BlockBits / 64;
    std::vector<std::uint64_t> count(BlockBits + 1, 0);
    for (std::uint64_t first = 0; first < bits.words(); first += block_words)
        ++count[bits.used_cells(first, first + block_words)];
    return count;
}

// What a key does to its block.
struct block_throws {
    std::uint64_t k;
    std::uint64_t choices = 1;
    bool has_lanes = false;
};

namespace block_likelihood_detail {

// The blocks that have one fill in common.
struct fill_class {
    std::size_t fill;
    double blocks;
    double own_estimate;         // of the keys in one such block, from its fill alone
    std::vector<double> chance;  // chance[i]: that i keys leave this fill
};

// What a key brings to a block with x bits set: at x (k + 1) + j the chance of j new ones.
inline std::vector<double> new_bits_law(std::size_t fullest, const block_throws& throws, double bits) {
    const std::uint64_t k = throws.k;
    std::vector<double> law((fullest + 1) * (k + 1), 0.0);
    for (std::size_t x = 0; x <= fullest; ++x) {
        double* const chance = &law[x * (k + 1)];
        chance[0] = 1;
        for (std::uint64_t i = 0; i < k; ++i)
            for (std::uint64_t j = i + 1; j-- != 0;) {
                const double used = static_cast<double>(throws.has_lanes ? x : x + j);
                const double fresh = std::max(0.0, (bits - used) / bits) * chance[j];
                chance[j + 1] += fresh;
                chance[j] -= fresh;
            }
        // The least of several: Pr(least >= j) is a power of Pr(one >= j).
        double at_least = 0, all_above = 0;
        for (std::uint64_t j = k + 1; j-- != 0;) {
            at_least = std::min(1.0, at_least + chance[j]);
            double all = at_least;
            for (std::uint64_t c = 1; c < throws.choices; ++c) all *= at_least;
            chance[j] = all - all_above;
            all_above = all;
        }
    }
    return law;
}

// The chances of 0 .. most_keys keys. `classes` is ordered by fill; fuller blocks than its last need no chance.
inline void set_chances(std::vector<fill_class>& classes, std::size_t most_keys, const block_throws& throws,
                        double bits) {
    const std::uint64_t k = throws.k;
    const std::size_t fullest = classes.back().fill;
    const std::vector<double> law = new_bits_law(fullest, throws, bits);
    std::vector<double> now(fullest + 1, 0.0);
    now[0] = 1;
    for (std::size_t keys = 0;; ++keys) {
        for (fill_class& one : classes) one.chance.push_back(now[one.fill]);
        if (keys == most_keys) return;
        for (std::size_t x = fullest + 1; x-- != 0;) {
            double sum = 0;
            for (std::uint64_t j = 0; j <= std::min<std::uint64_t>(k, x); ++j)
                sum += now[x - j] * law[(x - j) * (k + 1) + j];
            now[x] = sum;
        }
    }
}

// Mean number of keys in a block, given the fills, if lambda were that mean.
inline double improved_mean(const std::vector<fill_class>& classes, std::span<const double> log_factorial,
                            double lambda) {
    std::vector<double> weight(log_factorial.size());
    for (std::size_t i = 0; i < weight.size(); ++i)
        weight[i] = std::exp(static_cast<double>(i) * std::log(lambda) - lambda - log_factorial[i]);
    double keys = 0, blocks = 0;
    for (const fill_class& one : classes) {
        double mass = 0, moment = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double joint = weight[i] * one.chance[i];
            mass += joint;
            moment += joint * static_cast<double>(i);
        }
        keys += one.blocks * (mass > 0 ? moment / mass : one.own_estimate);
        blocks += one.blocks;
    }
    return keys / blocks;
}

}  // namespace block_likelihood_detail

inline double estimated_keys_by_fill(std::span<const std::uint64_t> blocks_by_fill,
                                     const block_throws& throws) {
    using namespace block_likelihood_detail;
    const double bits = static_cast<double>(blocks_by_fill.size() - 1);
    const double k = static_cast<double>(throws.k);
    // One bit's chance to stay zero when a key comes.
    const double log_of_untouched = throws.has_lanes ? std::log1p(-k / bits) : k * std::log1p(-1 / bits);
    std::vector<fill_class> classes;
    double blocks = 0, lambda = 0;
    for (std::size_t x = 0; x < blocks_by_fill.size(); ++x) {
        if (blocks_by_fill[x] == 0) continue;
        const double unused = std::max(0.5, bits - static_cast<double>(x)) / bits;
        const double keys = throws.choices == 1
                                ? std::log(unused) / log_of_untouched
                                : bits * choice_keys_per_bit(1 - unused, throws.choices, throws.k);
        const double here = static_cast<double>(blocks_by_fill[x]);
        classes.push_back({x, here, keys, {}});
        blocks += here;
        lambda += here * keys;
    }
    if (classes.empty() || classes.back().fill == 0) return 0;
    lambda /= blocks;

    // Twice the fullest block's own estimate and a few keys more: beyond that the likelihood is negligible.
    const auto most_keys = static_cast<std::size_t>(std::ceil(2 * classes.back().own_estimate)) + 16;
    set_chances(classes, most_keys, throws, bits);
    std::vector<double> log_factorial(most_keys + 1, 0.0);
    for (std::size_t i = 1; i <= most_keys; ++i)
        log_factorial[i] = log_factorial[i - 1] + std::log(static_cast<double>(i));

    for (int round = 0; round < 30; ++round) {
        const double once = improved_mean(classes, log_factorial, lambda);
        if (std::abs(once - lambda) <= 1e-9 * lambda) return once * blocks;
        const double twice = improved_mean(classes, log_factorial, once);
        // Steps shrink like a geometric series: go to its limit, unless that leaves the range of the sums.
        const double limit = lambda - (once - lambda) * (once - lambda) / ((twice - once) - (once - lambda));
        lambda = limit > 0 && limit <= static_cast<double>(most_keys) ? limit : twice;
    }
    return lambda * blocks;
}

MEMBRANE_TARGET_END
