// Sizing and prediction of blocked_bloom.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan blocked_bloom_plan;

}  // namespace membrane::plan
