// A number of a filter that stands for a multiset of numbers, and how often it is there.
#pragma once

#include <cstdint>

namespace membrane {

struct counted_number {
    std::uint64_t number = 0;
    std::uint64_t times = 1;

    friend constexpr bool operator==(const counted_number&, const counted_number&) = default;
};

}  // namespace membrane
