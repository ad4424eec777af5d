// balanced_rank, a filter of our own without a paper: rank-indexed lines that keep their lowest entries, so that only lookups whose
// chain is not below the largest present chain continue after a full line. Bits, rate, lines and places of keys: model beside filters.
//
// The simulation shows what this order is worth: it implements the plain rule, by which a full line is marked and forwards every
// later key, so that every lookup continues after a marked line. Cuckoo and standard Bloom filters are formulas.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/model/balanced_rank_optimum.hpp>
#include <membrane/model/d_left.hpp>
#include <membrane/model/tails.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "catalog.hpp"
#include "dice.hpp"
#include "measure.hpp"
#include "picture.hpp"
#include "sample.hpp"

namespace membrane::lab {

namespace {

constexpr std::uint64_t keys = 200'000;
constexpr std::uint64_t rate_strangers = 500'000;
constexpr std::uint64_t traced_strangers = 50'000;
// Gaps of the list, the header, and the planner's preference for lines with fewer second reads (a few hundredths of a bit).
constexpr double rounding_of_filters = 0.01;

struct target {
    const char* name;
    double rate;
};
constexpr target targets[]{{"1 %", 0.01}, {"0.4 %", 0.004}, {"0.1 %", 0.001}, {"0.01 %", 0.0001}};

enum panel : std::size_t { bits_panel, lines_panel };

row row_of(const target& at, std::string curve, const char* what, double model) {
    row made{fmt::format("{}, {}: {}", at.name, curve, what)};
    made.model = model;
    return made;
}
row drawn(const target& at, std::string curve, panel where, double model) {
    row made = row_of(at, curve, where == bits_panel ? "bits per key" : "lines", model);
    made.curve = std::move(curve);
    made.x = at.rate;
    made.panel = where;
    return made;
}

double part_at(const std::vector<double>& parts, std::size_t lines) {
    return lines < parts.size() ? parts[lines] : 0;
}
double mean_lines(const std::vector<double>& parts) {
    double sum = 0;
    for (std::size_t lines = 1; lines < parts.size(); ++lines)
        sum += static_cast<double>(lines) * parts[lines];
    return sum;
}

// Where a member's lookup ends: in the first table, in the second, in the list.
struct seen_in_filters {
    model::running_summary rate, lines, second, listed;

