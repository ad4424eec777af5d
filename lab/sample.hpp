// From many trials to one reading.
#pragma once

#include <algorithm>
#include <cmath>

#include <membrane/model/interval.hpp>

#include "experiment.hpp"

namespace membrane::lab {

// What five deviations become when the deviation itself is estimated from few values: the quantile of Student's law, by
// Wallace's approximation (1959), as a multiple of five. 1.1 for 60 trials, 2.5 for 10.
inline double student_factor(std::uint64_t values) {
    const double freedom = static_cast<double>(values) - 1;
    const double z = 5 * (8 * freedom + 3) / (8 * freedom + 1);
    return std::sqrt(freedom * std::expm1(z * z / freedom)) / 5;
}

// `least_sigma`: what theory says at the least, for samples in which nothing happened to scatter.
inline reading mean_of(const model::running_summary& trials, double least_sigma = 0) {
    if (trials.count() < 2) return {trials.mean(), least_sigma};
    return {trials.mean(), std::max(trials.standard_error() * student_factor(trials.count()), least_sigma)};
}

}  // namespace membrane::lab
