// From many trials to one reading.
#pragma once

#include <algorithm>

#include <membrane/model/interval.hpp>

#include "experiment.hpp"

namespace membrane::lab {

// `least_sigma`: what theory says at the least, for samples in which nothing happened to scatter.
inline reading mean_of(const model::running_summary& trials, double least_sigma = 0) {
    return {trials.mean(), std::max(trials.standard_error(), least_sigma)};
}

}  // namespace membrane::lab
