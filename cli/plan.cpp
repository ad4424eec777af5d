// membrane plan: a requirement in, every kind sized for it out, the best first, with the command that builds it.
#include <fmt/format.h>

#include <membrane/runtime/planner.hpp>

#include "commands.hpp"
#include "filter_io.hpp"
#include "kind_argument.hpp"
#include "numbers.hpp"
#include "plan_plot.hpp"
#include "plan_report.hpp"
#include "report.hpp"
#include "text_file.hpp"

namespace membrane::cli {

namespace {

struct plan_options {
    plan::requirement wanted;
    std::string kind{automatic_kind};
    std::string plot;
    bool is_json = false;
    bool is_forced = false;
};

void declare_plan(CLI::App& command, plan_options& options) {
    plan::requirement& wanted = options.wanted;
    add_parsed(command, "--keys", wanted.keys, parse_count, "N", count_wanted,
               "Number of keys; without it, with --max-bytes: as many as fit");
    CLI::Option* const fpr = add_parsed(command, "--fpr", wanted.fpr, parse_rate, "P", rate_wanted,
                                        "Wanted false positive rate: 0.001, 1e-3 or 0.1% (default 1%)");
    add_parsed(command, "--bits-per-key", wanted.bits_per_key, parse_positive, "X", positive_wanted,
               "Size instead of rate: bits for each key")
        ->excludes(fpr);
    add_parsed(command, "--max-bytes", wanted.max_bytes, parse_bytes, "SIZE", bytes_wanted,
               "The file may have at most so many bytes; without --fpr: the best rate in them");
    add_parsed(command, "--reads", wanted.average_reads, parse_positive, "X", positive_wanted,
               "At most X cache lines per negative lookup, on average");
    add_parsed(command, "--worst-reads", wanted.worst_reads, parse_positive, "X", positive_wanted,
               "At most X cache lines per negative lookup, at worst");
    command.add_flag("--delete", wanted.needs.erase, "Keys must be removable");
    command.add_flag("--count", wanted.needs.count, "It must tell how often a key was inserted");
    command.add_flag("--merge", wanted.needs.merge, "Filters must be mergeable");
    command.add_flag("--intersect", wanted.needs.intersect, "Filters must be intersectable");
    command.add_flag("--grow", wanted.needs.grow, "It must take more keys than planned at the same rate");
    command.add_flag("--static", wanted.is_static, "All keys are known at once and none comes later");
    command
        .add_option("--kind", options.kind,
                    "auto (all of them), or a kind with parameters, as `membrane kinds` lists them")
        ->type_name("KIND[:NAME=VALUE,...]");
    add_json(command, options.is_json);
    command.add_option("--plot", options.plot, "Also draw rate against size and against reads, as SVG")
        ->type_name("F.svg");
    add_force(command, options.is_forced);
    set_examples(command, {"membrane plan --keys 10M --fpr 0.1%",
                           "membrane plan --max-bytes 64MiB --fpr 1% --delete --plot plan.svg"});
}

// The command line that makes the chosen filter. Parameters that only a bound brought about have to be said.
std::string build_command(const plan_options& options, const plan::given_fields& given,
                          const plan::ranking& ranked) {
    const plan::candidate* const chosen = ranked.chosen();
    if (chosen == nullptr) return {};
    const plan::sized_filter& filter = *chosen->filter;
    const plan::requirement& wanted = options.wanted;
    const std::string kind =
        kind_text(options.kind == automatic_kind ? std::string(chosen->kind) : options.kind, given,
                  filter.spec, wanted);
    const bool is_by_size = wanted.bits_per_key || (wanted.max_bytes && !wanted.fpr && wanted.keys != 0);
    const double bits = 8 * static_cast<double>(filter.size_bytes) / static_cast<double>(filter.keys);
    return fmt::format("membrane build KEYS.txt -o F.mbr --kind {} --keys {} {}", kind, filter.keys,
                       is_by_size ? fmt::format("--bits-per-key {:.9g}", bits)
                                  : fmt::format("--fpr {:.6g}", wanted.fpr.value_or(plan::default_fpr)));
}

exit_code perform_plan(const plan_options& options) {
    const kind_choice choice = parse_kind(options.kind);
    if (options.wanted.keys == 0 && !options.wanted.max_bytes)
        fail(exit_code::usage, "give --keys N, or --max-bytes SIZE for as many keys as fit");
    if (!options.plot.empty()) check_output(options.plot, options.is_forced);
    auto outcome = choice.kind == nullptr ? rank_kinds(options.wanted)
                                          : rank_kind(*choice.kind, choice.given, options.wanted);
    if (!outcome) fail_usage(outcome.error());
    const plan::ranking& ranked = *outcome;
    const std::string build = build_command(options, choice.given, ranked);
    (options.is_json ? print_plan_json : print_plan_text)(options.wanted, ranked, build);
    if (!options.plot.empty()) save_text(options.plot, plan_picture(options.wanted, ranked));
    return ranked.chosen() == nullptr ? exit_code::none : exit_code::done;
}

}  // namespace

void add_plan_command(CLI::App& app, action& run) {
    add_command<plan_options>(app, run, "plan", "Say which filter fits a requirement, and what it costs",
                              declare_plan, perform_plan);
}

}  // namespace membrane::cli
