// membrane info: the header of a filter file and estimates from its payload.
#include <fmt/core.h>

#include <membrane/kind/count_min/spec.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/count_report.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/spec_text.hpp"
#include "commands.hpp"
#include "report/filter_info.hpp"

namespace membrane::cli {

namespace {

struct info_options {
    std::string filter;
    bool is_json = false;
    bool is_trusted = false;
    bool shows_key = false;
};

void declare_info_options(const tool_command& command, info_options& options) {
    add_filter(command, options.filter, "The filter file");
    add_json(command, options.is_json);
    command.flag("--trust", options.is_trusted, "Skip the check of the payload's checksum");
    command.flag("--show-key", options.shows_key,
                 "Also print the hash key: with it, anyone can construct false positives");
}

void declare_info(const tool_command& command, info_options& options) {
    declare_info_options(command, options);
    command.set_examples(
        {"seq 1 1000 | membrane build -q -o seen.mbr && membrane info seen.mbr",
         "seq 1 1000 | membrane build -q -o same.mbr && membrane info same.mbr --json | grep bits_per_key"});
}

void print_info_json(const info_options& options, const any_view& filter) {
    print_json(report::info_json(options.filter, filter, options.shows_key));
}

std::string abilities_text(const filter_spec& spec) {
    std::string names;
    for (const ability& each : abilities)
        if (capabilities_of(spec).*each.can) names.append(names.empty() ? "" : ", ").append(each.name);
    return names.empty() ? "no more than insert and look up" : names;
}

void print_filter_rows(const any_view& filter) {
    const filter_spec& spec = filter.spec();
    const double bits =
        8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(different_keys(filter));
    print_row("keys", held_keys_text(filter));
    print_row("size", fmt::format("{} ({} bytes; the file has {})", bytes_text(filter.size_bytes()),
                                  count_text(filter.size_bytes()), count_text(filter.file_bytes())));
    print_row("space per key", different_keys(filter) == 0 ? "no keys" : bits_per_key_text(bits));
    print_row("planned for", filter.universe() != 0   ? growth_text(filter)
                             : spec.planned_keys == 0 ? "no number of keys"
                                                      : count_text(spec.planned_keys) + " keys");
    print_row("planned rate",
              spec.planned_fpr == 0 ? "none" : rate_text(spec.planned_fpr) + " false positives");
    print_row("estimated rate now", rate_text(filter.estimated_fpr_now()) + " false positives");
    if (const auto reads = report::reads_of(filter))
        print_row("cache lines read",
                  fmt::format("{:.2f} for an absent key, {:.2f} for a present one, predicted",
                              reads->negative.average, reads->positive.average));
    print_row("estimated keys", estimated_keys_text(filter));
}

void print_count_rows(const any_view& filter) {
    print_row("occurrences", count_text(filter.keys()));
    print_row("different keys", fmt::format("about {}, estimated", estimated_keys_text(filter)));
    print_row("size", fmt::format("{} ({} bytes; the file has {})", bytes_text(filter.size_bytes()),
                                  count_text(filter.size_bytes()), count_text(filter.file_bytes())));
    print_row("estimates", count_promise_text(count_promise_of(filter)));
    print_row("of absent keys", rate_text(filter.estimated_fpr_now()) + " get a count above 0, estimated");
    print_row("most counted keys", fmt::format("{} remembered, room for {}", count_text(filter.top().size()),
                                               count_text(filter.spec()[count_min_field::top_slots])));
}

void print_info_text(const info_options& options, const any_view& filter) {
    const filter_spec& spec = filter.spec();
    print_row("file", shown_name(options.filter));
    for (const label& each : filter.labels().all()) print_row(fmt::format("label {}", each.name), each.value);
    print_row("kind", fmt::format("{} ({})", filter.kind().rules.name, filter.kind().rules.meaning));
    print_row("can", abilities_text(spec));
    if (is_count_file(filter)) print_count_rows(filter);
    else print_filter_rows(filter);
    print_row("fill", rate_text(filter.fill()));
    print_row("hash", fmt::format("{}", name_of(filter.hash().id)));
    if (options.shows_key) print_row("hash key", to_hex(filter.hash().key));
    print_row("format version", std::to_string(filter.as_file().format_version));
    const auto rules = filter.kind().rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        out().print("  {:<24}{:<14}{}{}\n", rules[i].name, field_text(rules[i], spec[i]),
                    field_text(rules[i], spec[i]).size() >= 14 ? " " : "", rules[i].meaning);
    if (filter.is_over_capacity() && different_keys(filter) > filter.promised_keys())
        out().print("\nholds more keys than its rate was planned for\n");
}

exit_code perform_info(const info_options& options) {
    const mapped_filter filter =
        open_filter(options.filter, options.is_trusted ? checksum::trust : checksum::verify);
    (options.is_json ? print_info_json : print_info_text)(options, filter.view());
    return exit_code::done;
}

}  // namespace

namespace {

void declare_count_info(const tool_command& command, info_options& options) {
    declare_info_options(command, options);
    command.set_examples(
        {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && membrane count info abc.mbr",
         "seq 1 99 | membrane count build -q -o n.mbr && membrane count info n.mbr --json | grep keys"});
}

exit_code perform_count_info(const info_options& options) {
    const mapped_filter filter =
        open_filter(options.filter, options.is_trusted ? checksum::trust : checksum::verify);
    if (!is_count_file(filter.view()))
        fail(exit_code::usage, fmt::format("{}: holds no counts ({}); `membrane info` describes filters",
                                           shown_name(options.filter), filter->kind().rules.name));
    (options.is_json ? print_info_json : print_info_text)(options, filter.view());
    return exit_code::done;
}

}  // namespace

void add_count_info_command(const tool_command& count) {
    add_command<info_options>(count, "info", "Show how many occurrences were counted, and how exactly",
                              declare_count_info, perform_count_info);
}

void add_info_command(const tool_command& tool) {
    add_command<info_options>(tool, "info", "Show what a filter file holds", declare_info, perform_info);
}

}  // namespace membrane::cli
