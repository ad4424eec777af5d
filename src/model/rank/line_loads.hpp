// Arrivals, kept and forwarded entries of one line of the balanced rank-indexed filter; arguments unchecked.
#pragma once

#include <vector>

#include <membrane/model/balanced_rank.hpp>

namespace membrane::model {

// Probability that a stranger's lookup continues after a line of `chains` chains and `cells` cells with Poisson arrivals: for a
// lookup of each chain, and the mean.
std::vector<double> continue_chances(double arrivals, double chains, double cells);
double continue_chance(double arrivals, double chains, double cells);

// clumps[c][j] = chance that j entries of chain c are forwarded by a line with Poisson arrivals.
std::vector<std::vector<double>> forwarded_clumps(double arrivals, double chains, double cells);

// The distribution of the sum of one clump of each chain from different lines: the load of a line of T2 that serves every chain once.
std::vector<double> sum_over_chains(const std::vector<std::vector<double>>& clumps);

// The distribution of a Poisson load until its tail is negligible; and of the sum of `count` clumps up to `most`. A fractional
// `count` is the mixture of the two whole numbers around it.
std::vector<double> poisson_law(double mean, double cells);
std::vector<double> sum_of_clumps(const std::vector<double>& clump, double count, std::size_t most);
std::size_t clump_reach(const std::vector<double>& clump, double count, double cells);

// Adds one clump.
std::vector<double> convolved(const std::vector<double>& law, const std::vector<double>& clump,
                              std::size_t most);

double mean_of(const std::vector<double>& law);
double variance_of(const std::vector<double>& law);

struct excess_moments {
    double mean = 0;    // E[(X - cells)+]
    double square = 0;  // E[((X - cells)+)^2]
};
excess_moments excess_over(const std::vector<double>& law, double cells);
// The law of (X - cells)+.
std::vector<double> excess_law(const std::vector<double>& law, double cells);

}  // namespace membrane::model
