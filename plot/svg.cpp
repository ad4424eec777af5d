// Draws the picture from top to bottom: title, subtitle, panels side by side, legend.
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
constexpr double between_rows = 14;
constexpr double last_label_room = 8;  // half of the last tick label may extend beyond its panel

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

class legend {
public:
    explicit legend(canvas& page) : page_(page), x_(edge_room) {}

    // Starts a new row if the entry does not fit.
    void add(const entry& each, const appearance& looks) {
        if (each.text.empty()) return;
        const double wide = sample_width + 6 + text_width(each.text, legend_size) + 16;
        if (is_empty_ || x_ + wide > page_.width - edge_room) break_line();
        const double middle = page_.y - legend_size * 0.35;
        if (has_line(each.style))
            page_.body += fmt::format("<path {} d=\"M{} {}h{}\"/>\n", stroke(looks.colour, each.style),
                                      coordinate(x_), coordinate(middle), coordinate(sample_width));
        if (has_markers(each.style)) page_.body += marker(looks, {x_ + sample_width / 2, middle});
        page_.body += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"ink\">{}</text>\n",
                                  coordinate(x_ + sample_width + 6), coordinate(page_.y),
                                  coordinate(legend_size), escape(each.text));
        x_ += wide;
    }

    void break_line() {
        x_ = edge_room;
        page_.y += legend_row;
        is_empty_ = false;
    }

private:
    canvas& page_;
    double x_;
    bool is_empty_ = true;
};

void add_legend(canvas& page, const look_book& looks) {
    legend below{page};
    const bool has_variants = !looks.variants().empty();
    for (std::size_t i = 0; i < looks.names().size(); ++i) {
        entry name = looks.names()[i];
        if (has_variants) name.style = look::line;
        below.add(name, {i, i});
    }
    if (has_variants) below.break_line();
    for (std::size_t i = 0; i < looks.variants().size(); ++i) below.add(looks.variants()[i], {no_colour, i});
    page.y += 4;
}

}  // namespace

namespace {

// The layouts of all panels, and the margins of the widest, so that rows and columns align.
struct page_layout {
    std::vector<panel_layout> panels;
    panel_layout widest;
};

result<page_layout> lay_out_all(const chart& picture, double area_width, double area_height) {
    page_layout made;
    for (const panel& each : picture.panels) {
        const auto limits = limits_of(each);
        if (!limits) return limits.error();
        made.panels.push_back(lay_out(each, *limits, area_width, area_height));
        made.widest.left = std::max(made.widest.left, made.panels.back().left);
        made.widest.above = std::max(made.widest.above, made.panels.back().above);
        made.widest.below = std::max(made.widest.below, made.panels.back().below);
    }
    return made;
}

}  // namespace

result<std::string> to_svg(const chart& picture) {
    auto drawn = draw(picture);
    if (!drawn) return drawn.error();
    return std::move(drawn->svg);
}

result<drawing> draw(const chart& picture) {
    if (picture.panels.empty())
        return make_error(errc::bad_field, "chart: no panel").with_note("a picture needs at least one panel");
    const look_book looks{picture};
    const std::size_t count = picture.panels.size();
    const std::size_t columns = picture.columns == 0 ? count : std::min(picture.columns, count);
    double area_width = columns == 1 ? 600 : 380;
    double area_height = columns == 1 ? 360 : 300;
    auto placed = lay_out_all(picture, area_width, area_height);
    if (!placed) return placed.error();
    const double in_a_row = static_cast<double>(columns);
    const double beside = 2 * edge_room + last_label_room - between_panels;
    if (picture.width != 0) {
        constexpr double least_width = 120, most_height_to_width = 1.1;
        area_width =
            std::max(least_width, (picture.width - beside) / in_a_row - placed->widest.left - between_panels);
        area_height = std::min(area_height, area_width * most_height_to_width);
        placed = lay_out_all(picture, area_width, area_height);
    }
    const panel_layout& widest = placed->widest;
    canvas page;
    const double step = widest.left + area_width + between_panels;
    page.width = beside + in_a_row * step;
    if (!picture.title.empty())
        page.add_lines(picture.title, title_size, "font-weight=\"600\" class=\"ink\"");
    if (!picture.subtitle.empty()) page.add_lines(picture.subtitle, subtitle_size, "class=\"soft\"");
    page.y += 12;
    drawing made;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t column = i % columns;
        panel_layout& layout = placed->panels[i];
        if (column == 0) page.y += widest.above + (i == 0 ? 0 : area_height + widest.below + between_rows);
        layout.left = widest.left;
        const double x = edge_room + static_cast<double>(column) * step + widest.left;
        page.body += draw_panel(picture.panels[i], layout, looks, {x, page.y, area_width, area_height}, i);
        made.panels.push_back({x, page.y, area_width, area_height, layout.limits.x, layout.limits.y});
    }
    page.y += area_height + widest.below;
    add_legend(page, looks);
    page.y += edge_room;
    made.svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\">\n"
        "<title>{2}</title>\n<style>{3}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\" "
        "rx=\"6\"/>\n{4}</svg>\n",
        coordinate(page.width), coordinate(page.y), escape(picture.title), looks.css(), page.body);
    return made;
}

}  // namespace membrane::plot
