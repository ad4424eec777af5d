// Rates of a block as a function of its stored key count, which omits keys that were found by chance.
#pragma once

#include <cstdint>
#include <vector>

namespace membrane::model {

// rates[count], count = 0 .. top. A key that is found by chance is neither counted nor sets a bit. The rate at a count is that of
// all keys that came, 1 / (1 - rate) for each counted one.
std::vector<double> rates_by_count(std::uint64_t top, std::uint64_t bits, std::uint64_t k);

}  // namespace membrane::model
