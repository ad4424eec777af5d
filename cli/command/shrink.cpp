// membrane shrink: a smaller filter of the same keys, made without them: the layout for the keys that are there, and fewer bits of
// each (kinds that grow), or halves laid over each other (kinds that fold).
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/json.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct shrink_options {
    std::string filter;
    std::string output;
    bool fits = false;
    std::optional<double> fpr;
    std::optional<double> bits_per_key;
    mode_choice mode;
    bool is_forced = false;
    bool is_json = false;
    bool is_quiet = false;
};

void declare_shrink(const tool_command& command, shrink_options& options) {
    add_filter(command, options.filter,
               "The filter file; without --output replaced as a whole or left unchanged");
    const tool_option fit = command.flag(
        "--fit", options.fits, "To the size for its present keys, at the same rate; it can grow again");
    const tool_option rate = add_parsed(command, "--fpr", options.fpr, parse_rate, "P", rate_wanted,
                                        "To the least size with at most this rate for its present keys")
                                 .excludes(fit);
    add_positive(command, "--bits-per-key", "X", options.bits_per_key,
                 "To at most X bits for each present key, at a higher rate if need be")
        .excludes(fit)
        .excludes(rate);
    const tool_option output =
        command.text("-o,--output", options.output, filter_value, "Write here and leave the filter as it is");
    add_force(command, options.is_forced).needs(output);
    add_mode(command, options.mode).needs(output);
    add_json(command, options.is_json);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"seq 1 1000 | membrane build -q -o seen.mbr --fpr 1e-6 && membrane shrink seen.mbr --fpr 1%",
         "seq 1 1000 | membrane build -q -o big.mbr --keys 1M && membrane shrink big.mbr --fit -o "
         "small.mbr"});
}

// The filter's size with its universe, or its array, halved so many times; empty if that cannot be.
std::optional<std::uint64_t> halved_bytes(const any_view& filter, std::uint64_t times) {
    const kind_ops& ops = filter.kind().ops_for(filter.spec());
    filter_spec halved = filter.spec();
    if (ops.grows != nullptr) {
        const std::uint64_t universe = filter.universe() >> times;
        if (universe << times != filter.universe()) return std::nullopt;
        halved = ops.grows->layout_for(halved, universe, std::max<std::uint64_t>(1, filter.keys()));
    } else {
        halved[ops.folds->field] += times;
    }
    if (!filter.kind().rules.check_spec(halved)) return std::nullopt;
    return ops.payload_bytes(halved);
}

// The rate after so many halvings.
double halved_rate(const any_view& filter, std::uint64_t times) {
    const kind_ops& ops = filter.kind().ops_for(filter.spec());
    if (ops.grows != nullptr) return std::ldexp(filter.estimated_fpr_now(), static_cast<int>(times));
    filter_spec halved = filter.spec();
    halved[ops.folds->field] += times;
    return filter.kind().plan.predicted_fpr(halved, filter.keys());
}

void lower_or_fail(const std::string& path, any_filter& filter, double fpr) {
    value_or_fail(path, filter.lower_rate(fpr));
    if (is_able(filter.spec(), can_grow)) check_or_fail(path, filter.shrink_to_fit());
}

void shrink_to_rate(const std::string& path, any_filter& filter, double fpr) {
    const double now = filter.estimated_fpr_now();
    if (now > fpr)
        fail(exit_code::usage,
             fmt::format("--fpr: {}, but the rate of {} is {} already, and shrinking cannot "
                         "lower it; build the filter again",
                         rate_text(fpr), shown_name(path), rate_text(now)));
    lower_or_fail(path, filter, fpr);
}

