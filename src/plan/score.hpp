// The score by which filters of different sizes, rates and reads are compared (formula: plan/ranking.hpp).
#pragma once

#include <algorithm>
#include <cmath>

#include <membrane/plan/ranking.hpp>

namespace membrane::plan {

inline double log2_of_inverse(double rate) { return std::max(1e-3, -std::log2(std::max(rate, 1e-300))); }

// Less is better.
inline double weighed_bits(double bits_per_key, double rate, const lookup_costs& costs) {
    return bits_per_key / log2_of_inverse(rate) *
           (1 + line_weight * std::max(0.0, costs.negative.average - 1) + group_weight * (costs.groups - 1));
}

}  // namespace membrane::plan
