// membrane info: the header of a filter file and estimates from its payload.
#include <optional>

#include <fmt/core.h>

#include "cli/input/filter_files.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/spec_text.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct info_options {
    std::string filter;
    bool is_json = false;
    bool is_trusted = false;
    bool shows_key = false;
};

void declare_info(const tool_command& command, info_options& options) {
    add_filter(command, options.filter, "The filter file");
    add_json(command, options.is_json);
    command.flag("--trust", options.is_trusted, "Skip the check of the payload's checksum");
    command.flag("--show-key", options.shows_key,
                 "Also print the hash key: with it, anyone can construct false positives");
    command.set_examples(
        {"seq 1 1000 | membrane build -q -o seen.mbr && membrane info seen.mbr",
         "seq 1 1000 | membrane build -q -o same.mbr && membrane info same.mbr --json | grep bits_per_key"});
}

// Predicted cache lines per lookup for the present number of keys; none if the kind has no prediction.
std::optional<plan::lookup_costs> reads_of(const any_view& filter) {
    const auto predict = filter.kind().plan.predicted_costs;
    if (predict == nullptr) return std::nullopt;
    return predict(filter.spec(), filter.keys());
}

void print_info_json(const info_options& options, const any_view& filter) {
    const filter_spec& spec = filter.spec();
    const auto reads = reads_of(filter);
    json info{
        {"file", options.filter},
        {"kind", filter.kind().rules.name},
        {"keys", filter.keys()},
        {"size_bytes", filter.size_bytes()},
        {"file_bytes", filter.file_bytes()},
        {"bits_per_key", number_or_null(bits_per_key(filter))},
        {"planned_keys", spec.planned_keys == 0 ? json(nullptr) : json(spec.planned_keys)},
        {"grows", filter.universe() != 0},
        {"promised_keys", filter.promised_keys() == 0 ? json(nullptr) : json(filter.promised_keys())},
        {"planned_fpr", spec.planned_fpr == 0 ? json(nullptr) : json(spec.planned_fpr)},
        {"estimated_fpr_now", number_or_null(filter.estimated_fpr_now())},
        {"estimated_keys", number_or_null(filter.estimated_size())},
        {"fill", filter.fill()},
        {"is_over_capacity", filter.is_over_capacity()},
        {"hash", name_of(filter.hash().id)},
        {"format_version", filter.as_file().format_version},
        {"negative_reads", reads ? json(reads->negative.average) : json(nullptr)},
        {"positive_reads", reads ? json(reads->positive.average) : json(nullptr)},
        {"parameters", parameters_json(spec)},
    };
    if (options.shows_key) info["hash_key"] = to_hex(filter.hash().key);
    print_json(info);
}

void print_info_text(const info_options& options, const any_view& filter) {
    const filter_spec& spec = filter.spec();
    print_row("file", options.filter);
    print_row("kind", fmt::format("{} ({})", filter.kind().rules.name, filter.kind().rules.meaning));
    print_row("keys", count_text(filter.keys()));
    print_row("size", fmt::format("{} ({} bytes; the file has {})", bytes_text(filter.size_bytes()),
                                  count_text(filter.size_bytes()), count_text(filter.file_bytes())));
    print_row("space per key", filter.keys() == 0 ? "no keys" : bits_per_key_text(bits_per_key(filter)));
    print_row("planned for", filter.universe() != 0   ? growth_text(filter)
                             : spec.planned_keys == 0 ? "no number of keys"
                                                      : count_text(spec.planned_keys) + " keys");
    print_row("planned rate",
              spec.planned_fpr == 0 ? "none" : rate_text(spec.planned_fpr) + " false positives");
    print_row("estimated rate now", rate_text(filter.estimated_fpr_now()) + " false positives");
    if (const auto reads = reads_of(filter))
        print_row("cache lines read",
                  fmt::format("{:.2f} for an absent key, {:.2f} for a present one, predicted",
                              reads->negative.average, reads->positive.average));
    print_row("estimated keys", fmt::format("{:.0f}", filter.estimated_size()));
    print_row("fill", rate_text(filter.fill()));
    print_row("hash", fmt::format("{}", name_of(filter.hash().id)));
    if (options.shows_key) print_row("hash key", to_hex(filter.hash().key));
    print_row("format version", std::to_string(filter.as_file().format_version));
    const auto rules = filter.kind().rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        out().print("  {:<24}{:<14}{}\n", rules[i].name, field_text(rules[i], spec[i]), rules[i].meaning);
    if (filter.is_over_capacity()) out().print("\nholds more keys than its rate was planned for\n");
}

exit_code perform_info(const info_options& options) {
    const mapped_filter filter =
        open_filter(options.filter, options.is_trusted ? checksum::trust : checksum::verify);
    (options.is_json ? print_info_json : print_info_text)(options, filter.view());
    return exit_code::done;
}

}  // namespace

void add_info_command(const tool_command& tool) {
    add_command<info_options>(tool, "info", "Show what a filter file holds", declare_info, perform_info);
}

}  // namespace membrane::cli
