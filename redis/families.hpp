// The tables of commands, one for each family.
#pragma once

#include "command.hpp"

namespace membrane::redis {

std::span<const command_row> bf_commands();
std::span<const command_row> own_commands();

}  // namespace membrane::redis
