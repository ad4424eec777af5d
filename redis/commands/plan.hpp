#pragma once

#include "command.hpp"

namespace membrane::redis::own {

void reply_plan(const command_call& call);

}  // namespace membrane::redis::own
