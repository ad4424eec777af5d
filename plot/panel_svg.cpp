#include "panel_svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "labels.hpp"
#include "palette.hpp"
#include "text.hpp"

namespace membrane::plot {

namespace {

constexpr double tick_size = 11.5;
constexpr double axis_size = 12.5;
constexpr double heading_size = 13;
constexpr double label_size = 12;
constexpr double line_height = 1.3;

double tick_width(const tick& each) {
    const double raised = each.power ? text_width(fmt::format("{}", *each.power), tick_size * 0.75) : 0;
    return text_width(each.text, tick_size) + raised;
}

std::string tick_label(const tick& each) {
    if (!each.power) return escape(each.text);
    return fmt::format("{}<tspan dy=\"-4.5\" font-size=\"{}\">{}</tspan>", escape(each.text),
                       coordinate(tick_size * 0.75), *each.power);
}

std::string line(std::string_view css, place from, place to) {
    return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", css, coordinate(from.x),
                       coordinate(from.y), coordinate(to.x), coordinate(to.y));
}

std::string text_at(place where, double size, std::string_view attributes, std::string_view content) {
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" {}>{}</text>\n", coordinate(where.x),
                       coordinate(where.y), coordinate(size), attributes, content);
}

std::string draw_axes(const panel& drawn, const panel_layout& layout, const frame& axes) {
    const box& area = axes.area();
    std::string made;
    for (const tick& each : layout.y_ticks.labelled) {
        const double y = axes.y_at(each.value);
        made += line("grid", {area.left, y}, {area.right(), y});
        made += text_at({area.left - 8, y + tick_size * 0.36}, tick_size,
                        "text-anchor=\"end\" class=\"soft\"", tick_label(each));
    }
    for (const tick& each : layout.x_ticks.labelled) {
        const double x = axes.x_at(each.value);
        made += line("grid", {x, area.top}, {x, area.bottom()});
        made += text_at({x, area.bottom() + 8 + tick_size}, tick_size,
                        "text-anchor=\"middle\" class=\"soft\"", tick_label(each));
    }
    for (const double value : layout.y_ticks.between)
        made += line("axis", {area.left, axes.y_at(value)}, {area.left - 3, axes.y_at(value)});
    for (const double value : layout.x_ticks.between)
        made += line("axis", {axes.x_at(value), area.bottom()}, {axes.x_at(value), area.bottom() + 3});
    made += line("axis", {area.left, area.top}, {area.left, area.bottom()});
    made += line("axis", {area.left, area.bottom()}, {area.right(), area.bottom()});
    double y = area.bottom() + 8 + tick_size + 6;
    for (const std::string& words : wrap(drawn.x.title, axis_size, area.width)) {
        y += axis_size * line_height;
        made += text_at({area.left + area.width / 2, y}, axis_size, "text-anchor=\"middle\" class=\"ink\"",
                        escape(words));
    }
    const auto y_title = wrap(drawn.y.title, axis_size, area.height);
    double x = area.left - layout.left + axis_size;
    for (const std::string& words : y_title) {
        made += fmt::format(
            "<text transform=\"translate({} {}) rotate(-90)\" font-size=\"{}\" text-anchor=\"middle\" "
            "class=\"ink\">{}</text>\n",
            coordinate(x), coordinate(area.top + area.height / 2), coordinate(axis_size), escape(words));
        x += axis_size * line_height;
    }
    return made;
}

std::string draw_heading(const panel& drawn, const box& area) {
    const auto lines = wrap(drawn.title, heading_size, area.width);
    double y = area.top - 10 - heading_size * line_height * static_cast<double>(lines.size() - 1);
    std::string made;
    for (const std::string& words : lines) {
        made += text_at({area.left, y}, heading_size, "font-weight=\"600\" class=\"ink\"", escape(words));
        y += heading_size * line_height;
    }
    return made;
}

std::string draw_bar(const point& each, std::size_t index, const frame& axes, double shift) {
    const box& area = axes.area();
    const double x = axes.x_at(each.x) + shift;
    const auto inside = [&](double y) { return std::clamp(y, area.top, area.bottom()); };
    const double low = inside(axes.y_at(each.interval->low));
    const double high = inside(axes.y_at(each.interval->high));
    return fmt::format("<path class=\"bar s{}\" stroke-width=\"1.4\" d=\"M{} {}h6m-3 0V{}m-3 0h6\"/>\n",
                       index % hues.size(), coordinate(x - 3), coordinate(low), coordinate(high));
}

