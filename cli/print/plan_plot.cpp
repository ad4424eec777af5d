#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <membrane/runtime/planner.hpp>
#include <plot/chart.hpp>

#include "failure.hpp"
#include "numbers.hpp"
#include "plan_report.hpp"

namespace membrane::cli {

namespace {

// One kind at the rates 1/2, 1/4, ... 2^-20. Each of these rates needs a whole number of probes, so the curves are smooth.
std::vector<plan::sized_filter> sweep(const kind_entry& kind, const plan::requirement& wanted) {
    constexpr int halvings = 20;
    const plan::kind_row row = plan_row(kind);
    std::vector<plan::sized_filter> made;
    for (int step = 1; step <= halvings; ++step) {
        plan::requirement one;
        one.keys = wanted.keys;
        one.needs = wanted.needs;
        one.fpr = std::exp2(-step);
        if (auto sized = plan::size_kind(row, one, {})) made.push_back(*sized);
    }
    return made;
}

std::uint64_t keys_of(const plan::requirement& wanted, const plan::candidate* chosen) {
    if (wanted.keys != 0) return wanted.keys;
    return chosen == nullptr ? 1'000'000 : chosen->filter->keys;
}

}  // namespace

std::string plan_picture(const plan::requirement& wanted, const plan::ranking& ranked) {
    plan::requirement asked = wanted;
    const plan::candidate* const chosen = ranked.chosen();
    asked.keys = keys_of(wanted, chosen);
    plot::panel by_bits{
        "space", {"bits per key", plot::scale::log10}, {"false positive rate", plot::scale::log10}};
    plot::panel by_reads{
        "reads", {"cache lines per negative lookup"}, {"false positive rate", plot::scale::log10}};
    double most_lines = 1;
    for (const plan::candidate& each : ranked.candidates) {
        plot::series bits{std::string(each.kind), {}},
            reads{std::string(each.kind), {}, plot::look::line_with_markers};
        for (const plan::sized_filter& filter : sweep(*find_entry(each.kind), asked)) {
            bits.points.push_back({filter.bits_per_key, filter.fpr});
            if (filter.has_reads) {
                reads.points.push_back({filter.reads.negative.average, filter.fpr});
                most_lines = std::max(most_lines, filter.reads.negative.average);
            }
        }
        if (!bits.points.empty()) by_bits.curves.push_back(std::move(bits));
        if (!reads.points.empty()) by_reads.curves.push_back(std::move(reads));
    }
    by_reads.x.limits = plot::range{0, most_lines + 0.5};
    if (chosen != nullptr) {
        const plan::sized_filter& filter = *chosen->filter;
        by_bits.marks.push_back(
            {filter.bits_per_key, filter.fpr, fmt::format("{:.2f} bits/key", filter.bits_per_key)});
        if (filter.has_reads)
            by_reads.marks.push_back({filter.reads.negative.average, filter.fpr,
                                      fmt::format("{:.2f} lines", filter.reads.negative.average)});
    }
    const plot::chart picture{
        chosen == nullptr ? "No kind fits" : fmt::format("The planner chooses {}", chosen->kind),
        fmt::format("{}; curves: every kind at {} keys, file header included", question_text(wanted),
                    count_text(asked.keys)),
        {by_bits, by_reads}};
    return value_or_fail("--plot", plot::to_svg(picture));
}

}  // namespace membrane::cli
