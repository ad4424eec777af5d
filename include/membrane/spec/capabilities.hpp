// What a filter can do besides taking keys and answering. Filled in by the runtime from the operations that a view has;
// asked by the planner, the tables and the messages.
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
    bool grow = false;                // takes more keys than it was sized for at the same rate
    bool depends_on_order = false;    // equal keys in another order may give other bits
    bool can_be_full = false;         // may refuse keys once it holds as many as it was planned for
    std::uint64_t largest_count = 0;  // where counters stop; 0 if it does not count
};

struct ability {
    std::string_view name;
    bool capabilities::*can;
};
// `grow` is not among them as long as no kind can.
inline constexpr std::array<ability, 5> abilities{{{"erase", &capabilities::erase},
                                                   {"count", &capabilities::count},
                                                   {"merge", &capabilities::merge},
                                                   {"intersect", &capabilities::intersect},
                                                   {"fold", &capabilities::fold}}};

}  // namespace membrane
