// Tick positions and labels of an axis: multiples of 1, 2 or 5 times a power of ten; on a logarithmic axis decades, with 2 and 5
// between them if there are few. Values are computed from whole multiples, so labels never read 0.30000000000000004.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart.hpp"

namespace membrane::plot {

struct tick {
    double value = 0;
    std::string text{};          // the label, or its part before the exponent
    std::optional<int> power{};  // exponent of ten, written as a superscript after `text`
};

struct tick_set {
    std::vector<tick> labelled;
    std::vector<double> between;  // small ticks without a label
};

// The least of 1, 2, 5 times a power of ten that is not below `least_step` (above 0).
double nice_step(double least_step);

// At most about `wanted` labelled ticks inside the limits, which must be a range (above 0 for log10).
tick_set make_ticks(scale shape, range limits, int wanted);

}  // namespace membrane::plot
