// Strict upper tails of the Poisson and the binomial distribution: the probability of *more than* `threshold`.
//
// The primary form is the logarithm: it is valid far below the least double (1e-300 and less), and an impossible event is minus
// infinity, never a NaN. A tail is a point probability times a sum of positive terms (or a continued fraction of such), or one
// minus the other side below the mean, so nothing cancels. Relative error of the logarithm, or of the probability where that is
// larger, below 1e-12 for means and trials up to 1e12. Point probabilities use Loader's saddle-point form, which keeps its
// digits at any size.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr double max_tail_mean = 1e13;
inline constexpr std::uint64_t max_tail_trials = 10'000'000'000'000;

// bad_field unless 0 <= mean <= max_tail_mean.
result<double> poisson_tail(double mean, std::uint64_t threshold);
result<double> log_poisson_tail(double mean, std::uint64_t threshold);

// bad_field unless trials <= max_tail_trials and 0 <= chance <= 1.
result<double> binomial_tail(std::uint64_t trials, double chance, std::uint64_t threshold);
result<double> log_binomial_tail(std::uint64_t trials, double chance, std::uint64_t threshold);

}  // namespace membrane::model
