// membrane plan: sizes every kind for a requirement, ranks them and prints the command that builds the best one.
#include <fmt/core.h>

#include <membrane/runtime/planner.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"
#include "cli/print/plan_report.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct plan_options {
    plan::requirement wanted;
    std::string kind{automatic_kind};
    std::string plot;
    bool is_json = false;
    bool is_forced = false;
};

void declare_plan(const tool_command& command, plan_options& options) {
    plan::requirement& wanted = options.wanted;
    add_count(command, "--keys", wanted.keys, "Number of keys; without it, with --max-bytes: as many as fit");
    add_fpr_or_bits(command, wanted.fpr, wanted.bits_per_key);
    add_bytes(command, "--max-bytes", wanted.max_bytes,
              "Largest file size; without --fpr: the best rate of this size");
    add_positive(command, "--reads", "X", wanted.average_reads,
                 "At most X cache lines per negative lookup, on average");
    add_positive(command, "--worst-reads", "X", wanted.worst_reads,
                 "At most X cache lines per negative lookup, at worst");
    add_growth(command, wanted);
    command.flag("--count", wanted.needs.count, "The filter must estimate how often a key was inserted");
    command.flag("--merge", wanted.needs.merge, "Filters must be mergeable");
    command.flag("--intersect", wanted.needs.intersect, "Filters must be intersectable");
    command.flag("--grow", wanted.needs.grow, "The filter must grow with its keys");
    command.flag("--static", wanted.is_static, "All keys are known in advance and none is added later");
    command.text("--kind", options.kind, kind_value,
                 "auto (all kinds), or a kind with parameters, as `membrane kinds` lists them");
    add_json(command, options.is_json);
    command.text("--plot", options.plot, "F.svg", "Also draw rate against size and against reads, as SVG");
    add_force(command, options.is_forced);
    command.set_examples({"membrane plan --keys 1M --grow-to 100M --fpr 0.1%",
                          "membrane plan --max-bytes 64MiB --fpr 1% --delete --plot plan.svg"});
}

// The command line that builds the chosen filter, with the parameters that `build` would not choose by itself.
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
    const std::string growth = wanted.grow_to == 0 ? "" : fmt::format(" --grow-to {}", wanted.grow_to);
    return fmt::format("membrane build KEYS.txt -o F.mbr --kind {} --keys {} {}{}", kind, filter.keys,
                       is_by_size ? fmt::format("--bits-per-key {:.9g}", bits)
                                  : fmt::format("--fpr {:.6g}", wanted.fpr.value_or(plan::default_fpr)),
                       growth);
}

exit_code perform_plan(const plan_options& options) {
    const kind_choice choice = parse_kind(options.kind);
    if (options.wanted.keys == 0 && !options.wanted.max_bytes)
        fail(exit_code::usage, "give --keys N, or --max-bytes SIZE for as many keys as fit");
    check_grow_to(options.wanted, options.wanted.keys, "the planned");
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

void add_plan_command(const tool_command& tool) {
    add_command<plan_options>(tool, "plan", "Say which filter fits a requirement, and what it costs",
                              declare_plan, perform_plan);
}

}  // namespace membrane::cli
