#include "model/balanced/counted_rates.hpp"

#include <algorithm>
#include <cstddef>

#include "model/block_rates.hpp"

namespace membrane::model {

std::vector<double> rates_by_count(std::uint64_t top, std::uint64_t bits, std::uint64_t k) {
    const std::vector<double> by_keys = rates_by_load(2 * top + 16, bits, k, k);
    const auto rate = [&](double keys) {
        const auto below = static_cast<std::size_t>(std::min(keys, 1e9));
        if (below + 1 >= by_keys.size()) return 1.0;
        const double share = keys - static_cast<double>(below);
        return (1 - share) * by_keys[below] + share * by_keys[below + 1];
    };
    std::vector<double> rates{0.0};
    double keys = 0;
    while (rates.size() <= top) {
        keys += 1 / std::max(1 - rates.back(), 1e-9);
        rates.push_back(rate(keys));
    }
    return rates;
}

}  // namespace membrane::model