    void add(const filled_filter& filter) {
        rate.add(filter.strangers_taken(rate_strangers));
        lines.add(mean_lines(filter.stranger_lines(traced_strangers)));
        const auto members = filter.member_lines(keys);
        second.add(part_at(members, 2));
        listed.add(part_at(members, 3));
    }
};

// The model assumes Poisson loads. In a filter their variance is smaller: by the part 1 / lines because the number of keys is
// fixed, and where equal entries are stored once, by the share of taken addresses. The reduction of forwarded entries is half of
// that variance times the probability of a load of Z; it is applied as an equivalent reduction of the keys.
model::balanced_rank_shape with_narrower_loads(model::balanced_rank_shape shape, const filter_spec& spec) {
    const double x1 = shape.keys_per_line;
    const auto addresses =
        std::ldexp(static_cast<double>(shape.first.chains), static_cast<int>(shape.first.fingerprint_bits));
    double part = 1 / static_cast<double>(spec[balanced_rank_field::lines]);
    if (shape.form == model::rank_model_form::fixed) part += x1 / addresses;
    const double above = must(model::poisson_tail(x1, shape.first.cells));
    const double at_cells = must(model::poisson_tail(x1, shape.first.cells - 1)) - above;
    shape.keys_per_line -= part * x1 * at_cells / 2 / above;
    return shape;
}

void add_form(context& lab, report& made, const target& at, model::rank_model_form form) {
    const char* const name = form == model::rank_model_form::erasable ? "erasable" : "fixed";
    const wanted_filter wanted{fmt::format("balanced_rank:form={}", name), keys, {}, at.rate};
    const auto best = must(model::best_balanced_rank_for_fpr(at.rate, {.form = form}));
    row bits = drawn(at, name, bits_panel,
                     static_cast<double>(must(model::balanced_rank_for(best.shape, keys)).size_bits) /
                         static_cast<double>(keys));
    bits.margin = rounding_of_filters * *bits.model;
    bits.measured = measured_bits_per_key(wanted);

    const filter_spec spec = spec_of(wanted).value();
    const auto shape = plan::balanced_rank_shape_of(spec, keys);
    const auto numbers = must(model::balanced_rank_at(shape));
    const auto narrower = must(model::balanced_rank_at(with_narrower_loads(shape, spec)));
    seen_in_filters seen;
    for_each_filter(lab, spec, keys, [&](const filled_filter& each) { seen.add(each); });
    row rate = row_of(at, name, "rate", predicted_rate(wanted).value());
    rate.measured = rate_of(spec, keys, seen.rate, rate_strangers);
    const auto held_against = [&](row each, const model::running_summary& summary, auto number_in) {
        each.model = number_in(numbers);
        each.margin = *each.model - number_in(narrower);
        each.measured = mean_of(summary);
        return each;
    };
    row lines = held_against(drawn(at, name, lines_panel, 0), seen.lines,
                             [](const auto& from) { return from.negative_reads + from.list_reads; });
    row second = held_against(row_of(at, name, "share in T2", 0), seen.second,
                              [](const auto& from) { return from.forwarded - from.listed; });
    row listed = held_against(row_of(at, name, "share in the list", 0), seen.listed,
                              [](const auto& from) { return from.listed; });
    for (row* each : {&bits, &rate, &lines, &second, &listed}) made.rows.push_back(std::move(*each));
}

// The lines that a stranger's lookup reads under the plain rule, the list counted as one. The order of the keys determines
// which are forwarded, but not how many lines are marked.
double plain_lines(const filter_spec& spec, dice& random) {
    std::vector<std::uint32_t> first(spec[balanced_rank_field::lines]), second(second_lines(spec));
    for (std::uint64_t key = 0; key < keys; ++key)
        if (++first[random.below(first.size())] > spec[balanced_rank_field::cells])
            ++second[random.below(second.size())];
    const auto marked = [](const std::vector<std::uint32_t>& loads, std::uint64_t cells) {
        const auto count =
            std::count_if(loads.begin(), loads.end(), [&](std::uint32_t load) { return load > cells; });
        return static_cast<double>(count) / static_cast<double>(loads.size());
    };
    return 1 + marked(first, spec[balanced_rank_field::cells]) *
                   (1 + marked(second, spec[balanced_rank_field::second_cells]));
}

void add_plain_rule(context& lab, report& made, const target& at) {
    const filter_spec spec = spec_of({"balanced_rank:form=fixed", keys, {}, at.rate}).value();
    model::balanced_rank_shape shape = plan::balanced_rank_shape_of(spec, keys);
    shape.keys_per_line = static_cast<double>(keys) / static_cast<double>(spec[balanced_rank_field::lines]);
    const double second_load = must(model::balanced_rank_at(shape)).second_load;
    row lines = drawn(at, "plain rule", lines_panel,
                      1 + must(model::poisson_tail(shape.keys_per_line, shape.first.cells)) *
                              (1 + must(model::poisson_tail(second_load, shape.second.cells))));
    model::running_summary seen;
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        dice random{lab.next_seed()};
        seen.add(plain_lines(spec, random));
    }
    lines.simulated = mean_of(seen);
    made.rows.push_back(std::move(lines));
}

void add_formulas(report& made, const target& at) {
    made.rows.push_back(drawn(at, "cuckoo", bits_panel, must(model::cuckoo_bits_per_key(at.rate))));
    made.rows.push_back(drawn(at, "cuckoo", lines_panel, 2));
    made.rows.push_back(
        drawn(at, "standard Bloom", bits_panel, must(model::standard_bloom_bits_per_key(at.rate))));
    // Half of the bits are set, and a lookup continues while it finds set ones: 1 + 1/2 + 1/4 + ... over log2(1/rate) bits.
    made.rows.push_back(drawn(at, "standard Bloom", lines_panel, 2 * (1 - at.rate)));
}

}  // namespace

report run_balanced_rank(context& lab) {
    report made;
    made.quantity = "bits per key; false positive rate; lines per negative lookup; shares of the keys";
    const plot::axis x{"false positive rate", plot::scale::log10, {}};
    made.picture = {"Bits per key, and lines that a negative lookup reads",
                    "balanced_rank in its two forms and with the plain rule, 200,000 keys; lines of 64 bytes",
                    {axes("size", x, {"bits per key", {}, {}}),
                     axes("reads", x, {"lines per negative lookup", {}, plot::range{1, 2.1}})}};
    std::size_t done = 0;
    for (const target& at : targets) {
        for (const auto form : {model::rank_model_form::fixed, model::rank_model_form::erasable})
            add_form(lab, made, at, form);
        add_plain_rule(lab, made, at);
        add_formulas(made, at);
        lab.advance(++done, std::size(targets));
    }
    made.notes = {
        "bits per key: model, the best shape with room in the list but for a chance of 1e-12; measured, the "
        "whole "
        "filter as allocated, in the shape that the planner takes",
        "shares: of the keys, by where their lookups end; lines: of both tables, and the list as one more",
        "plain rule: the lines and keys of fixed, but a full line only sets its mark and forwards "
        "whatever comes "
        "later: all lookups go on from it. With emptier lines, a key for each cell, 45 to 47 % of the lines "
        "overflow",
        "cuckoo: 2 buckets of 4 cells, 95 % of them used; standard Bloom: half of the bits set; both by "
        "formula, with "
        "fingerprints and probes of any length"};
    return made;
}

}  // namespace membrane::lab
