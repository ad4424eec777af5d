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

plot::chart draw(const report& made) {
    plot::chart picture = made.picture;
    for (std::size_t number = 0; number < picture.panels.size(); ++number) {
        plot::panel& panel = picture.panels[number];
        for (const column& kind : columns)
            for (const std::string& name : curves_of(made, number)) {
                plot::series curve{name, {}, kind.style, kind.name};
                for (const row& each : made.rows) {
                    const auto value = kind.of(each);
                    if (each.panel != number || each.curve != name || !value) continue;
                    if (panel.y.shape == plot::scale::log10 && value->value <= 0) continue;
                    plot::point here{each.x, value->value, {}};
                    if (value->sigma > 0)
                        here.interval = plot::range{value->value - sigmas * value->sigma,
                                                    value->value + sigmas * value->sigma};
                    curve.points.push_back(here);
                }
                if (!curve.points.empty()) panel.curves.push_back(std::move(curve));
            }
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
