#include <membrane/model/blocked_choice.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/block_loads.hpp"

namespace membrane::model {

namespace {

constexpr double bits = blocked_choice::block_bits;
// From this rate on a block counts as full (rate 1).
constexpr double full_rate = 1 - 1e-9;
constexpr std::size_t most_loads = 1 << 14;

// The share of the online ones that remains after offline rounds. Small arrays gain less than the large ones of the table, by a
// part that falls with the number of keys; fitted to measured filters, 6 to 24 bits per key, c = 2 to 4.
double offline_share(double online_ones, std::size_t keys, const choosing_in_blocks& way) {
    const double large = choice_offline_share(online_ones, way.choices, way.k, way.rounds, way.how);
    if (keys == 0 || way.rounds < 2) return large;
    const double lost =
        (1.1 + 0.5 * std::log(static_cast<double>(std::min<std::uint64_t>(way.rounds, 150)))) /
        static_cast<double>(keys);
    return 1 - (1 - large) * std::max(0.0, 1 - lost);
}

double power(double base, std::uint64_t exponent) {
    double value = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 != 0) value *= base;
    return value;
}

}  // namespace

blocked_choice::blocked_choice(const choosing_in_blocks& way) : way_(way), ones_(block_bits + 1) {
    way_.choices = std::clamp<std::uint64_t>(way_.choices, 1, 64);
    way_.k = std::clamp<std::uint64_t>(way_.k, 1, 64);
    const std::size_t width = way_.k + 1;
    new_bits_.assign((block_bits + 1) * width, 0.0);
    for (std::size_t x = 0; x <= block_bits; ++x) {
        double* const chance = &new_bits_[x * width];
        // New bits of one group: each position hits a zero that the positions before it have left.
        chance[0] = 1;
        for (std::size_t i = 0; i < way_.k; ++i)
            for (std::size_t j = std::min<std::size_t>(i, block_bits - x) + 1; j-- != 0;) {
                const double fresh = (bits - static_cast<double>(x + j)) / bits * chance[j];
                chance[j + 1] += fresh;
                chance[j] -= fresh;
            }
        // The least of c groups.
        double at_least = 0, last = 0;
        for (std::size_t j = width; j-- != 0;) {
            at_least = j == 0 ? 1 : std::min(1.0, at_least + chance[j]);
            const double all = power(at_least, way_.choices);
            chance[j] = all - last;
            last = all;
        }
    }
    ones_[0] = 1;
    note_rate();
}

void blocked_choice::add_key() {
    constexpr double negligible = 1e-40;
    const std::size_t width = way_.k + 1;
    const std::uint64_t most = std::min(block_bits, most_ + way_.k);
    for (std::uint64_t x = most + 1; x-- > fewest_;) {
        double sum = 0;
        for (std::uint64_t j = 0; j <= std::min(way_.k, x - fewest_); ++j)
            sum += ones_[x - j] * new_bits_[(x - j) * width + j];
        ones_[x] = sum;
    }
    most_ = most;
    while (most_ > fewest_ && ones_[most_] < negligible) ones_[most_--] = 0;
    while (fewest_ < most_ && ones_[fewest_] < negligible) ones_[fewest_++] = 0;
}

void blocked_choice::note_rate() {
    double mean_ones = 0;
    for (std::uint64_t x = fewest_; x <= most_; ++x) mean_ones += ones_[x] * static_cast<double>(x);
    const double share = offline_share(mean_ones / bits, rates_.size(), way_);
    double mean = 0, square = 0;
    for (std::uint64_t x = fewest_; x <= most_; ++x) {
        const double one_group = power(share * static_cast<double>(x) / bits, way_.k);
        double rate = 0;  // 1 - (1 - one_group)^c without cancellation
        for (std::uint64_t c = 0; c < way_.choices; ++c) rate += one_group * (1 - rate);
        mean += ones_[x] * rate;
        square += ones_[x] * rate * rate;
    }
    rates_.push_back(std::min(mean, 1.0));
    squares_.push_back(std::min(square, 1.0));
}

void blocked_choice::extend_to(std::uint64_t load) {
    while (rates_.size() <= load && rates_.size() < most_loads && rates_.back() < full_rate) {
        add_key();
        note_rate();
    }
}

mean_and_scatter blocked_choice::filter(std::uint64_t n, std::uint64_t blocks) {
    if (n == 0) return {0, 0};
    if (blocks == 0) return {1, 0};
    if (n / blocks > most_loads * 4) return {1, 0};
    const load_law law = binomial_loads(n, blocks);
    extend_to(law.most());
    return {mean_over_loads(law, rates_), scatter_over_loads(law, rates_, squares_, blocks)};
}

double blocked_choice::rate(double bits_per_key) {
    if (!(bits_per_key * most_loads * 4 > bits)) return 1;
    const load_law law = poisson_loads(bits / bits_per_key);
    extend_to(law.most());
    return mean_over_loads(law, rates_);
}

}  // namespace membrane::model
