// The shape that the model finds best for a rate or for bits per key; the number of keys has no part in it.
#pragma once

#include <membrane/model/balanced_rank_optimum.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

// The wanted size, if there is one, is within this; a filter with more bits has more lines of the same shape.
inline constexpr double least_rank_bits_per_key = 8.5;
inline constexpr double most_rank_bits_per_key = 30;

result<model::balanced_rank_optimum> best_rank_shape(const requirement& wanted,
                                                     model::balanced_rank_form form);

}  // namespace membrane::plan
