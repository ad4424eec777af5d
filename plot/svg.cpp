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

result<std::string> to_svg(const chart& picture) {
    if (picture.panels.empty())
        return make_error(errc::bad_field, "chart: no panel").with_note("a picture needs at least one panel");
    const look_book looks{picture};
    const std::size_t count = picture.panels.size();
    const std::size_t columns = picture.columns == 0 ? count : std::min(picture.columns, count);
    const double area_width = columns == 1 ? 600 : 380;
    const double area_height = columns == 1 ? 360 : 300;
    std::vector<panel_layout> layouts;
    panel_layout widest;  // every panel gets the margins of the widest one, so that rows and columns align
    for (const panel& each : picture.panels) {
        const auto limits = limits_of(each);
        if (!limits) return limits.error();
        layouts.push_back(lay_out(each, *limits, area_width, area_height));
        widest.left = std::max(widest.left, layouts.back().left);
        widest.above = std::max(widest.above, layouts.back().above);
        widest.below = std::max(widest.below, layouts.back().below);
    }
    canvas page;
    const double step = widest.left + area_width + between_panels;
    page.width = 2 * edge_room + static_cast<double>(columns) * step - between_panels + last_label_room;
    page.add_lines(picture.title, title_size, "font-weight=\"600\" class=\"ink\"");
    page.add_lines(picture.subtitle, subtitle_size, "class=\"soft\"");
    page.y += 12;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t column = i % columns;
        if (column == 0) page.y += widest.above + (i == 0 ? 0 : area_height + widest.below + between_rows);
        layouts[i].left = widest.left;
        const double x = edge_room + static_cast<double>(column) * step + widest.left;
        page.body +=
            draw_panel(picture.panels[i], layouts[i], looks, {x, page.y, area_width, area_height}, i);
    }
    page.y += area_height + widest.below;
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
