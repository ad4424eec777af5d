// Sizing and prediction of the kind rank.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan rank_plan;

}  // namespace membrane::plan
