#include "model/block_rates.hpp"

#include <algorithm>
#include <cstddef>

#include "model/occupancy.hpp"

namespace membrane::model {

// hit[d] = probability that d given bits are all ones. One more throw hits one of the d bits or none of them:
// hit[d] = (1 - d/B) hit[d] + (d/B) hit[d-1].
std::vector<double> rates_by_load(std::uint64_t most_load, std::uint64_t block_bits, std::uint64_t k,
                                  std::uint64_t probes) {
    const auto bits = static_cast<double>(block_bits);
    const auto most = static_cast<std::size_t>(std::min(probes, block_bits));
    const std::vector<double> touched = distinct_law(probes, bits);
    std::vector<double> hit(most + 1);
    hit[0] = 1;
    std::vector<double> rates{0.0};
    const double saturated = saturated_throws_per_bit * bits / static_cast<double>(k);
    for (std::uint64_t load = 1; load <= most_load && static_cast<double>(load) < saturated; ++load) {
        for (std::uint64_t throws = 0; throws < k; ++throws) {
            for (std::size_t d = most; d > 0; --d) {
                const double share = static_cast<double>(d) / bits;
                hit[d] = (1 - share) * hit[d] + share * hit[d - 1];
            }
        }
        double rate = 0;
        for (std::size_t d = 1; d <= most; ++d) rate += touched[d] * hit[d];
        rates.push_back(std::min(rate, 1.0));
    }
    return rates;
}

}  // namespace membrane::model
