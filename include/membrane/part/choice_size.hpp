// How many keys are in a filter in which every key set the group of places that needed the fewest new bits?
//
// With a share z of the bits set, a group of k places lacks Bin(k, 1 - z) of them, and the least of c groups has the mean
// S(z) = sum over j of Pr(Bin >= j)^c. Keys add S(z) bits each, so that z is reached after m times the integral of
// 1 / S from 0 to z: no differential equation, and one pass over a few dozen points.
// Source: two choices, section 3, solved for the number of keys.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

// Mean number of new bits; k up to 64.
inline double mean_new_bits(double fill, std::uint64_t choices, std::uint64_t k) {
    const double unset = 1 - fill;
    const auto probes = static_cast<double>(k);
    std::array<double, 65> exactly{};  // Pr(Bin = j), from the end that cannot underflow
    if (fill < 0.5) {
        exactly[k] = std::pow(unset, probes);
        for (std::uint64_t j = k; j != 0; --j)
            exactly[j - 1] =
                exactly[j] * static_cast<double>(j) / static_cast<double>(k - j + 1) * fill / unset;
    } else {
        exactly[0] = std::pow(fill, probes);
        for (std::uint64_t j = 0; j < k; ++j)
            exactly[j + 1] =
                exactly[j] * static_cast<double>(k - j) / static_cast<double>(j + 1) * unset / fill;
    }
    double at_least = 0, sum = 0;
    for (std::uint64_t j = k; j != 0; --j) {
        at_least = std::min(1.0, at_least + exactly[j]);
        double all = at_least;
        for (std::uint64_t c = 1; c < choices; ++c) all *= at_least;
        sum += all;
    }
    return sum;
}

// Keys per bit of the array at this fill, which must be below 1.
inline double choice_keys_per_bit(double fill, std::uint64_t choices, std::uint64_t k) {
    // 1 / S grows without bound towards fill 1: equal steps in y, fill = 1 - e^-y, keep it smooth.
    constexpr int intervals = 256;
    const double step = -std::log1p(-fill) / intervals;
    double sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double unset = std::exp(-step * i);
        const double weight = i == 0 || i == intervals ? 1 : i % 2 == 0 ? 2 : 4;  // Simpson
        sum += weight * unset / mean_new_bits(1 - unset, choices, k);
    }
    return sum * step / 3;
}

MEMBRANE_TARGET_END
