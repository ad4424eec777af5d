// PLAN and STATS: numbers about filters that are wanted, and about those that are there.
#pragma once

#include "command.hpp"

namespace membrane::redis {

void reply_plan(const request& asked);   // PLAN keys error_rate [ERASE] [COUNT] [MERGE]
void reply_stats(const request& asked);  // STATS key

}  // namespace membrane::redis
