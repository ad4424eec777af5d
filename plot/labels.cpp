#include "labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text.hpp"

namespace membrane::plot {

namespace {

constexpr double marker_room = 6;  // pixels around a data point that a label leaves free

struct segment {
    place from;
    place to;
};

bool overlaps(const box& a, const box& b) {
    return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

box around(place centre, double room) { return {centre.x - room, centre.y - room, 2 * room, 2 * room}; }

// Whether any part of the segment lies inside the box (Liang-Barsky clipping).
bool meets(segment line, const box& area) {
    double from = 0;
    double to = 1;
    const double dx = line.to.x - line.from.x;
    const double dy = line.to.y - line.from.y;
    const auto clip = [&](double step, double room) {
        if (step == 0) return room >= 0;
        const double at = room / step;
        if (step < 0) from = std::max(from, at);
        else to = std::min(to, at);
        return from <= to;
    };
    return clip(-dx, line.from.x - area.left) && clip(dx, area.right() - line.from.x) &&
           clip(-dy, line.from.y - area.top) && clip(dy, area.bottom() - line.from.y);
}

struct obstacles {
    std::vector<box> boxes;
    std::vector<segment> lines;
};

obstacles drawn_things(const panel& drawn, const frame& axes) {
    obstacles found;
    for (const series& curve : drawn.curves)
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const place here = axes.at(curve.points[i].x, curve.points[i].y);
            found.boxes.push_back(around(here, marker_room));
            if (const auto& bar = curve.points[i].interval)
                found.lines.push_back({{here.x, axes.y_at(bar->low)}, {here.x, axes.y_at(bar->high)}});
            if (i != 0 && curve.style != look::markers)
                found.lines.push_back({axes.at(curve.points[i - 1].x, curve.points[i - 1].y), here});
        }
    for (const mark& each : drawn.marks) found.boxes.push_back(around(axes.at(each.x, each.y), marker_room));
    return found;
}

// Crossing a line costs least, covering a point or a label more, leaving the plot area most.
double cost(const box& text, const obstacles& things, const box& area) {
    double sum = 0;
    for (const box& each : things.boxes) sum += overlaps(text, each) ? 5 : 0;
    for (const segment& each : things.lines) sum += meets(each, text) ? 2 : 0;
    const bool is_inside = text.left >= area.left && text.right() <= area.right() && text.top >= area.top &&
                           text.bottom() <= area.bottom();
    return is_inside ? sum : sum + 1000;
}

}  // namespace

std::vector<placed_label> place_labels(const panel& drawn, const frame& axes, double font_size) {
    static constexpr std::array<place, 8> directions{
        {{1, 0}, {1, -1}, {1, 1}, {-1, 0}, {-1, -1}, {-1, 1}, {0, -1}, {0, 1}}};
    static constexpr std::array<double, 6> distances{9, 18, 30, 46, 66, 90};
    obstacles things = drawn_things(drawn, axes);
    std::vector<placed_label> placed;
    for (const mark& each : drawn.marks) {
        const place here = axes.at(each.x, each.y);
        const double width = text_width(each.label, font_size);
        const double height = font_size * 1.25;
        double best = 1e9;
        placed_label chosen{here, {}, false, each.label};
        for (const double distance : distances)
            for (const place& toward : directions) {
                const double reach = toward.x != 0 && toward.y != 0 ? distance * 0.8 : distance;
                const box text{here.x + toward.x * reach - (1 - toward.x) / 2 * width,
                               here.y + toward.y * reach - (1 - toward.y) / 2 * height, width, height};
                const double sum = cost(text, things, axes.area()) + distance * 0.01;
                if (sum >= best) continue;
                best = sum;
                chosen.text = text;
                chosen.is_joined = distance > distances[0];
            }
        things.boxes.push_back(chosen.text);
        placed.push_back(chosen);
    }
    return placed;
}

}  // namespace membrane::plot
