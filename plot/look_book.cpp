#include "look_book.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "palette.hpp"
#include "text.hpp"

namespace membrane::plot {

namespace {

// Shapes within a circle of radius 4; open shapes have an outline, filled ones do not.
constexpr const char* shapes[marker_shapes]{
    "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "m-3.3 -3.3h6.6v6.6h-6.6z",
    "m0 -4.3l4 7h-8z",
    "m0 -4.6l4.1 4.6l-4.1 4.6l-4.1 -4.6z",
    "m0 4.3l4 -7h-8z",
    "m-1.3 -4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
    "m0 -4.5l1.3 2.9l3.1 .3l-2.3 2.1l.7 3.1l-2.8 -1.6l-2.8 1.6l.7 -3.1l-2.3 -2.1l3.1 -.3z",
};

std::string colour_rule(std::size_t index, std::string_view colour) {
    return fmt::format(".s{0}{{stroke:{1}}}.m{0}{{fill:{1}}}", index, colour);
}

std::size_t position(const std::vector<entry>& entries, const std::string& text) {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const entry& each) { return each.text == text; });
    return static_cast<std::size_t>(found - entries.begin());
}

void note(std::vector<entry>& entries, const std::string& text, look style) {
    if (position(entries, text) == entries.size()) entries.push_back({text, style});
}

}  // namespace

look_book::look_book(const chart& picture) {
    for (const panel& each : picture.panels)
        for (const series& curve : each.curves) {
            note(names_, curve.name, curve.style);
            if (!curve.variant.empty()) note(variants_, curve.variant, curve.style);
        }
}

appearance look_book::of(const series& curve) const {
    const std::size_t colour = position(names_, curve.name);
    return {colour, curve.variant.empty() ? colour : position(variants_, curve.variant)};
}

std::string look_book::css() const {
    const std::size_t used = std::min(names_.size(), hues.size());
    std::string light =
        ".paper{fill:#fff}.ink{fill:#1d2125}.soft{fill:#555c63}.axis{stroke:#8a9097}.grid{stroke:#e4e7ea}"
        ".ring{stroke:#1d2125}.halo{stroke:#fff}.edge{stroke:#fff}";
    std::string dark =
        ".paper{fill:#15191e}.ink{fill:#e8eaed}.soft{fill:#a9b1b9}.axis{stroke:#727a83}.grid{stroke:#2c333a}"
        ".ring{stroke:#e8eaed}.halo{stroke:#15191e}.edge{stroke:#15191e}";
    for (std::size_t i = 0; i < used; ++i) {
        light += colour_rule(i, hues[i].on_white);
        dark += colour_rule(i, hues[i].on_dark);
    }
    return fmt::format(
        "text{{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}}"
        ".curve,.bar,.ring{{fill:none}}.edge{{stroke-width:.8}}.halo{{stroke-width:3;stroke-linejoin:round;"
        "fill:none}}\n"
        "{}\n@media (prefers-color-scheme:dark){{{}}}\n",
        light, dark);
}

std::string marker(const appearance& looks, place centre) {
    const std::string hue =
        looks.colour == no_colour ? "ink" : fmt::format("m{}", looks.colour % hues.size());
    return fmt::format("<path class=\"edge {}\" d=\"M{} {}{}\"/>\n", hue, coordinate(centre.x),
                       coordinate(centre.y), shapes[looks.shape % marker_shapes]);
}

std::string stroke(std::size_t colour, look style) {
    const bool is_plain = colour == no_colour;
    std::string text = is_plain ? "class=\"ring\"" : fmt::format("class=\"curve s{}\"", colour % hues.size());
    text += " stroke-width=\"1.8\"";
    // Colours repeat after all hues are used; then the dash pattern distinguishes the lines.
    const std::size_t turn = is_plain ? 0 : colour / hues.size();
    if (style == look::dashed) text += fmt::format(" stroke-dasharray=\"{}\"", dashes[turn % dashes.size()]);
    else if (turn != 0) text += fmt::format(" stroke-dasharray=\"{}\"", dashes[(turn + 1) % dashes.size()]);
    return text;
}

}  // namespace membrane::plot
