#include "plan_report.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "json.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "spec_text.hpp"

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

// What happens when more keys come than were planned.
std::string_view beyond_plan(const capabilities& can) {
    return can.grow ? "grows" : can.can_be_full ? "full" : "rate rises";
}

// An empty column is not printed.
using table_row = std::array<std::string, 13>;

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
                  std::string(beyond_plan(filter.can)),
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

void print_reasons(const plan::ranking& ranked) {
    std::size_t width = 0;
    for (const plan::candidate& each : ranked.candidates) width = std::max(width, each.kind.size());
    for (const plan::candidate& each : ranked.candidates)
        out().print("  {:<{}}  {}\n", each.kind, width, each.why);
}

json number_or_null(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json candidate_json(const plan::candidate& each) {
    json made{{"kind", each.kind}, {"fits", each.fits}, {"why", each.why}, {"filter", nullptr}};
    if (!each.filter) return made;
    const plan::sized_filter& filter = *each.filter;
    json can = json::object();
    for (const ability& one : abilities) can[std::string(one.name)] = filter.can.*one.can;
    json reads = nullptr;
    if (filter.has_reads)
        reads = json{
            {"negative", filter.reads.negative.average},   {"negative_worst", filter.reads.negative.worst},
            {"positive", filter.reads.positive.average},   {"positive_worst", filter.reads.positive.worst},
            {"insertion", filter.reads.insertion.average}, {"insertion_worst", filter.reads.insertion.worst}};
    json grown = nullptr;
    if (filter.grown)
        grown = json{{"keys", filter.grown->keys},
                     {"fpr", filter.grown->fpr},
                     {"bits_per_key", filter.grown->bits_per_key},
                     {"file_bytes", filter.grown->file_bytes}};
    made["filter"] = json{{"keys", filter.keys},
                          {"fpr", filter.fpr},
                          {"bits_per_key", filter.bits_per_key},
                          {"size_bytes", filter.size_bytes},
                          {"file_bytes", filter.file_bytes},
                          {"reads", reads},
                          {"can", can},
                          {"beyond_plan", beyond_plan(filter.can)},
                          {"grown", grown},
                          {"parameters", parameters_json(filter.spec)}};
    return made;
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

void print_plan_text(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command) {
    out().print("{}\n\n", question_text(wanted));
    std::vector<table_row> rows{title_row(wanted)};
    for (const plan::candidate& each : ranked.candidates)
        if (each.fits) rows.push_back(row_of(wanted, each, &each == ranked.chosen()));
    if (rows.size() > 1) print_table(rows);
    else
        out().print("{}: {}.\n", ranked.candidates.size() == 1 ? "It does not fit" : "None of our kinds fits",
                    ranked.advice);
    out().print("\nWhy in this order:\n");
    print_reasons(ranked);
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
}

void print_plan_json(const plan::requirement& wanted, const plan::ranking& ranked,
                     const std::string& build_command) {
    json needs = json::object();
    for (const ability& each : abilities) needs[std::string(each.name)] = wanted.needs.*each.can;
    json candidates = json::array();
    for (const plan::candidate& each : ranked.candidates) candidates.push_back(candidate_json(each));
    json outside = nullptr;
    if (ranked.smaller_outside)
        outside = json{{"name", ranked.smaller_outside->name},
                       {"fpr", ranked.smaller_outside->fpr},
                       {"bits_per_key", ranked.smaller_outside->bits_per_key},
                       {"reads", ranked.smaller_outside->reads},
                       {"why", ranked.smaller_outside->why}};
    const plan::candidate* const chosen = ranked.chosen();
    print_json(json{
        {"wanted", json{{"keys", wanted.keys == 0 ? json(nullptr) : json(wanted.keys)},
                        {"grow_to", wanted.grow_to == 0 ? json(nullptr) : json(wanted.grow_to)},
                        {"fpr", number_or_null(wanted.fpr)},
                        {"bits_per_key", number_or_null(wanted.bits_per_key)},
                        {"max_bytes", wanted.max_bytes ? json(*wanted.max_bytes) : json(nullptr)},
                        {"reads", number_or_null(wanted.average_reads)},
                        {"worst_reads", number_or_null(wanted.worst_reads)},
                        {"needs", needs},
                        {"is_static", wanted.is_static},
                        {"is_fixed", wanted.is_fixed}}},
        {"chosen", chosen == nullptr ? json(nullptr) : json(chosen->kind)},
        {"build", build_command.empty() ? json(nullptr) : json(build_command)},
        {"advice", chosen != nullptr ? json(nullptr) : json(ranked.advice)},
        {"least_bits_per_key", ranked.least_bits_per_key},
        {"candidates", candidates},
        {"outside", outside},
    });
}

}  // namespace membrane::cli
