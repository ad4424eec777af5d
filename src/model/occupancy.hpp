// Throws into bins, the basis of every exact rate. Only sums of positive terms, so that doubles suffice where
// inclusion-exclusion would need hundreds of digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace membrane::model {

// weights[i - low] for i = low .. high, proportional to a distribution with ratio(i) = weight(i + 1) / weight(i), scaled to sum 1.
// Starting at the mode keeps every term below the first: no overflow, and underflow only in the tails.
template <class Ratio>
std::vector<double> weights_from_mode(std::uint64_t low, std::uint64_t high, std::uint64_t mode,
                                      Ratio ratio) {
    std::vector<double> weights(static_cast<std::size_t>(high - low + 1));
    double total = 1;
    double weight = 1;
    weights[mode - low] = 1;
    for (std::uint64_t i = mode; i < high; ++i) total += weights[i + 1 - low] = weight *= ratio(i);
    weight = 1;
    for (std::uint64_t i = mode; i > low; --i) total += weights[i - 1 - low] = weight /= ratio(i - 1);
    for (double& each : weights) each /= total;
    return weights;
}

// law[d] = chance that `probes` independent probes of `bins` bins touch exactly d of them, d = 0 .. probes.
std::vector<double> distinct_law(std::uint64_t probes, double bins);

// hit[d] = chance that d given bins out of `bins` are all hit by `throws` independent throws, d = 0 .. most.
// Entries with d > bins have no meaning.
std::vector<double> all_hit(double throws, double bins, std::uint64_t most);

}  // namespace membrane::model
