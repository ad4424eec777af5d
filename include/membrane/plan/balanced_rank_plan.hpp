// Sizing and prediction of balanced_rank.
#pragma once

#include <membrane/model/balanced_rank.hpp>
#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan balanced_rank_plan;

// What the model knows of a checked spec with this many keys in it.
model::balanced_rank_shape balanced_rank_shape_of(const filter_spec& spec, std::uint64_t keys);

}  // namespace membrane::plan
