// Sizing and prediction of the flat kinds, bloom and counting_bloom.
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan bloom_plan;
extern const kind_plan counting_bloom_plan;

}  // namespace membrane::plan
