// Sizing and prediction of balanced_bloom.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan balanced_bloom_plan;

}  // namespace membrane::plan
