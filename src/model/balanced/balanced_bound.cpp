#include <membrane/model/balanced_bound.hpp>

#include <algorithm>

#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

balanced_bound without_choice(double mean, std::vector<double> weights) {
    while (weights.size() > 1 && weights.back() < 1e-30) weights.pop_back();
    balanced_bound bound;
    bound.e0 = mean;
    bound.p0 = 1;
    bound.loads = std::move(weights);
    return bound;
}

}  // namespace

result<balanced_bound> balanced_lower_bound(double a, double r, double gamma) {
    if (!within(a, 1, 64)) return outside_domain("a", "block accesses per key are between 1 and 64");
    if (!(gamma >= 0 && gamma < 1))
        return outside_domain("gamma", "the overflow fraction is at least 0 and below 1");
    if (!(r > 0 && a * r <= max_block_arrivals))
        return outside_domain("r", "keys per block are above 0, and accesses per block at most 16384");
    const double mean = a * r;
    std::vector<double> weights = poisson_weights(mean, whole_tail);
    // E[min(X, k)] < r (1 - gamma) is E[(X - k)+] > r (a - 1 + gamma).
    const double left_over = r * ((a - 1) + gamma);
    if (!(left_over > 0)) return without_choice(mean, std::move(weights));
    double tail = 0;    // Pr(X >= k + 1)
    double excess = 0;  // E[(X - k)+]
    std::size_t k = weights.size() - 1;
    while (k > 0 && excess <= left_over) {
        tail += weights[k];
        excess += tail;
        --k;
    }
    balanced_bound bound;
    bound.k0 = k;
    bound.loads.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(k));
    double below = 0;
    for (const double weight : bound.loads) below += weight;
    bound.p0 = below + weights[k];
    bound.e0 = mean * below;
    const double at_top = std::clamp(excess - left_over, 0.0, std::min(tail, 1.0));
    bound.loads.push_back(weights[k] + (tail - at_top));
    bound.loads.push_back(at_top);
    return bound;
}

double mean_load(std::span<const double> loads) {
    double mean = 0;
    for (std::size_t i = 1; i < loads.size(); ++i) mean += static_cast<double>(i) * loads[i];
    return mean;
}

double load_variance(std::span<const double> loads) {
    const double mean = mean_load(loads);
    double variance = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const double distance = static_cast<double>(i) - mean;
        variance += loads[i] * distance * distance;
    }
    return variance;
}

}  // namespace membrane::model
