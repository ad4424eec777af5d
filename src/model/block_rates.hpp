// The exact rate of one Bloom block as a function of its load, for many loads at once.
#pragma once

#include <cstdint>
#include <vector>

namespace membrane::model {

// From this many throws per bit on, the probability that one of 128 bits is still zero is below 4e-18: the rate counts as 1.
inline constexpr double saturated_throws_per_bit = 45;

// rates[load] = E[(ones / block_bits)^probes] in a block that holds `load` keys of k probes each; stops at the load
// from which on the rate is 1.
std::vector<double> rates_by_load(std::uint64_t most_load, std::uint64_t block_bits, std::uint64_t k,
                                  std::uint64_t probes);

}  // namespace membrane::model
