// Questions that BF.* and CF.* answer alike.
#pragma once

#include <optional>

#include "keys.hpp"

namespace membrane::redis {

void reply_exists(const request& asked, chain_role role);
void reply_mexists(const request& asked, std::optional<chain_role> role);  // none: any

}  // namespace membrane::redis
