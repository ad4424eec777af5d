// The chart of a report: its axes and additional curves; for every curve of its rows the model as a line and the other columns as
// markers with error bars of five sigma.
#pragma once

#include "experiment.hpp"

namespace membrane::lab {

plot::chart draw(const report& made);

// A panel with axes alone.
plot::panel axes(std::string title, plot::axis x, plot::axis y);

}  // namespace membrane::lab
