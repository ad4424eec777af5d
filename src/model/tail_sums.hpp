// The tails of tails.hpp without argument checks, for sums whose arguments were checked once.
#pragma once

namespace membrane::model {

double log_poisson_at(double mean, double count);
double log_poisson_above(double mean, double threshold);
double log_binomial_at(double trials, double chance, double count);
double log_binomial_above(double trials, double chance, double threshold);

double poisson_at(double mean, double count);
double poisson_above(double mean, double threshold);

// E[(X - threshold)+] for a Poisson X, as a sum of positive terms.
double poisson_excess(double mean, double threshold);

}  // namespace membrane::model
