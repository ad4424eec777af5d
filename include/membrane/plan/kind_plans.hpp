// The plan of every kind: how it is sized and what its model predicts. Each is defined in src/kind/<kind>/plan.cpp.
#pragma once

#include <membrane/model/balanced_rank.hpp>
#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan bloom_plan;
extern const kind_plan counting_bloom_plan;
extern const kind_plan blocked_bloom_plan;
extern const kind_plan choice_bloom_plan;
extern const kind_plan balanced_bloom_plan;
extern const kind_plan rank_plan;
extern const kind_plan balanced_rank_plan;
extern const kind_plan count_min_plan;

// Sizes count_min for counting: an estimate exceeds the true count by more than eps times the total with probability at most
// delta.
result<filter_spec> size_count_min(double eps, double delta, const given_fields& given);

// The model's parameters of a checked balanced_rank spec that holds this many keys.
model::balanced_rank_shape balanced_rank_shape_of(const filter_spec& spec, std::uint64_t keys);

}  // namespace membrane::plan