std::string draw_line(const series& curve, std::size_t index, const frame& axes, std::size_t number) {
    std::string made = fmt::format("<path {} stroke-linejoin=\"round\" clip-path=\"url(#area{})\" d=\"",
                                   stroke(index, curve.style), number);
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const place here = axes.at(curve.points[i].x, curve.points[i].y);
        made += fmt::format("{}{} {}", i == 0 ? 'M' : 'L', coordinate(here.x), coordinate(here.y));
    }
    return made + "\"/>\n";
}

std::string draw_curve(const series& curve, const appearance& looks, const frame& axes, std::size_t number) {
    std::string made;
    if (has_line(curve.style) && curve.points.size() > 1)
        made += draw_line(curve, looks.colour, axes, number);
    const bool is_lonely = curve.points.size() == 1;
    for (const point& each : curve.points) {
        if (!axes.holds(each.x, each.y)) continue;
        if (each.interval) made += draw_bar(each, looks.colour, axes, curve.shift_pixels);
        if (has_markers(curve.style) || is_lonely)
            made += marker(looks, {axes.x_at(each.x) + curve.shift_pixels, axes.y_at(each.y)});
    }
    return made;
}

std::string draw_marks(const panel& drawn, const frame& axes) {
    std::string made;
    for (const placed_label& each : place_labels(drawn, axes, label_size)) {
        if (each.is_joined) {
            const place near{std::clamp(each.mark.x, each.text.left, each.text.right()),
                             std::clamp(each.mark.y, each.text.top, each.text.bottom())};
            made += line("axis", each.mark, near);
        }
        made += fmt::format("<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"6.5\" stroke-width=\"1.4\"/>\n",
                            coordinate(each.mark.x), coordinate(each.mark.y));
        const place base{each.text.left + each.text.width / 2, each.text.bottom() - label_size * 0.3};
        const std::string words = escape(each.label);
        made +=
            text_at(base, label_size, "text-anchor=\"middle\" class=\"halo\" aria-hidden=\"true\"", words);
        made += text_at(base, label_size, "text-anchor=\"middle\" class=\"ink\"", words);
    }
    return made;
}

}  // namespace

panel_layout lay_out(const panel& drawn, const panel_limits& limits, double area_width, double area_height) {
    panel_layout made;
    made.limits = limits;
    made.y_ticks = make_ticks(drawn.y.shape, limits.y, static_cast<int>(area_height / 50));
    // Labels of the x axis must not touch: try fewer and fewer ticks.
    for (int wanted = 10; wanted >= 2; --wanted) {
        made.x_ticks = make_ticks(drawn.x.shape, limits.x, wanted);
        double needed = 0;
        for (const tick& each : made.x_ticks.labelled) needed += tick_width(each) + 14;
        if (needed < area_width) break;
    }
    double widest = 0;
    for (const tick& each : made.y_ticks.labelled) widest = std::max(widest, tick_width(each));
    const auto lines = [](std::string_view words, double size, double room) {
        return static_cast<double>(wrap(words, size, room).size()) * size * line_height;
    };
    made.left = 8 + widest + 10 + lines(drawn.y.title, axis_size, area_height);
    made.above = drawn.title.empty() ? 4 : 6 + lines(drawn.title, heading_size, area_width);
    made.below = 8 + tick_size + 12 + lines(drawn.x.title, axis_size, area_width);
    return made;
}

std::string draw_panel(const panel& drawn, const panel_layout& layout, const look_book& looks,
                       const box& area, std::size_t number) {
    const frame axes{drawn, layout.limits, area};
    std::string made = fmt::format(
        "<clipPath id=\"area{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", number,
        coordinate(area.left), coordinate(area.top), coordinate(area.width), coordinate(area.height));
    if (!drawn.title.empty()) made += draw_heading(drawn, area);
    made += draw_axes(drawn, layout, axes);
    for (const series& curve : drawn.curves) made += draw_curve(curve, looks.of(curve), axes, number);
    return made + draw_marks(drawn, axes);
}

}  // namespace membrane::plot
