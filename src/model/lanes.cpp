#include <membrane/model/lanes.hpp>

#include <algorithm>
#include <cmath>

#include "model/block_loads.hpp"
#include "model/block_rates.hpp"
#include "model/least_blocks.hpp"

namespace membrane::model {

namespace {

// From this mean on all lanes are full within double precision.
bool is_saturated(double mean_load, const lanes_of_block& shape) {
    return static_cast<double>(reach_below(mean_load)) >
           saturated_throws_per_bit * static_cast<double>(shape.lane_bits);
}

// rates[load] = E[(the block's own rate)^power]; lanes are independent given the load.
std::vector<double> powers_by_load(std::uint64_t most_load, const lanes_of_block& shape,
                                   std::uint64_t power) {
    std::vector<double> rates = rates_by_load(most_load, shape.lane_bits, 1, power);
    for (double& rate : rates) rate = std::pow(rate, static_cast<double>(shape.lanes));
    return rates;
}

double mean_rate(const load_law& law, const lanes_of_block& shape) {
    return mean_over_loads(law, powers_by_load(law.most(), shape, 1));
}

bool is_nothing(std::uint64_t blocks, const lanes_of_block& shape) {
    return blocks == 0 || shape.lanes == 0 || shape.lane_bits == 0;
}

}  // namespace

double lanes_fpr(std::uint64_t n, std::uint64_t blocks, const lanes_of_block& shape) {
    if (n == 0) return 0;
    if (is_nothing(blocks, shape)) return 1;
    if (is_saturated(static_cast<double>(n) / static_cast<double>(blocks), shape)) return 1;
    return mean_rate(binomial_loads(n, blocks), shape);
}

double lanes_fpr_stddev_between(std::uint64_t n, std::uint64_t blocks, const lanes_of_block& shape) {
    if (n == 0 || is_nothing(blocks, shape)) return 0;
    if (is_saturated(static_cast<double>(n) / static_cast<double>(blocks), shape)) return 0;
    const load_law law = binomial_loads(n, blocks);
    return scatter_over_loads(law, powers_by_load(law.most(), shape, 1), powers_by_load(law.most(), shape, 2),
                              blocks);
}

result<std::uint64_t> lanes_blocks_for_fpr(std::uint64_t n, double fpr, const lanes_of_block& shape) {
    n = std::max<std::uint64_t>(n, 1);
    const auto rate_of_many = [&](double bits_per_key) {
        const double mean_load = static_cast<double>(shape.block_bits()) / bits_per_key;
        return is_saturated(mean_load, shape) ? 1.0 : mean_rate(poisson_loads(mean_load), shape);
    };
    const auto found = least_blocks(
        n, fpr, shape.block_bits(), rate_of_many, [](double) {},
        [&](std::uint64_t blocks) { return lanes_fpr(n, blocks, shape); });
    if (!found) return found.error();
    return found->blocks;
}

}  // namespace membrane::model
