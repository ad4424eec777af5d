// Commands that only the page has. Those that print anything print JSON.
#pragma once

#include "cli/command/commands.hpp"

namespace membrane::web {

// A plan as the tool prints it and as texts of a table, with its charts.
void add_overview_command(const cli::tool_command& tool);

// The steps of a picture of one idea, made by the structure itself.
void add_picture_command(const cli::tool_command& tool);

// `hold` and `ask`: many questions to one filter file.
void add_held_filter_commands(const cli::tool_command& tool);

}  // namespace membrane::web
