// Poisson weights from load 0 up, each with a small relative error, also deep in the tail and for any mean: the recursion starts
// at the mode, so e^-mean is never computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace membrane::model {

// Models refuse more arrivals per block than this; no block of this library holds that many keys.
inline constexpr double max_block_arrivals = 16384;
inline constexpr std::uint64_t max_block_load = 65535;

inline constexpr std::uint64_t whole_tail = UINT64_MAX;

// weight[i] = Pr(X = i). Reaches at least to `least_top` and beyond it until the rest is negligible beside
// weight[least_top]; weights below 1e-300 are left out, so the vector may be shorter than asked for.
std::vector<double> poisson_weights(double mean, std::uint64_t least_top);

}  // namespace membrane::model
