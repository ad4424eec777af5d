// Which colour, marker and dash pattern belongs to which name, in the order of first appearance; the CSS for all of them;
// and the drawing of one marker.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chart.hpp"
#include "frame.hpp"

namespace membrane::plot {

struct entry {
    std::string name;
    look style = look::line;
};

class look_book {
public:
    explicit look_book(const chart& picture);

    std::size_t index_of(const series& curve) const;
    const std::vector<entry>& entries() const { return entries_; }
    std::string css() const;

private:
    std::vector<entry> entries_;
};

// A path with the class of entry `index`, centred at `centre`.
std::string marker(std::size_t index, place centre);

// Attributes of a line in the look of entry `index`.
std::string stroke(std::size_t index, look style);

inline bool has_line(look style) { return style != look::markers; }
inline bool has_markers(look style) { return style == look::markers || style == look::line_with_markers; }

}  // namespace membrane::plot
