// Independent forms of the exact rates: inclusion-exclusion in 1000 digits, and enumeration of every outcome.
// Neither shares a step with the positive double-precision sums in src/model.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace membrane::model::oracle {

using wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<1000>>;

// 1 - d q_1 + (d over 2) q_2 - ... with q_j = (1 - j / bins)^throws
inline wide all_hit(std::uint64_t throws, const wide& bins, std::uint64_t d) {
    wide sum = 0;
    wide choices = 1;
    for (std::uint64_t j = 0; j <= d; ++j) {
        sum += choices * pow(wide(1 - wide(j) / bins), throws);
        choices *= -wide(d - j) / wide(j + 1);
    }
    return sum;
}

// sum over d of [S2(k, d) m (m-1) .. (m-d+1) / m^k] all_hit(kn, m, d)
inline double bloom_fpr(std::uint64_t n, std::uint64_t m, std::uint64_t k) {
    std::vector<wide> stirling(k + 1, wide(0));
    stirling[0] = 1;
    for (std::uint64_t i = 1; i <= k; ++i) {
        for (std::uint64_t d = i; d > 0; --d) stirling[d] = stirling[d] * d + stirling[d - 1];
        stirling[0] = 0;
    }
    wide sum = 0;
    wide falling = 1;
    for (std::uint64_t d = 1; d <= k && d <= m; ++d) {
        falling *= m - d + 1;
        sum += stirling[d] * falling / pow(wide(m), k) * all_hit(k * n, m, d);
    }
    return sum.convert_to<double>();
}

// Mean of (ones / m)^power over all m^throws ways to throw, counted in whole numbers.
inline double mean_power_by_enumeration(std::uint64_t throws, std::uint64_t m, std::uint64_t power) {
    std::uint64_t outcomes = 1;
    for (std::uint64_t i = 0; i < throws; ++i) outcomes *= m;
    std::vector<std::uint64_t> with_ones(m + 1);
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
        std::uint64_t ones = 0;
        for (std::uint64_t i = 0, rest = outcome; i < throws; ++i, rest /= m)
            ones |= std::uint64_t{1} << (rest % m);
        ++with_ones[static_cast<std::size_t>(std::popcount(ones))];
    }
    double mean = 0;
    for (std::uint64_t ones = 0; ones <= m; ++ones) {
        mean += static_cast<double>(with_ones[ones]) / static_cast<double>(outcomes) *
                std::pow(static_cast<double>(ones) / static_cast<double>(m), static_cast<double>(power));
    }
    return mean;
}

}  // namespace membrane::model::oracle
