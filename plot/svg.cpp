// The picture from top to bottom: title, subtitle, panels side by side, legend.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "chart.hpp"
#include "labels.hpp"
#include "look_book.hpp"
#include "panel_svg.hpp"
#include "text.hpp"

namespace membrane::plot {

namespace {

constexpr double edge_room = 16;
constexpr double title_size = 16;
constexpr double subtitle_size = 12.5;
constexpr double legend_size = 12.5;
constexpr double legend_row = 20;
constexpr double sample_width = 30;
constexpr double between_panels = 26;

struct canvas {
    std::string body;
    double width = 0;
    double y = edge_room;

    void add_lines(std::string_view text, double size, std::string_view css) {
        for (const std::string& line : wrap(text, size, width - 2 * edge_room)) {
            y += size * 1.3;
            body += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" {}>{}</text>\n",
                                coordinate(edge_room), coordinate(y), coordinate(size), css, escape(line));
        }
    }
};

void add_legend(canvas& page, const look_book& looks) {
    double x = edge_room;
    bool is_started = false;
    for (std::size_t i = 0; i < looks.entries().size(); ++i) {
        const entry& each = looks.entries()[i];
        if (each.name.empty()) continue;
        const double wide = sample_width + 6 + text_width(each.name, legend_size) + 16;
        if (!is_started || x + wide > page.width - edge_room) {
            x = edge_room;
            page.y += legend_row;
        }
        is_started = true;
        const double middle = page.y - legend_size * 0.35;
        if (has_line(each.style))
            page.body += fmt::format("<path {} d=\"M{} {}h{}\"/>\n", stroke(i, each.style), coordinate(x),
                                     coordinate(middle), coordinate(sample_width));
        if (has_markers(each.style)) page.body += marker(i, {x + sample_width / 2, middle});
        page.body += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"ink\">{}</text>\n",
                                 coordinate(x + sample_width + 6), coordinate(page.y),
                                 coordinate(legend_size), escape(each.name));
        x += wide;
    }
    if (is_started) page.y += 4;
}

}  // namespace

result<std::string> to_svg(const chart& picture) {
    if (picture.panels.empty())
        return make_error(errc::bad_field, "chart: no panel").with_note("a picture needs at least one panel");
    const look_book looks{picture};
    const double area_width = picture.panels.size() == 1 ? 600 : 380;
    const double area_height = picture.panels.size() == 1 ? 360 : 300;
    std::vector<panel_layout> layouts;
    canvas page;
    page.width = edge_room;
    double above = 0;
    double below = 0;
    for (const panel& each : picture.panels) {
        const auto limits = limits_of(each);
        if (!limits) return limits.error();
        layouts.push_back(lay_out(each, *limits, area_width, area_height));
        page.width +=
            layouts.back().left + area_width + (layouts.size() == picture.panels.size() ? 0 : between_panels);
        above = std::max(above, layouts.back().above);
        below = std::max(below, layouts.back().below);
    }
    page.width += edge_room + 8;  // the last tick label may stand half outside its panel
    page.add_lines(picture.title, title_size, "font-weight=\"600\" class=\"ink\"");
    page.add_lines(picture.subtitle, subtitle_size, "class=\"soft\"");
    page.y += 12 + above;
    double x = edge_room;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        x += layouts[i].left;
        page.body +=
            draw_panel(picture.panels[i], layouts[i], looks, {x, page.y, area_width, area_height}, i);
        x += area_width + between_panels;
    }
    page.y += area_height + below;
    add_legend(page, looks);
    page.y += edge_room;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\">\n"
        "<title>{2}</title>\n<style>{3}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\" "
        "rx=\"6\"/>\n{4}</svg>\n",
        coordinate(page.width), coordinate(page.y), escape(picture.title), looks.css(), page.body);
}

}  // namespace membrane::plot