void shrink_to_bits(const std::string& path, any_filter& filter, double wanted_bits) {
    if (filter.keys() == 0)
        fail(exit_code::usage,
             fmt::format("{}: holds no keys, for which bits could be counted", shown_name(path)));
    if (is_able(filter.spec(), can_grow)) check_or_fail(path, filter.shrink_to_fit());
    const double most_bytes = wanted_bits * static_cast<double>(filter.keys()) / 8;
    const auto fits = [&](std::uint64_t bytes) { return static_cast<double>(bytes) <= most_bytes; };
    while (!fits(filter.size_bytes())) {
        std::uint64_t times = 1;
        auto bytes = halved_bytes(filter, times);
        std::uint64_t least_bytes = filter.size_bytes();
        // A rate of 1 would be no filter.
        while (bytes && halved_rate(filter, times) < 1 && !fits(*bytes)) {
            least_bytes = std::min(least_bytes, *bytes);
            bytes = halved_bytes(filter, ++times);
        }
        const double rate = halved_rate(filter, times);
        if (!bytes || rate >= 1)
            fail(exit_code::usage,
                 fmt::format("--bits-per-key: {:.4g}, but {} cannot be smaller than {:.2f} bits per key",
                             wanted_bits, shown_name(path),
                             8 * static_cast<double>(least_bytes) / static_cast<double>(filter.keys())));
        constexpr double rounding = 1e-9;
        lower_or_fail(path, filter, std::min(rate * (1 + rounding), (rate + 1) / 2));
    }
}

void shrink(const shrink_options& options, any_filter& filter) {
    check_able(options.filter, filter.spec(), can_shrink, "this filter cannot be shrunk");
    if (options.fpr) return shrink_to_rate(options.filter, filter, *options.fpr);
    if (options.bits_per_key) return shrink_to_bits(options.filter, filter, *options.bits_per_key);
    check_able(options.filter, filter.spec(), can_grow,
               "this filter has no smaller size at the same rate; give --fpr or --bits-per-key");
    check_or_fail(options.filter, filter.shrink_to_fit());
}

exit_code perform_shrink(const shrink_options& options) {
    if (!options.fits && !options.fpr && !options.bits_per_key)
        fail(exit_code::usage, "give --fit, --fpr P or --bits-per-key X; see `membrane shrink --help`");
    check_json_output(options.is_json, options.output);
    edited_filter edited(options.filter, options.output, options.is_forced, options.mode);
    any_filter& filter = edited.filter();
    const std::uint64_t size_before = filter.size_bytes();
    const double bits_before = bits_per_key(filter), rate_before = filter.estimated_fpr_now();
    shrink(options, filter);
    const bool is_smaller = filter.size_bytes() < size_before;
    if (is_smaller || !edited.is_in_place()) edited.save();
    if (options.is_json)
        print_json(json{{"file", edited.path()},
                        {"keys", filter.keys()},
                        {"size_bytes", filter.size_bytes()},
                        {"size_bytes_before", size_before},
                        {"estimated_fpr_now", number_or_null(filter.estimated_fpr_now())},
                        {"estimated_fpr_before", number_or_null(rate_before)}});
    if (options.is_quiet) return exit_code::done;
    const auto size_text = [&](std::uint64_t bytes, double bits) {
        return filter.keys() == 0 ? bytes_text(bytes)
                                  : fmt::format("{} ({})", bytes_text(bytes), bits_per_key_text(bits));
    };
    const std::string now = size_text(filter.size_bytes(), bits_per_key(filter));
    say(is_smaller ? fmt::format("{}: {}, was {}; estimated false positive rate {}, was {}",
                                 shown_output(edited.path()), now, size_text(size_before, bits_before),
                                 rate_text(filter.estimated_fpr_now()), rate_text(rate_before))
                   : fmt::format("{}: {}, no smaller than before; estimated false positive rate {}",
                                 shown_output(edited.path()), now, rate_text(filter.estimated_fpr_now())));
    return exit_code::done;
}

}  // namespace

void add_shrink_command(const tool_command& tool) {
    add_command<shrink_options>(tool, "shrink", "Make a filter file smaller without its keys", declare_shrink,
                                perform_shrink);
}

}  // namespace membrane::cli
