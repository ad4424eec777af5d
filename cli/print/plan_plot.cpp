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

struct plan_panels {
    plot::panel space, reads, rate_by_keys, bits_by_keys;
};

// What the planned filter is when it holds another number of keys.
struct later_filter {
    double keys, fpr, bits_per_key;
};

// From a tenth of the planned keys to eight times as many, or what it is to grow to; of a filter that can be full, to its plan.
std::vector<later_filter> at_other_keys(const kind_entry& kind, const plan::sized_filter& filter,
                                        std::uint64_t grow_to) {
    constexpr double fewest = 0.1, most = 8, points = 20;
    const plan::kind_row row = plan_row(kind);
    const auto planned = static_cast<double>(filter.keys);
    const double end = std::max(most, 2 * static_cast<double>(grow_to) / planned);
    std::vector<later_filter> made;
    for (double i = 0; i <= points; ++i) {
        const double keys = std::max(1.0, std::round(planned * fewest * std::pow(end / fewest, i / points)));
        if (filter.can.can_be_full && keys > planned) {
            made.push_back({planned, filter.fpr, filter.bits_per_key});
            break;
        }
        const auto count = static_cast<std::uint64_t>(keys);
        const filter_spec spec =
            filter.can.grow && count > filter.keys ? row.grown(filter.spec, count) : filter.spec;
        if (!row.rules.check_spec(spec)) break;
        const auto size = row.rules.payload_bytes(spec);
        const double fpr = row.plan.predicted_fpr(spec, count);
        if (!size || !(fpr > 0)) continue;
        made.push_back({keys, fpr, 8 * static_cast<double>(*size + row.header_bytes) / keys});
    }
    return made;
}

void add_other_keys(plan_panels& made, const plan::candidate& each, std::uint64_t grow_to) {
    plot::series rate{std::string(each.kind), {}}, bits = rate;
    for (const later_filter& later : at_other_keys(*find_entry(each.kind), *each.filter, grow_to)) {
        rate.points.push_back({later.keys, later.fpr});
        bits.points.push_back({later.keys, later.bits_per_key});
    }
    if (rate.points.empty()) return;
    made.rate_by_keys.curves.push_back(std::move(rate));
    made.bits_by_keys.curves.push_back(std::move(bits));
}

// As the registry has them, so that a kind has the same colour in every plan.
std::vector<plan::candidate> in_fixed_order(const plan::ranking& ranked) {
    std::vector<plan::candidate> all;
    for (const kind_entry& entry : registry())
        for (const plan::candidate& each : ranked.candidates)
            if (each.kind == entry.rules.name) all.push_back(each);
    return all;
}

// log2(1 / rate) bits per key, at the rates of the sweep.
plot::series least_bits() {
    plot::series curve{"least of any filter", {}, plot::look::dashed};
    for (int step = 1; step <= 20; ++step)
        curve.points.push_back({static_cast<double>(step), std::exp2(-step)});
    return curve;
}

plan_panels panels_of(const plan::requirement& wanted, const plan::ranking& ranked) {
    plan::requirement asked = wanted;
    const plan::candidate* const chosen = ranked.chosen();
    asked.keys = keys_of(wanted, chosen);
    const plot::axis rate{"false positive rate", plot::scale::log10};
    plan_panels made{{"space", {"bits per key", plot::scale::log10}, rate},
                     {"reads", {"cache lines per negative lookup"}, rate},
                     {"more keys: rate", {"keys in the filter", plot::scale::log10}, rate},
                     {"more keys: space",
                      {"keys in the filter", plot::scale::log10},
                      {"bits per key", plot::scale::log10}}};
    double most_lines = 1;
    for (const plan::candidate& each : in_fixed_order(ranked)) {
        plot::series bits{std::string(each.kind), {}},
            reads{std::string(each.kind), {}, plot::look::line_with_markers};
        for (const plan::sized_filter& filter : sweep(*find_entry(each.kind), asked)) {
            bits.points.push_back({filter.bits_per_key, filter.fpr});
            if (filter.has_reads) {
                reads.points.push_back({filter.reads.negative.average, filter.fpr});
                most_lines = std::max(most_lines, filter.reads.negative.average);
            }
        }
        if (!bits.points.empty()) made.space.curves.push_back(std::move(bits));
        if (!reads.points.empty()) made.reads.curves.push_back(std::move(reads));
        if (!each.filter) continue;
        add_other_keys(made, each, wanted.grow_to);
        if (each.filter->can.can_be_full && each.fits && each.kind != chosen->kind)
            made.rate_by_keys.marks.push_back({static_cast<double>(each.filter->keys), each.filter->fpr,
                                               fmt::format("{} is full", each.kind)});
    }
    made.space.curves.push_back(least_bits());
    made.reads.x.limits = plot::range{0, most_lines + 0.5};
    if (chosen != nullptr) {
        const plan::sized_filter& filter = *chosen->filter;
        const auto keys = static_cast<double>(filter.keys);
        // Kinds that need many times as much would press the others together; those are in the table.
        made.space.x.limits =
            plot::range{std::min(1.0, filter.bits_per_key / 2), std::max(100.0, 4 * filter.bits_per_key)};
        made.bits_by_keys.y.limits = plot::range{filter.bits_per_key / 16, filter.bits_per_key * 16};
        made.space.marks.push_back({filter.bits_per_key, filter.fpr, bits_per_key_text(filter.bits_per_key)});
        if (filter.has_reads)
            made.reads.marks.push_back({filter.reads.negative.average, filter.fpr,
                                        fmt::format("{:.2f} lines", filter.reads.negative.average)});
        made.rate_by_keys.marks.push_back(
            {keys, filter.fpr, filter.can.can_be_full ? "planned, then full" : "planned"});
        made.bits_by_keys.marks.push_back({keys, filter.bits_per_key, "planned"});
    }
    return made;
}

}  // namespace

plot::chart plan_chart(const plan::requirement& wanted, const plan::ranking& ranked) {
    const plan::candidate* const chosen = ranked.chosen();
    plan_panels panels = panels_of(wanted, ranked);
    plot::chart picture{
        chosen == nullptr ? "No kind fits" : fmt::format("The planner chooses {}", chosen->kind),
        fmt::format("{}; curves: every kind at {} keys, file header included; a curve that ends at the "
                    "planned keys: full",
                    question_text(wanted), count_text(keys_of(wanted, chosen))),
        {std::move(panels.space), std::move(panels.reads)},
        2};
    for (plot::panel* const each : {&panels.rate_by_keys, &panels.bits_by_keys})
        if (!each->curves.empty()) picture.panels.push_back(std::move(*each));
    return picture;
}

std::string plan_picture(const plan::requirement& wanted, const plan::ranking& ranked) {
    return value_or_fail("--plot", plot::to_svg(plan_chart(wanted, ranked)));
}

}  // namespace membrane::cli
