// The optional operations of a filter. The runtime fills this in from the members that a view has; the planner, the tables and
// the error messages read it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace membrane {

struct capabilities {
    bool erase = false;
    bool count = false;
    bool merge = false;
    bool intersect = false;
    bool fold = false;
    bool grow = false;                // its memory grows with its keys
    bool depends_on_order = false;    // the same keys in another order can give other bits
    bool can_be_full = false;         // may refuse keys once it holds the planned number
    std::uint64_t largest_count = 0;  // the largest count that it can report; 0 if it does not count
};

struct ability {
    std::string_view name;
    bool capabilities::*can;
};
inline constexpr std::array<ability, 6> abilities{{{"erase", &capabilities::erase},
                                                   {"count", &capabilities::count},
                                                   {"merge", &capabilities::merge},
                                                   {"intersect", &capabilities::intersect},
                                                   {"fold", &capabilities::fold},
                                                   {"grow", &capabilities::grow}}};

}  // namespace membrane
