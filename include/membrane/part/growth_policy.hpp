// How a filter that grows by itself does it.
#pragma once

#include <cstdint>

namespace membrane {

struct growth_policy {
    double factor = 1.25;                  // the next layout has room for so many times the keys: 1.05 to 16
    std::uint64_t max_bytes = UINT64_MAX;  // of the filter; an insertion that needs more is refused
    std::uint64_t lines_per_insertion =
        0;  // 0: growth is done at once; otherwise each insertion moves so many lines, at least 8
};

inline constexpr double least_growth_factor = 1.05;
inline constexpr double most_growth_factor = 16;

}  // namespace membrane
