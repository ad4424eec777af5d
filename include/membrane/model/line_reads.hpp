// How many different cache lines a walk over a key's places touches, when two places in one line count once.
//
// reach[i] is the chance that the walk gets to its place i; whether a place is met and in which line it lies are taken as
// independent. `cells` cells stand in lines of `cells_per_line`, the last of which may be short.
//   independent   place i is in a line not met before with chance sum over lines of s (1 - s)^i, s = the line's share
//   progression   places start + i stride + growth(i): near a multiple of 1/d of the array a stride brings place i next to
//                 place i - d, and to i - 2d only if to i - d too, so the chance of an old line is phi(d)/d lines of
//                 the array for each d <= i, and above i is replaced by the sum of phi(d)/d, d = 1 .. i: 35 % less
//                 than independent places lose. To first order in 1 / lines; arrays of fewer than 4 k^2 lines are summed up
//                 over a fixed set of starts and strides instead.
//   sub-arrays    place i in sub-array i, side by side: only the line that a sub-array shares with earlier ones counts
// Source: our own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <membrane/model/less_hashing.hpp>

namespace membrane::model {

double independent_walk_lines(std::span<const double> reach, double cells, double cells_per_line);
double progression_walk_lines(std::span<const double> reach, double cells, double cells_per_line,
                              growth_order growth);
double sub_array_walk_lines(std::span<const double> reach, double sub_array_cells, double cells_per_line);

// Of a walk that stops at the first cell not in use, places being independent: 1, z, z^2, ... with z the fraction of
// cells in use. With z = 1 it never stops.
std::vector<double> reach_until_unused(double cells_in_use, std::uint64_t places);

// The same in sub-arrays of prime size with two hashes: exact, with the keys that share the stranger's progression.
std::vector<double> reach_in_sub_arrays(std::uint64_t n, double sub_array_cells, std::uint64_t places);

}  // namespace membrane::model
