// A question to the planner as options, and its answer: for `membrane plan` and for the page in the browser.
#pragma once

#include <string>

#include <membrane/plan/ranking.hpp>

#include "cli/input/command_line.hpp"

namespace membrane::cli {

struct plan_request {
    plan::requirement wanted;
    std::string kind;
};

void declare_plan_request(const tool_command& command, plan_request& request);
// Throws failure (usage).
void check_plan_request(const plan_request& request);

struct plan_answer {
    plan::ranking ranked;
    std::string build;  // the command line that builds the chosen filter; empty if none fits
};
// Throws failure (usage).
plan_answer answer_plan(const plan_request& request);

}  // namespace membrane::cli
