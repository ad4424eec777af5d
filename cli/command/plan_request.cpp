#include "plan_request.hpp"

#include <utility>

#include <membrane/runtime/planner.hpp>

#include "cli/input/kind_argument.hpp"
#include "cli/input/options.hpp"
#include "report/plan_json.hpp"

namespace membrane::cli {

void declare_plan_request(const tool_command& command, plan_request& request) {
    plan::requirement& wanted = request.wanted;
    request.kind = automatic_kind;
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
    command.text("--kind", request.kind, kind_value,
                 "auto (all kinds), or a kind with parameters, as `membrane kinds` lists them");
}

void check_plan_request(const plan_request& request) {
    parse_kind(request.kind);
    if (request.wanted.keys == 0 && !request.wanted.max_bytes)
        fail(exit_code::usage, "give --keys N, or --max-bytes SIZE for as many keys as fit");
    check_grow_to(request.wanted, request.wanted.keys, "the planned");
}

plan_answer answer_plan(const plan_request& request) {
    check_plan_request(request);
    const kind_choice choice = parse_kind(request.kind);
    auto ranked = choice.kind == nullptr ? rank_kinds(request.wanted)
                                         : rank_kind(*choice.kind, choice.given, request.wanted);
    if (!ranked) fail_usage(ranked.error());
    std::string build = report::build_command(request.kind, choice.given, request.wanted, *ranked);
    return {std::move(*ranked), std::move(build)};
}

}  // namespace membrane::cli
