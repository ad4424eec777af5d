// Assigns colour, marker and dash pattern to names in the order of first appearance, makes the CSS for all of them, and draws
// a marker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "chart.hpp"
#include "frame.hpp"

namespace membrane::plot {

struct entry {
    std::string text;
    look style = look::line;
};

// Indices into the palette.
struct appearance {
    std::size_t colour = 0;
    std::size_t shape = 0;
};

class look_book {
public:
    explicit look_book(const chart& picture);

    appearance of(const series& curve) const;
    const std::vector<entry>& names() const { return names_; }
    const std::vector<entry>& variants() const { return variants_; }
    std::string css() const;

private:
    std::vector<entry> names_;
    std::vector<entry> variants_;
};

// Classes of a marker and a line without a colour, for the variants in the legend.
inline constexpr std::size_t no_colour = SIZE_MAX;

std::string marker(const appearance& looks, place centre);

// Attributes of a line in colour number `colour`.
std::string stroke(std::size_t colour, look style);

inline bool has_line(look style) { return style != look::markers; }
inline bool has_markers(look style) { return style == look::markers || style == look::line_with_markers; }

}  // namespace membrane::plot
