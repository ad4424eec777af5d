// Sizing and prediction of choice_bloom.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan choice_bloom_plan;

}  // namespace membrane::plan
