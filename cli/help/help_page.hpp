// The help of a command, and the overview of the tool, wrapped to the width of the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "command_table.hpp"

namespace membrane::cli {

// `footer` follows the list of commands. Headings are emphasised if the output is a terminal.
std::string help_page(const command_row& row, const std::string& footer, std::size_t width);

// For the tool without arguments: what it is for, and the commands to begin with.
std::string overview(const command_row& tool);

}  // namespace membrane::cli
