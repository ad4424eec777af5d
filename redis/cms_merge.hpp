// CMS.MERGE target number source... [WEIGHTS weight...]: the target becomes the weighted sum of the sources.
#pragma once

#include "command.hpp"

namespace membrane::redis {

void merge_sketches(const request& asked);

}  // namespace membrane::redis
