// How many keys two filters share, as their numbers tell (runtime/number_files.hpp).
#pragma once

#include <cstdint>

namespace membrane {

// An estimate with the bounds between which the truth is but for a chance of 1 in 100.
struct estimate_with_bounds {
    double value = 0;
    double low = 0;
    double high = 0;
};
struct comparison {
    estimate_with_bounds keys_of_a;
    estimate_with_bounds keys_of_b;
    estimate_with_bounds shared;   // keys in both
    estimate_with_bounds jaccard;  // shared / in either
    std::uint64_t universe = 0;    // in which they were compared, the smaller one
    std::uint64_t shared_numbers = 0;
};

}  // namespace membrane
