// Sizing and prediction of balanced_rank.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan balanced_rank_plan;

}  // namespace membrane::plan
