// Maps numbers to pixels: the limits of a panel's axes, chosen from everything drawn in it, and the map onto a rectangle of the
// picture.
#pragma once

#include "chart.hpp"

namespace membrane::plot {

struct box {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;

    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

struct place {
    double x = 0;
    double y = 0;
};

// Never empty: a single value gets room on both sides.
struct panel_limits {
    range x;
    range y;
};
result<panel_limits> limits_of(const panel& drawn);

class frame {
public:
    frame(const panel& drawn, panel_limits limits, box area);

    place at(double x, double y) const { return {x_at(x), y_at(y)}; }
    double x_at(double x) const;
    double y_at(double y) const;
    bool holds(double x, double y) const;
    const box& area() const { return area_; }
    const panel_limits& limits() const { return limits_; }

private:
    scale x_shape_;
    scale y_shape_;
    panel_limits limits_;
    box area_;
};

}  // namespace membrane::plot
