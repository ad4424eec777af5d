// membrane plan: sizes every kind for a requirement, ranks them and prints the command that builds the best one.
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/output.hpp"
#include "cli/print/plan_report.hpp"
#include "commands.hpp"
#include "plan_request.hpp"
#include "report/plan_json.hpp"

namespace membrane::cli {

namespace {

struct plan_options {
    plan_request request;
    std::string plot;
    bool is_json = false;
    bool is_forced = false;
};

void declare_plan(const tool_command& command, plan_options& options) {
    declare_plan_request(command, options.request);
    add_json(command, options.is_json);
    command.text("--plot", options.plot, "F.svg",
                 "Also draw rate against size, reads and keys, and size against keys, as SVG; - prints the "
                 "picture alone");
    add_force(command, options.is_forced);
    command.set_examples({"membrane plan --keys 1M --grow-to 100M --fpr 0.1%",
                          "membrane plan --max-bytes 64MiB --fpr 1% --delete --plot plan.svg"});
}

exit_code perform_plan(const plan_options& options) {
    const plan::requirement& wanted = options.request.wanted;
    check_plan_request(options.request);
    if (!options.plot.empty()) check_output(options.plot, options.is_forced);
    check_json_output(options.is_json, options.plot, "--plot");
    const plan_answer answer = answer_plan(options.request);
    // Standard output is the picture alone, if it goes there.
    if (options.is_json) print_json(report::plan_json(wanted, answer.ranked, answer.build));
    else if (options.plot != "-") print_plan_text(wanted, answer.ranked, answer.build);
    if (!options.plot.empty()) save_text(options.plot, plan_picture(wanted, answer.ranked));
    return answer.ranked.chosen() == nullptr ? exit_code::none : exit_code::done;
}

}  // namespace

void add_plan_command(const tool_command& tool) {
    add_command<plan_options>(tool, "plan", "Say which filter fits a requirement, and what it costs",
                              declare_plan, perform_plan);
}

}  // namespace membrane::cli
