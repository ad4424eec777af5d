// Rates of bit arrays and of blocks, for sizing in programs that do not link the planner: no memory, at most a few microseconds.
// The exact models (membrane/model) are independent of them; test/plan/header_sizing.cpp compares the two.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace membrane {

// E[F^k], where F is the share of the cells that `throws` independent throws hit: of the beta law with F's exact mean and variance.
// Within 0.1 % for 512 cells or more that are at least a tenth full.
inline double rate_of_cells(double throws, double cells, unsigned k) {
    if (!(throws > 0)) return 0;
    if (cells <= 2) return 1;
    const double log_empty = throws * std::log1p(-1 / cells);
    const double empty = std::exp(log_empty), mean = -std::expm1(log_empty);
    // Of two cells: the difference of (1 - 2/m)^t and (1 - 1/m)^2t, which would cancel if it were computed as one.
    const double both = empty * empty * std::expm1(throws * std::log1p(-1 / ((cells - 1) * (cells - 1))));
    const double variance = std::max(0.0, both + (empty - empty * empty - both) / cells);
    // E of the beta law: the product of (a + i) / (a + b + i), with a / (a + b) the mean and a + b = mean (1 - mean) / variance - 1.
    const double certainty = variance > 0 ? mean * empty / variance - 1 : HUGE_VAL;
    if (!(certainty < 1e15)) return std::pow(mean, k);
    double rate = 1;
    for (unsigned i = 0; i < k;) {
        // One division for sixteen factors, whose product stays finite.
        double above = 1, below = 1;
        for (const unsigned end = std::min(k, i + 16); i < end; ++i) {
            above *= mean * certainty + i;
            below *= certainty + i;
        }
        rate *= above / below;
    }
    return rate;
}

// The mean of rate_of(load), which rises to at most 1, over the loads of a block: binomial for `keys` keys in `blocks` blocks. Of loads
// with a large deviation every third part of it is enough: the sum over a smooth bell is then exact within double precision.
template <class RateOf>
double mean_over_loads(double keys, double blocks, const RateOf& rate_of) {
    if (blocks <= 1) return rate_of(keys);
    constexpr double negligible = 1e-7;
    const double mode = std::floor(keys / blocks), others = blocks - 1;
    const auto stride = static_cast<int>(std::max(1.0, std::sqrt(mode * (others / blocks)) / 3));
    double all = 0, sum = 0, weight = 1;
    for (double load = mode; load <= keys && !(weight < negligible * sum);) {
        all += weight;
        sum += weight * rate_of(load);
        for (int i = 0; i < stride; ++i, ++load) weight *= (keys - load) / ((load + 1) * others);
    }
    weight = 1;
    for (double load = mode; load >= stride;) {
        for (int i = 0; i < stride; ++i, --load) weight *= load * others / (keys - load + 1);
        const double more = weight * rate_of(load);
        all += weight;
        sum += more;
        if (weight < negligible && more < negligible * sum) break;
    }
    return sum / all;
}

// The least number of units (words, blocks) whose rate is at most `fpr`, to one part in 2^13; 0 if not even `most` reach it. The rate
// falls as the number rises. Secant steps on logarithms in a bracket around `guess`, which end a little beyond the root, on the side of
// the farther end: five to eight calls of rate_of from a guess that is right to a twentieth.
template <class RateOf>
double least_units(double guess, double most, double fpr, const RateOf& rate_of) {
    constexpr double precision = 0x1p-13, least_log = -700;
    const auto excess = [&](double units) {
        const double rate = rate_of(units);
        return (rate > 0 ? std::log(rate) : least_log) - std::log(fpr);
    };
    double high = std::clamp(std::ceil(guess), 1.0, most), low = 0;
    double above = 0, below = excess(high);  // at `low` and at `high`
    for (double factor = 1.02; below > 0; factor *= factor) {
        if (high == most) return 0;
        low = high, above = below;
        high = std::min(most, std::ceil(high * factor));
        below = excess(high);
    }
    for (double factor = 1.02; low == 0 && high > 1; factor *= factor) {
        const double tried = std::max(1.0, std::floor(high / factor)), there = excess(tried);
        if (there > 0) low = tried, above = there;
        else if (tried == 1) return 1;
        else high = tried, below = there;
    }
    for (bool halve = false; high > 1 && high - low > std::max(1.0, low * precision);) {
        const double width = high - low;
        double middle = std::floor((low + high) / 2);
        if (!halve) {
            const double root = low * std::pow(high / low, above / (above - below));
            middle = high - root > root - low ? std::ceil(root * (1 + precision / 3))
                                              : std::floor(root * (1 - precision / 3));
            middle = std::clamp(middle, low + 1, high - 1);
        }
        const double there = excess(middle);
        if (there > 0) low = middle, above = there;
        else high = middle, below = there;
        halve = high - low > width / 2;
    }
    return high;
}

}  // namespace membrane
