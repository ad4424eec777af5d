// Parses a command line, runs the command, and turns exceptions into a message and an exit code. The tool and the page in the browser
// (web/) declare different commands.
#pragma once

#include "commands.hpp"

namespace membrane::cli {

exit_code run_tool(int argc, char** argv, void (*declare)(const tool_command& tool));

}  // namespace membrane::cli
