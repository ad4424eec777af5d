// Places the labels of a panel's marks: the first of a ring of positions around the mark that lies inside the plot area and covers
// no data, mark or label; if there is none, the position with the least cost.
#pragma once

#include <string>
#include <vector>

#include "frame.hpp"

namespace membrane::plot {

struct placed_label {
    place mark;
    box text;        // where the label stands
    bool is_joined;  // so far from its mark that a line connects them
    std::string label;
};

std::vector<placed_label> place_labels(const panel& drawn, const frame& axes, double font_size);

}  // namespace membrane::plot
