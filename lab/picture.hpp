// The plot of a report: its axes and extra curves, and for every curve of its rows the model as a line and the other
// columns as markers with bars of five sigma.
#pragma once

#include "experiment.hpp"

namespace membrane::lab {

plot::chart draw(const report& made);

// A panel with axes alone.
plot::panel axes(std::string title, plot::axis x, plot::axis y);

}  // namespace membrane::lab
