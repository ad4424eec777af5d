// The best shape of a line by the model, for a rate or for bits per key; it does not depend on the number of keys.
#pragma once

#include <membrane/model/balanced_rank_optimum.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

// Range of sizes with a shape of their own; larger filters get more lines of the same shape.
inline constexpr double least_rank_bits_per_key = 8.5;
inline constexpr double most_rank_bits_per_key = 30;

result<model::balanced_rank_optimum> best_rank_shape(const requirement& wanted, model::rank_model_form form);

}  // namespace membrane::plan
