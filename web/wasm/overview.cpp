// `overview`: what the page shows of a plan. The options are those of `membrane plan`, and the width of the charts.
#include <optional>

#include <plot/chart.hpp>

#include "cli/command/plan_request.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/plan_report.hpp"
#include "page_commands.hpp"
#include "report/plan_json.hpp"

namespace membrane::web {

namespace {

using namespace cli;

struct overview_options {
    plan_request request;
    std::optional<double> width;
    bool has_charts = false;
};

void declare_overview(const tool_command& command, overview_options& options) {
    declare_plan_request(command, options.request);
    command.flag("--charts", options.has_charts, "The charts instead of the table");
    add_positive(command, "--width", "X", options.width, "Pixels of the charts");
}

json table_json(const overview_options& options, const plan_answer& answer) {
    json rows = json::array();
    for (const plan_table_row& row : plan_table(options.request.wanted, answer.ranked))
        rows.push_back(std::vector<std::string>(row.begin(), row.end()));
    return rows;
}

json range_json(const plot::range& limits, plot::scale shape) {
    return json{{"low", limits.low}, {"high", limits.high}, {"is_log", shape == plot::scale::log10}};
}

json panel_json(const plot::panel& panel, const plot::drawn_panel& drawn) {
    json curves = json::array();
    for (const plot::series& curve : panel.curves) {
        json points = json::array();
        for (const plot::point& each : curve.points) {
            json pair = json::array();
            pair.push_back(each.x);
            pair.push_back(each.y);
            points.push_back(pair);
        }
        curves.push_back(json{{"name", curve.name}, {"points", points}});
    }
    return json{{"title", panel.title},
                {"x_title", panel.x.title},
                {"y_title", panel.y.title},
                {"left", drawn.left},
                {"top", drawn.top},
                {"width", drawn.width},
                {"height", drawn.height},
                {"x", range_json(drawn.x, panel.x.shape)},
                {"y", range_json(drawn.y, panel.y.shape)},
                {"curves", curves}};
}

exit_code print_charts(const overview_options& options, const plan_answer& answer) {
    constexpr double width_of_two = 760;
    plot::chart picture = plan_chart(options.request.wanted, answer.ranked);
    picture.title.clear();
    picture.subtitle.clear();
    picture.width = options.width.value_or(width_of_two);
    picture.columns = picture.width < width_of_two ? 1 : 2;
    const plot::drawing drawn = value_or_fail("charts", plot::draw(picture));
    json panels = json::array();
    for (std::size_t i = 0; i < picture.panels.size(); ++i)
        panels.push_back(panel_json(picture.panels[i], drawn.panels[i]));
    print_json_line(json{{"svg", drawn.svg}, {"panels", panels}});
    return exit_code::done;
}

exit_code perform_overview(const overview_options& options) {
    const plan_answer answer = answer_plan(options.request);
    if (options.has_charts) return print_charts(options, answer);
    print_json_line(json{{"question", question_text(options.request.wanted)},
                         {"table", table_json(options, answer)},
                         {"warning", answer.ranked.warning},
                         {"plan", report::plan_json(options.request.wanted, answer.ranked, answer.build)}});
    return exit_code::done;
}

}  // namespace

void add_overview_command(const tool_command& tool) {
    add_command<overview_options>(tool, "overview", "What the page shows of a plan", declare_overview,
                                  perform_overview);
}

}  // namespace membrane::web
