// Rates of a block by its own count of keys, which leaves out those that were found by chance.
#pragma once

#include <cstdint>
#include <vector>

namespace membrane::model {

// rates[count], count = 0 .. top. A key that is found by chance is not counted, and sets no bit either: the bits are those
// of all keys that came, of which there were 1 / (1 - rate) for each one that was counted.
std::vector<double> rates_by_count(std::uint64_t top, std::uint64_t bits, std::uint64_t k);

}  // namespace membrane::model
