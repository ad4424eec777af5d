#include "model/block_loads.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/occupancy.hpp"

namespace membrane::model {

namespace {

// Twelve standard deviations plus sixty: larger Poisson loads have a probability below 1e-28, even relative to the rates of 1e-60
// and less of a sparse filter.
std::uint64_t reach_above(double mean) {
    return static_cast<std::uint64_t>(mean + 12 * std::sqrt(mean)) + 60;
}

template <class Use>
void for_each_load(const load_law& law, const std::vector<double>& rates, Use use) {
    for (std::size_t i = 0; i < law.weights.size(); ++i) {
        const std::uint64_t load = law.least + i;
        use(static_cast<double>(load), law.weights[i], load < rates.size() ? rates[load] : 1.0);
    }
}

}  // namespace

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

double mean_over_loads(const load_law& law, const std::vector<double>& rates) {
    double mean = 0;
    for_each_load(law, rates, [&](double, double weight, double rate) { mean += weight * rate; });
    return std::min(mean, 1.0);
}

double scatter_over_loads(const load_law& law, const std::vector<double>& rates,
                          const std::vector<double>& squares, std::uint64_t blocks) {
    double mean = 0;
    double with_load = 0;
    for_each_load(law, rates, [&](double load, double weight, double rate) {
        mean += weight * rate;
        with_load += weight * (load - law.mean) * rate;
    });
    double square = 0;
    for_each_load(law, squares, [&](double, double weight, double rate) { square += weight * rate; });
    // The loads add up to n, so the part of a block's rate that is linear in its load cancels over the blocks.
    const double explained = law.variance > 0 ? with_load * with_load / law.variance : 0;
    const double variance = square - mean * mean - explained;
    return std::sqrt(std::max(0.0, variance) / static_cast<double>(blocks));
}

}  // namespace membrane::model
