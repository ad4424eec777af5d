// A chart as plain data, and the one function that draws it: text of an SVG file, from our own small writer, so that a
// user's machine needs nothing. The picture follows the reader's light or dark setting by itself, its colours are safe
// for colour-blind readers, the legend stands below the plot area and never on the data, and the same chart gives the
// same bytes everywhere.
//
// Colour and marker belong to the name of a series: one name in two panels looks the same and is once in the legend. Where
// series have a variant too (model, simulated, ...), the name decides the colour and the variant the marker, and the
// legend has the names and then the variants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane::plot {

struct range {
    double low = 0;
    double high = 0;
};

enum class scale { linear, log10 };

struct axis {
    std::string title;  // with the unit: "bits per key", "false positive rate"
    scale shape = scale::linear;
    std::optional<range> limits{};  // chosen from the data when it is left out
};

struct point {
    double x = 0;
    double y = 0;
    std::optional<range> interval{};  // of y; drawn as an error bar
};

enum class look { line, dashed, markers, line_with_markers };

struct series {
    std::string name;  // without a name it is not in the legend
    std::vector<point> points;
    look style = look::line;
    std::string variant{};
    double shift_pixels = 0;  // of its markers, to the right: for series that would cover each other
};

// A ring around one place of the panel with a label that keeps away from the data and from other labels.
struct mark {
    double x = 0;
    double y = 0;
    std::string label;
};

struct panel {
    std::string title{};
    axis x;
    axis y;
    std::vector<series> curves{};
    std::vector<mark> marks{};
};

struct chart {
    std::string title;
    std::string subtitle{};
    std::vector<panel> panels{};  // side by side
    std::size_t columns = 0;      // panels in a row; 0: all of them
};

// Refused: no panel, a panel without any point, a number that is not finite, a value that is not above 0 on a
// logarithmic axis (the low end of an interval may be: its bar then reaches the edge), limits that are not a range.
result<std::string> to_svg(const chart& picture);

}  // namespace membrane::plot
