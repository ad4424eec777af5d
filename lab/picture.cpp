#include "picture.hpp"

#include <algorithm>
#include <array>

#include "verdict.hpp"

namespace membrane::lab {

namespace {

struct column {
    const char* name;
    plot::look style;
    double shift_pixels;  // markers of different columns would cover each other when all agree
    std::optional<reading> (*of)(const row&);
};

constexpr std::array<column, 4> columns{{
    {"model", plot::look::line, 0,
     [](const row& each) {
         return each.model ? std::optional(reading{*each.model, 0}) : std::nullopt;
     }},
    {"simulated", plot::look::markers, 0, [](const row& each) { return each.simulated; }},
    {"measured", plot::look::markers, 7, [](const row& each) { return each.measured; }},
    {"published", plot::look::markers, -7,
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

constexpr double crowd_step_pixels = 18;

plot::series series_of(const report& made, std::size_t panel, const std::string& curve, const column& kind) {
    plot::series drawn{curve, {}, kind.style, kind.name, kind.shift_pixels};
    const bool is_log = made.picture.panels[panel].y.shape == plot::scale::log10;
    for (const row& each : made.rows) {
        const auto value = kind.of(each);
        if (each.panel != panel || each.curve != curve || !value || (is_log && value->value <= 0)) continue;
        plot::point here{each.x, value->value, {}};
        const double room = sigmas * value->sigma;
        if (room > 0) here.interval = plot::range{value->value - room, value->value + room};
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
        for (const column& kind : columns)
            for (std::size_t i = 0; i < names.size(); ++i) {
                plot::series curve = series_of(made, number, names[i], kind);
                if (made.is_crowded && kind.style == plot::look::markers)
                    curve.shift_pixels += crowd_step_pixels * (static_cast<double>(i) -
                                                               static_cast<double>(names.size() - 1) / 2);
                if (!curve.points.empty()) drawn.push_back(std::move(curve));
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
