// The number of ones after an offline construction (all keys placed jointly, in rounds): a table, since no formula is known.
//
// The share of the ones of an online filter that remain depends on c, k, the online fraction of ones, the number of rounds and the
// search. It was measured on a grid (src/model/choice_offline_table.inc, whose head names the command) and is interpolated:
// linear in the fraction of ones, in ln k and in ln rounds. More than 150 rounds count as 150.
// Within 0.3 % of the ones where tested (test/statistics/choice_rounds.cpp).
#pragma once

#include <array>
#include <cstdint>

namespace membrane::model {

enum class round_search : bool { greedy, annealed };

// The grid of the table.
inline constexpr std::array<std::uint64_t, 12> offline_k{1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64};
inline constexpr std::array<double, 8> offline_ones{.2, .35, .45, .5, .55, .6, .7, .85};
inline constexpr std::array<std::uint64_t, 5> offline_rounds{2, 5, 15, 40, 150};

// 1 for one choice or one round; c above 4 and k above 64 count as those.
double choice_offline_share(double online_ones, std::uint64_t choices, std::uint64_t k, std::uint64_t rounds,
                            round_search how);

}  // namespace membrane::model
