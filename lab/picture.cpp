#include "picture.hpp"

#include <algorithm>
#include <array>

#include "verdict.hpp"

namespace membrane::lab {

namespace {

struct column {
    const char* name;
    plot::look style;
    std::optional<reading> (*of)(const row&);
};

constexpr std::array<column, 4> columns{{
    {"model", plot::look::line,
     [](const row& each) {
         return each.model ? std::optional(reading{*each.model, 0}) : std::nullopt;
     }},
    {"simulated", plot::look::markers, [](const row& each) { return each.simulated; }},
    {"measured", plot::look::markers, [](const row& each) { return each.measured; }},
    {"published", plot::look::markers,
     [](const row& each) {
         return each.published ? std::optional(reading{each.published->value, 0}) : std::nullopt;
     }},
}};

std::vector<std::string> curves_of(const report& made, std::size_t panel) {
    std::vector<std::string> names;
    for (const row& each : made.rows)
        if (each.panel == panel && !each.curve.empty() &&
            std::find(names.begin(), names.end(), each.curve) == names.end())
            names.push_back(each.curve);
    return names;
}

}  // namespace

namespace {

constexpr double column_step_pixels = 7;
constexpr double crowd_step_pixels = 18;

bool is_marked(const report& made, std::size_t panel, const column& kind) {
    return kind.style == plot::look::markers &&
           std::any_of(made.rows.begin(), made.rows.end(), [&](const row& each) {
               return each.panel == panel && !each.curve.empty() && kind.of(each).has_value();
           });
}

// Offset of item `i` of `count` items drawn side by side around their common position.
double beside(std::size_t i, std::size_t count, double step) {
    return step * (static_cast<double>(i) - static_cast<double>(count - 1) / 2);
}

plot::series series_of(const report& made, std::size_t panel, const std::string& curve, const column& kind) {
    plot::series drawn{curve, {}, kind.style, kind.name};
    const bool is_log = made.picture.panels[panel].y.shape == plot::scale::log10;
    for (const row& each : made.rows) {
        const auto value = kind.of(each);
        if (each.panel != panel || each.curve != curve || !value || (is_log && value->value <= 0)) continue;
        plot::point here{each.x, value->value, {}};
        const double room = sigmas * value->sigma;
        // All quantities of the lab are non-negative.
        if (room > 0) here.interval = plot::range{std::max(0.0, value->value - room), value->value + room};
        drawn.points.push_back(here);
    }
    return drawn;
}

}  // namespace

plot::chart draw(const report& made) {
    plot::chart picture = made.picture;
    for (std::size_t number = 0; number < picture.panels.size(); ++number) {
        const std::vector<std::string> names = curves_of(made, number);
        std::vector<plot::series> drawn;
        const auto marked =
            static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), [&](const column& kind) {
                return is_marked(made, number, kind);
            }));
        std::size_t position = 0;
        for (const column& kind : columns) {
            const bool has_markers = is_marked(made, number, kind);
            for (std::size_t i = 0; i < names.size(); ++i) {
                plot::series curve = series_of(made, number, names[i], kind);
                if (curve.points.empty()) continue;
                if (has_markers) curve.shift_pixels = beside(position, marked, column_step_pixels);
                if (has_markers && made.is_crowded)
                    curve.shift_pixels += beside(i, names.size(), crowd_step_pixels);
                drawn.push_back(std::move(curve));
            }
            position += has_markers ? 1 : 0;
        }
        std::vector<plot::series>& own = picture.panels[number].curves;
        own.insert(own.begin(), drawn.begin(), drawn.end());
    }
    return picture;
}

plot::panel axes(std::string title, plot::axis x, plot::axis y) {
    plot::panel made;
    made.title = std::move(title);
    made.x = std::move(x);
    made.y = std::move(y);
    return made;
}

}  // namespace membrane::lab
