// Sizing and prediction of count_min: for counting (eps, delta) and, as for every kind, for membership (n, fpr).
#pragma once

#include <membrane/plan/kind_plan.hpp>

namespace membrane::plan {

extern const kind_plan count_min_plan;

// An estimate exceeds the truth by more than eps times the total with a chance of at most delta.
result<filter_spec> size_count_min(double eps, double delta, const given_fields& given);

}  // namespace membrane::plan
