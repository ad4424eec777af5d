#include "plan_report.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include <membrane/kind/choice_bloom/spec.hpp>

#include "numbers.hpp"
#include "output.hpp"
#include "report/plan_json.hpp"

namespace membrane::cli {

namespace {

std::string lines_text(double lines) { return fmt::format("{:.2f}", lines); }

std::string abilities_text(const capabilities& can) {
    std::string names;
    for (const ability& each : abilities) {
        if (!(can.*each.can) || each.can == &capabilities::grow) continue;
        names.append(names.empty() ? "" : ", ").append(each.name);
        if (each.can == &capabilities::count && can.largest_count < UINT32_MAX)
            names += fmt::format(" to {}", can.largest_count);
    }
    return names;
}

using table_row = plan_table_row;

constexpr char now_and_then[] =
    "rate, bits/key, file: with the keys of the plan; then: of the filter that has grown to {} keys.\n";

table_row title_row(const plan::requirement& wanted) {
    table_row titles{"  kind",  wanted.keys == 0 ? "keys" : "",
                     "rate",    "bits/key",
                     "file",    "",
                     "",        "",
                     "absent",  "worst",
                     "present", "beyond",
                     "can"};
    if (wanted.grow_to != 0) titles[5] = "then: rate", titles[6] = "bits/key", titles[7] = "file";
    return titles;
}

table_row row_of(const plan::requirement& wanted, const plan::candidate& each, bool is_chosen) {
    const plan::sized_filter& filter = *each.filter;
    const auto reads = [&](double lines) { return filter.has_reads ? lines_text(lines) : "?"; };
    table_row row{fmt::format("{} {}", is_chosen ? '*' : ' ', each.kind),
                  wanted.keys == 0 ? short_count_text(static_cast<double>(filter.keys)) : "",
                  rate_text(filter.fpr),
                  fmt::format("{:.2f}", filter.bits_per_key),
                  bytes_text(filter.file_bytes),
                  "",
                  "",
                  "",
                  reads(filter.reads.negative.average),
                  reads(filter.reads.negative.worst),
                  reads(filter.reads.positive.average),
                  std::string(report::beyond_plan(filter.can)),
                  abilities_text(filter.can)};
    if (filter.grown) {
        row[5] = rate_text(filter.grown->fpr);
        row[6] = fmt::format("{:.2f}", filter.grown->bits_per_key);
        row[7] = bytes_text(filter.grown->file_bytes);
    }
    return row;
}

// Names and words are aligned left, numbers right.
void print_table(const std::vector<table_row>& rows) {
    constexpr std::size_t first_words = std::tuple_size_v<table_row> - 2;
    std::array<std::size_t, std::tuple_size_v<table_row>> widths{};
    for (const table_row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const table_row& row : rows) {
        std::string line = fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i < first_words; ++i)
            if (widths[i] != 0) line += fmt::format("  {:>{}}", row[i], widths[i]);
        line += fmt::format("   {:<{}}  {}", row[first_words], widths[first_words], row.back());
        out().print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    }
}

std::string seconds_text(double seconds) {
    if (seconds < 1) return "less than a second";
    if (seconds < 120) return fmt::format("{:.2g} s", seconds);
    if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

// Seconds of one core. Measured for 1e6 keys: 10.8 s of 40 rounds with 3 groups of 8 positions, 16.8 s with 4 of 9, so that a round takes
// 11 ns for each position of a key; other kinds insert a key in 20 to 60 ns.
double building_seconds(const plan::sized_filter& filter) {
    constexpr double position_seconds = 11e-9, insertion_seconds = 50e-9;
    double positions = 0;
    if (filter.spec.kind == kind_id::choice_bloom && filter.spec[choice_field::rounds] > 1)
        positions = static_cast<double>(filter.spec[choice_field::rounds]) *
                    static_cast<double>(filter.spec[choice_field::choices]) *
                    static_cast<double>(filter.spec[choice_field::k]);
    return static_cast<double>(filter.keys) * (insertion_seconds + positions * position_seconds);
}

void print_building_times(const plan::ranking& ranked) {
    double slowest = 0;
    out().print("\nBuilding takes, beside reading the keys, about:\n");
    for (const plan::candidate& each : ranked.candidates) {
        if (!each.fits) continue;
        const double seconds = building_seconds(*each.filter);
        if (each.filter->spec.kind == kind_id::choice_bloom && each.filter->spec[choice_field::rounds] > 1)
            out().print("  {}: {} of one core, {} rounds over all keys in memory\n", each.kind,
                        seconds_text(seconds), each.filter->spec[choice_field::rounds]);
        else slowest = std::max(slowest, seconds);
    }
    if (slowest != 0) out().print("  the other kinds: {} of one core\n", seconds_text(slowest));
}

void print_reasons(const plan::ranking& ranked) {
    std::size_t width = 0;
    for (const plan::candidate& each : ranked.candidates) width = std::max(width, each.kind.size());
    for (const plan::candidate& each : ranked.candidates)
        out().print("  {:<{}}  {}\n", each.kind, width, each.why);
}

}  // namespace

std::string question_text(const plan::requirement& wanted) {
    std::string text = wanted.keys == 0 ? "as many keys as fit" : count_text(wanted.keys) + " keys";
    if (wanted.bits_per_key) text += fmt::format(" with {:.4g} bits each", *wanted.bits_per_key);
    else if (wanted.fpr || !wanted.max_bytes || wanted.keys == 0)
        text += " at a false positive rate of " + rate_text(wanted.fpr.value_or(plan::default_fpr));
    if (wanted.max_bytes) text += " in at most " + bytes_text(*wanted.max_bytes);
    if (wanted.average_reads)
        text += fmt::format(", at most {:.4g} lines per negative lookup", *wanted.average_reads);
    if (wanted.worst_reads) text += fmt::format(", at most {:.4g} lines at worst", *wanted.worst_reads);
    for (const ability& each : abilities)
        if (wanted.needs.*each.can) text += fmt::format(", with {}", each.name);
    if (wanted.grow_to != 0) text += fmt::format(", growing to {} keys", count_text(wanted.grow_to));
    if (wanted.is_fixed) text += ", no key added beyond them";
    if (wanted.is_static) text += ", never changed";
    return text;
}

std::vector<plan_table_row> plan_table(const plan::requirement& wanted, const plan::ranking& ranked) {
    std::vector<table_row> rows{title_row(wanted)};
    for (const plan::candidate& each : ranked.candidates)
        if (each.fits) rows.push_back(row_of(wanted, each, &each == ranked.chosen()));
    return rows;
}

void print_plan_text(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command) {
    out().print("{}\n\n", question_text(wanted));
    const std::vector<table_row> rows = plan_table(wanted, ranked);
    if (rows.size() > 1) print_table(rows);
    else
        out().print("{}: {}.\n", ranked.candidates.size() == 1 ? "It does not fit" : "None of our kinds fits",
                    ranked.advice);
    out().print("\nWhy in this order:\n");
    print_reasons(ranked);
    if (!ranked.warning.empty()) out().print("\nWarning: {}.\n", ranked.warning);
    if (wanted.is_static) print_building_times(ranked);
    if (ranked.smaller_outside) {
        const plan::outsider& other = *ranked.smaller_outside;
        out().print("\nElsewhere: {}, {:.2f} bits/key at {} by its formula ({}).\n", other.name,
                    other.bits_per_key, rate_text(other.fpr), other.why);
    }
    out().write('\n');
    if (wanted.grow_to != 0 && rows.size() > 1) out().print(now_and_then, count_text(wanted.grow_to));
    out().print(
        "absent, worst, present: cache lines (64 bytes) that a lookup reads for a key that is not in it "
        "(average, at\n"
        "worst) and for one that is; beyond: what comes of more keys than planned. No filter of this rate "
        "can do "
        "with\nless than {:.2f} bits/key.\n",
        ranked.least_bits_per_key);
    if (!build_command.empty()) out().print("\nTo build it:\n  {}\n", build_command);
    if (const plan::candidate* const unnamed = report::without_kind(wanted, ranked))
        out().print("Without --kind, `membrane build` makes {}, which grows with its keys ({} now).\n",
                    unnamed->kind, bits_per_key_text(unnamed->filter->bits_per_key));
}

}  // namespace membrane::cli
