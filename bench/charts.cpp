// Two charts: rate over space, where the shape of a marker is the time of a batched negative lookup; and time over the number of
// keys.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "plot/chart.hpp"
#include "report.hpp"
#include "timing/machine.hpp"

namespace bench {
namespace {

namespace plot = membrane::plot;

// Classes of lookup time, in plain reads of one line.
constexpr double speed_limits[] = {1, 2, 4, HUGE_VAL};
constexpr const char* speed_names[] = {"at most one line read", "at most two", "at most four", "more"};

column best_miss(const row& line) { return quantile_ns(line, miss_batch, 0) != 0 ? miss_batch : miss_one; }

using curves_by_name = std::map<std::string, plot::series>;

void add_point(curves_by_name& curves, const std::string& name, plot::look style, double x, double y) {
    plot::series& curve = curves[name];
    curve.name = name;
    curve.style = style;
    curve.points.push_back({x, y, {}});
}

// One line per filter through its rates, with markers by speed, fastest first.
plot::panel rate_panel(const std::vector<table>& measured, std::uint64_t keys) {
    plot::panel panel{.title = std::to_string(keys) + " keys",
                      .x = {.title = "bits per key"},
                      .y = {.title = "false positive rate", .shape = plot::scale::log10}};
    curves_by_name lines, markers[std::size(speed_limits)];
    for (const table& each : measured)
        for (const row& line : each.rows) {
            const double rate = measured_fpr(line), bits = bits_per_key(each, line);
            // Leave out counting filters: they would squeeze the others into a corner.
            if (each.keys != keys || rate <= 0 || bits > 40) continue;
            const double reads = median_floor_ratio(line, best_miss(line));
            const auto speed = static_cast<std::size_t>(
                std::lower_bound(std::begin(speed_limits), std::end(speed_limits), reads) -
                std::begin(speed_limits));
            add_point(lines, line.name, plot::look::line, bits, rate);
            add_point(markers[speed], line.name, plot::look::markers, bits, rate);
        }
    for (auto& [name, curve] : lines) panel.curves.push_back(std::move(curve));
    for (std::size_t speed = 0; speed < std::size(speed_limits); ++speed)
        for (auto& [name, curve] : markers[speed]) {
            curve.variant = speed_names[speed];
            panel.curves.push_back(std::move(curve));
        }
    return panel;
}

plot::chart rate_against_space(const std::vector<table>& measured) {
    plot::chart picture{.title = "False positive rate over space",
                        .subtitle = "marker: a negative lookup, batched where there is a batch call"};
    std::set<std::uint64_t> sizes;
    for (const table& each : measured) sizes.insert(each.keys);
    for (const std::uint64_t keys : sizes)
        if (plot::panel panel = rate_panel(measured, keys); !panel.curves.empty())
            picture.panels.push_back(std::move(panel));
    return picture;
}

// The floor for filters of this size, from the array of the first row.
void add_floor(curves_by_name& curves, const table& from) {
    const row& line = from.rows.front();
    const auto keys = static_cast<double>(from.keys);
    add_point(curves, "line read, plain", plot::look::dashed, keys,
              quantile_floor(line, &floor_times::plain_ns, 0));
    add_point(curves, "line read, asked for ahead", plot::look::dashed, keys,
              quantile_floor(line, &floor_times::prefetched_ns, 0));
}

// Vertical lines where the first row's filter fills a cache: times should step only there.
void add_caches(plot::panel& panel, const std::vector<table>& measured, plot::range heights) {
    const double bits = bits_per_key(measured.front(), measured.front().rows.front());
    struct cache {
        int level;
        const char* name;
    };
    for (const cache& each : {cache{2, "L2 is full"}, cache{3, "L3 is full"}}) {
        const double keys = static_cast<double>(cache_bytes(each.level)) * 8 / bits;
        if (keys < static_cast<double>(measured.front().keys) ||
            keys > static_cast<double>(measured.back().keys))
            continue;
        panel.curves.push_back(
            {each.name, {{keys, heights.low, {}}, {keys, heights.high, {}}}, plot::look::line});
    }
}

plot::chart time_against_keys(const std::vector<table>& measured) {
    struct view {
        const char* title;
        column which;
    };
    plot::chart picture{.title = "Time over the number of keys",
                        .subtitle = "least of the rounds; first planned rate"};
    for (const view& each :
         {view{"misses, one by one", miss_one}, view{"misses, batched", miss_batch},
          view{"hits, batched", hit_batch}, view{"misses, batched, two threads", miss_batch_two_threads},
          view{"insertions, batched", insert_batch}}) {
        curves_by_name curves;
        for (const table& from : measured) {
            if (from.planned_fpr != measured.front().planned_fpr) continue;
            for (const row& line : from.rows)
                if (const double ns = quantile_ns(line, each.which, 0); ns != 0)
                    add_point(curves, line.name, plot::look::line_with_markers,
                              static_cast<double>(from.keys), ns);
        }
        if (curves.empty()) continue;
        for (const table& from : measured)
            if (from.planned_fpr == measured.front().planned_fpr) add_floor(curves, from);
        plot::panel panel{.title = each.title,
                          .x = {.title = "keys", .shape = plot::scale::log10},
                          .y = {.title = "ns per key", .shape = plot::scale::log10}};
        plot::range heights{1e9, 0};
        for (auto& [name, curve] : curves) {
            for (const plot::point& at : curve.points)
                heights = {std::min(heights.low, at.y), std::max(heights.high, at.y)};
            panel.curves.push_back(std::move(curve));
        }
        add_caches(panel, measured, heights);
        picture.panels.push_back(std::move(panel));
    }
    picture.columns = 2;
    return picture;
}

}  // namespace

bool write_chart(const std::string& folder, const char* name, const plot::chart& picture) {
    const auto text = plot::to_svg(picture);
    const std::string path = folder + "/" + name;
    if (text) {
        std::ofstream file(path);
        file << *text;
        file.close();
        if (file) return true;
    }
    std::fprintf(stderr, "%s: %s\n", path.c_str(),
                 text ? "cannot be written" : membrane::describe(text.error()).c_str());
    return false;
}

bool write_charts(const std::string& folder, const std::vector<table>& measured) {
    return write_chart(folder, "rate_over_space.svg", rate_against_space(measured)) &&
           write_chart(folder, "time_over_keys.svg", time_against_keys(measured));
}

}  // namespace bench
