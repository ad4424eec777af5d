// One panel: how much room its axes need, and its drawing.
#pragma once

#include <string>

#include "frame.hpp"
#include "look_book.hpp"
#include "ticks.hpp"

namespace membrane::plot {

// Room around the plot area, in pixels.
struct panel_layout {
    panel_limits limits;
    tick_set x_ticks;
    tick_set y_ticks;
    double left = 0;
    double above = 0;
    double below = 0;
};

panel_layout lay_out(const panel& drawn, const panel_limits& limits, double area_width, double area_height);

// `number` makes the names inside the picture unique.
std::string draw_panel(const panel& drawn, const panel_layout& layout, const look_book& looks,
                       const box& area, std::size_t number);

}  // namespace membrane::plot
