// The balanced Bloom filter with SEQUENTIAL placement: d blocks of one table per key, all with the same load law.
//
// A stranger's d blocks are independent in the limit of many, so FPR and reads are the geometric sums of
// balanced_bloom.hpp with one F and one c. A key that came in at time t tried its blocks as they were then; each one
// that refused it at load h has moved on to h + 1 since with chance 1 - e^(-p y) after y more arrivals.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_bloom.hpp>

namespace membrane::model {

// r = keys per block at the design fill. Errors of balanced_bloom and of sequential_dynamics.
result<balanced_bloom_rates> sequential_bloom(double r, double fill, std::uint64_t d, std::uint64_t h,
                                              double p, const balanced_bloom_spec& spec);

// Standard deviation of one filter's own rate from filter to filter, after `arrivals` tries per block; first order in
// 1 / blocks, the tries taken as a fixed number. bad_field "arrivals", "blocks" (at least 1) and as balanced_bloom.
result<double> sequential_bloom_fpr_stddev_between(double arrivals, std::uint64_t d, std::uint64_t h,
                                                   double p, const balanced_bloom_spec& spec, double blocks);

}  // namespace membrane::model
