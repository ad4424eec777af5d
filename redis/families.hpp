// The tables of commands, one for each family.
#pragma once

#include "command.hpp"
#include "filter_chain.hpp"

namespace membrane::redis {

// What a key is that was added to before it was reserved.
chain_options default_bf_options();
chain_options default_cf_options();

std::span<const command_row> bf_commands();
std::span<const command_row> cf_commands();
std::span<const command_row> cms_commands();
std::span<const command_row> own_commands();

}  // namespace membrane::redis
