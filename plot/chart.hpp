// A chart as plain data, and the function that draws it as an SVG text, without any other program. The picture follows the reader's
// light or dark setting, its colours are distinguishable for colour-blind readers, the legend is below the plot area, and the same
// chart gives the same bytes on every machine.
//
// Colour and marker belong to the name of a series: one name in two panels looks the same and appears once in the legend. If series
// also have a variant (model, simulated, ...), the name determines the colour and the variant the marker, and the legend lists the
// names and then the variants.
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
    std::optional<range> limits{};  // by default chosen from the data
};

struct point {
    double x = 0;
    double y = 0;
    std::optional<range> interval{};  // of y; drawn as an error bar
};

enum class look { line, dashed, markers, line_with_markers };

struct series {
    std::string name;  // without a name the series is not in the legend
    std::vector<point> points;
    look style = look::line;
    std::string variant{};
    double shift_pixels = 0;  // moves its markers to the right, for series that would cover each other
};

// A ring around one point of the panel with a label that avoids the data and other labels.
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
    // Of the whole picture, in pixels; 0: what the panels want. Below about 300 a panel has no room for its titles.
    double width = 0;
};

// Errors: no panel, a panel without any point, a number that is not finite, a value that is not above 0 on a logarithmic axis
// (except the low end of an interval: its bar then reaches the edge), limits that are not a range.
result<std::string> to_svg(const chart& picture);

// The picture, and where in it each panel draws what: for a page that shows numbers under the pointer.
struct drawn_panel {
    double left = 0, top = 0, width = 0, height = 0;  // of the plot area, in pixels
    range x, y;                                       // its limits
};
struct drawing {
    std::string svg;
    std::vector<drawn_panel> panels;
};
result<drawing> draw(const chart& picture);

}  // namespace membrane::plot
