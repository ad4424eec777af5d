// How evenly hashes fill a table.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace membrane {

// Chi-square over a table of cells with equal expectation, as a number of standard deviations above its mean.
inline double excess_sigmas(const std::vector<std::uint64_t>& counts) {
    double total = 0, squares = 0;
    for (const std::uint64_t count : counts) {
        total += static_cast<double>(count);
        squares += static_cast<double>(count) * static_cast<double>(count);
    }
    const double cells = static_cast<double>(counts.size());
    const double chi_square = squares * cells / total - total;
    return (chi_square - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

}  // namespace membrane
