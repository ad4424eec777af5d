// The balanced Bloom filter with SEQUENTIAL placement: d candidate blocks of one table per key, with one load distribution.
//
// A stranger's d blocks are independent in the limit of many blocks, so FPR and reads are the geometric sums of
// balanced_bloom.hpp with a single F and c. A member inserted at time t tried its blocks as they were then; each block that
// refused it at load h has reached h + 1 since then with probability 1 - e^(-p y) after y more arrivals.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_bloom.hpp>

namespace membrane::model {

// r = keys per block at the design fill. Errors of balanced_bloom and of sequential_dynamics.
result<balanced_bloom_rates> sequential_bloom(double r, double fill, std::uint64_t d, std::uint64_t h,
                                              double p, const balanced_bloom_spec& spec);

// Standard deviation of the rate over filters after `arrivals` tries per block; first order in 1 / blocks, with a fixed number
// of tries. bad_field "arrivals", "blocks" (at least 1) and as balanced_bloom.
result<double> sequential_bloom_fpr_stddev_between(double arrivals, std::uint64_t d, std::uint64_t h,
                                                   double p, const balanced_bloom_spec& spec, double blocks);

}  // namespace membrane::model
