// Where the labels of a panel's marks go: for each the first of a ring of places around its mark that lies inside the plot
// area and on no data, no other mark and no other label; where there is none, the place that covers least.
#pragma once

#include <string>
#include <vector>

#include "frame.hpp"

namespace membrane::plot {

struct placed_label {
    place mark;
    box text;        // where the label stands
    bool is_joined;  // far enough from its mark to need a line to it
    std::string label;
};

std::vector<placed_label> place_labels(const panel& drawn, const frame& axes, double font_size);

}  // namespace membrane::plot
