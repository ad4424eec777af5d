// The completion scripts of the three shells, as text.
#pragma once

#include <string>

#include "option_table.hpp"

namespace membrane::cli {

std::string bash_completion(const command_row& tool);
std::string zsh_completion(const command_row& tool);
std::string fish_completion(const command_row& tool);

}  // namespace membrane::cli
