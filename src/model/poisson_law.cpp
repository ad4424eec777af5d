#include "model/poisson_law.hpp"

#include <algorithm>

namespace membrane::model {

namespace {
constexpr double smallest = 1e-300;
constexpr double negligible = 1e-22;
}  // namespace

std::vector<double> poisson_weights(double mean, std::uint64_t least_top) {
    if (!(mean > 0)) return {1.0};
    const auto mode = static_cast<std::size_t>(mean);
    std::vector<double> weights(mode + 1);
    weights[mode] = 1;
    double total = 1;
    for (std::size_t i = mode; i > 0 && weights[i] > smallest; --i)
        total += weights[i - 1] = weights[i] * (static_cast<double>(i) / mean);
    double weight = 1;
    double enough = mode >= least_top ? negligible : 0;
    for (std::size_t i = mode; weight > smallest && weight > enough; ++i) {
        total += weight *= mean / static_cast<double>(i + 1);
        weights.push_back(weight);
        if (i + 1 == least_top) enough = weight * negligible;
    }
    for (double& each : weights) each /= total;
    return weights;
}

}  // namespace membrane::model
