// The distribution of the number of keys in a block, and the rate of a filter from the rate of a block at each load.
#pragma once

#include <cstdint>
#include <vector>

namespace membrane::model {

struct load_law {
    std::uint64_t least = 0;
    std::vector<double> weights;  // of the loads least, least + 1, ...
    double mean = 0;
    double variance = 0;

    std::uint64_t most() const { return least + weights.size() - 1; }
};

// The least load with a probability that matters.
std::uint64_t reach_below(double mean);

load_law poisson_loads(double mean);
load_law binomial_loads(std::uint64_t n, std::uint64_t blocks);

// rates[load]; loads past the end of `rates` have a rate of 1.
double mean_over_loads(const load_law& law, const std::vector<double>& rates);
// Standard deviation over filters; squares[load] is the mean square of a block's own rate. Loads are taken as independent given
// their sum.
double scatter_over_loads(const load_law& law, const std::vector<double>& rates,
                          const std::vector<double>& squares, std::uint64_t blocks);

}  // namespace membrane::model
