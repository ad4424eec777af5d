// The terms of the overflow probability, shared by the bound, the estimate and the optimiser; arguments unchecked.
#pragma once

#include <membrane/model/rank_overflow.hpp>

namespace membrane::model {

// ln of the chance that more than `extensions` of `buckets` buckets hold more than `cells` keys: bounded, estimated.
using log_tail_function = double (*)(double n, double buckets, double cells, double extensions);
double log_overflow_bound(double n, double buckets, double cells, double extensions);
double log_overflow_estimate(double n, double buckets, double cells, double extensions);
// ln of the bound of Pr[some bucket holds more than `cells` keys].
double log_bucket_bound(double n, double buckets, double cells);

// Cells of a level without extensions do not count, and such a level cannot run out of extensions: its buckets fail as buckets.
rank_overflow overflow_terms(const rank_shape& shape, double n, log_tail_function tail);

double log_sum(double a, double b);

}  // namespace membrane::model
