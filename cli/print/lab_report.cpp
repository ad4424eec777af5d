#include "lab_report.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>

#include <lab/catalog.hpp>
#include <lab/picture.hpp>
#include <lab/verdict.hpp>

#include "failure.hpp"
#include "output.hpp"

namespace membrane::cli {

namespace {

constexpr char nothing[] = "-";

std::string reading_text(double value) { return fmt::format("{:.4g}", value); }

std::string part_text(double part) { return fmt::format("{:+.2g} %", part * 100); }

// "+0.12 % (+-0.9 %)", with a mark if the deviation is outside the interval.
std::string deviation_text(const std::optional<lab::deviation>& apart, bool is_bound) {
    if (!apart) return nothing;
    const char* const mark = apart->is_inside ? "" : " OFF";
    if (is_bound) return fmt::format("{}{}", apart->is_inside ? "below" : "above", mark);
    return fmt::format("{} (\u00b1{:.2g} %){}", part_text(apart->part), apart->interval * 100, mark);
}

std::string published_text(const lab::row& each) {
    if (!each.published) return nothing;
    switch (lab::published_agreement(each)) {
        case lab::agreement::misprint: return reading_text(each.published->value) + " !";
        case lab::agreement::differs: return reading_text(each.published->value) + " OFF";
        case lab::agreement::agrees:
        case lab::agreement::unknown: break;
    }
    return (each.published->is_limit ? "\u2264 " : "") + reading_text(each.published->value);
}

// The number of UTF-8 characters.
std::size_t shown_width(const std::string& text) {
    std::size_t width = 0;
    for (const char letter : text) width += (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U ? 1 : 0;
    return width;
}

constexpr std::size_t column_count = 7;
using text_row = std::array<std::string, column_count>;

text_row texts_of(const lab::row& each) {
    const auto value = [](const std::optional<lab::reading>& from) {
        return from ? reading_text(from->value) : std::string(nothing);
    };
    return {each.label,
            published_text(each),
            each.model ? (each.is_bound ? "\u2264 " : "") + reading_text(*each.model) : std::string(nothing),
            value(each.simulated),
            deviation_text(lab::deviation_of(each, each.simulated), each.is_bound),
            value(each.measured),
            deviation_text(lab::deviation_of(each, each.measured), each.is_bound)};
}

void print_table(const std::vector<text_row>& rows) {
    std::array<std::size_t, column_count> widths{};
    for (const text_row& each : rows)
        for (std::size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], shown_width(each[i]));
    for (const text_row& each : rows) {
        std::string line;
        for (std::size_t i = 0; i < column_count; ++i) {
            const std::string gap(widths[i] - shown_width(each[i]), ' ');
            line += i == 0 ? "  " + each[i] + gap : "  " + gap + each[i];
        }
        out().print("{}\n", line);
    }
}

json reading_json(const lab::row& each, const std::optional<lab::reading>& from) {
    if (!from) return nullptr;
    const auto apart = lab::deviation_of(each, from);
    return json{{"value", from->value},
                {"low", from->value - lab::sigmas * from->sigma},
                {"high", from->value + lab::sigmas * from->sigma},
                {"deviation", apart ? json(apart->part) : json(nullptr)},
                {"is_inside", apart ? json(apart->is_inside) : json(nullptr)}};
}

}  // namespace

void print_lab_list() {
    for (const lab::experiment& each : lab::catalog()) out().print("{:<24}{}\n", each.name, each.title);
    out().print("\nRun: membrane lab NAME... or membrane lab all\n");
}

json lab_list_json() {
    json list = json::array();
    for (const lab::experiment& each : lab::catalog())
        list.push_back(json{
            {"name", each.name}, {"title", each.title}, {"source", each.source}, {"trials", each.trials}});
    return list;
}

void print_lab_report(const lab::experiment& item, std::uint64_t trials, const lab::report& made) {
    out().print("{}: {}\n  {}\n  {}; {} trial{} a row\n\n", item.name, item.title, item.source, made.quantity,
                trials, trials == 1 ? "" : "s");
    std::vector<text_row> rows{{"", "published", "model", "simulated", "deviation", "measured", "deviation"}};
    bool has_misprint = false;
    for (const lab::row& each : made.rows) {
        rows.push_back(texts_of(each));
        has_misprint = has_misprint || lab::published_agreement(each) == lab::agreement::misprint;
    }
    print_table(rows);
    out().write('\n');
    out().print(
        "  deviation: from the model (from the published number where there is none), with its 5-sigma "
        "interval\n");
    if (has_misprint) out().print("  !: known to be wrong, see the notes\n");
    for (const std::string& note : made.notes) out().print("  note: {}\n", note);
    out().print("  {}\n\n", lab::is_ok(made) ? "all deviations are inside their intervals"
                                             : "OFF: some numbers are further apart than chance explains");
}

json lab_json(const lab::experiment& item, std::uint64_t trials, const lab::report& made) {
    json rows = json::array();
    for (const lab::row& each : made.rows)
        rows.push_back(json{{"label", each.label},
                            {"published", each.published ? json(each.published->value) : json(nullptr)},
                            {"is_misprint", each.published && each.published->is_misprint},
                            {"model", each.model ? json(*each.model) : json(nullptr)},
                            {"is_bound", each.is_bound},
                            {"simulated", reading_json(each, each.simulated)},
                            {"measured", reading_json(each, each.measured)},
                            {"ok", lab::is_ok(each)}});
    return json{{"name", item.name},         {"title", item.title},   {"source", item.source},
                {"quantity", made.quantity}, {"trials", trials},      {"rows", rows},
                {"notes", made.notes},       {"ok", lab::is_ok(made)}};
}

void make_folder(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) fail_errno(path, "create", problem.value());
}

void save_picture(const std::string& folder, const lab::experiment& item, const lab::report& made) {
    const std::string path = fmt::format("{}/{}.svg", folder, item.name);
    save_text(path, value_or_fail(path, plot::to_svg(lab::draw(made))));
}

}  // namespace membrane::cli
