// Combines many trials into one reading.
#pragma once

#include <algorithm>
#include <cmath>

#include <membrane/model/interval.hpp>

#include "experiment.hpp"

namespace membrane::lab {

// The factor by which an interval of five standard deviations grows if the deviation is estimated from few values: the quantile of
// Student's distribution by Wallace's approximation (1959). 1.1 for 60 trials, 2.5 for 10.
inline double student_factor(std::uint64_t values) {
    const double freedom = static_cast<double>(values) - 1;
    const double z = 5 * (8 * freedom + 3) / (8 * freedom + 1);
    return std::sqrt(freedom * std::expm1(z * z / freedom)) / 5;
}

// `least_sigma`: the theoretical minimum, for samples that happen to have no variation.
inline reading mean_of(const model::running_summary& trials, double least_sigma = 0) {
    if (trials.count() < 2) return {trials.mean(), least_sigma};
    return {trials.mean(), std::max(trials.standard_error() * student_factor(trials.count()), least_sigma)};
}

}  // namespace membrane::lab
