// How many distinct cache lines a lookup touches that reads the positions of a key in order.
//
// reach[i] is the probability that the lookup reads position i; it is taken as independent of the line in which the position lies.
// `cells` cells lie in lines of `cells_per_line`; the last line may be shorter.
//   independent   position i is in a new line with probability: sum over lines of s (1 - s)^i, s = the line's share of the cells
//   progression   positions start + i stride + growth(i). If the stride is near a multiple of 1/d of the array, position i lies
//                 next to position i - d, and to i - 2d only if also to i - d. So the probability of an old line is
//                 phi(d)/d lines of the array for each d <= i, and the exponent i above is replaced by the sum of phi(d)/d,
//                 d = 1 .. i: 35 % less than for independent positions. First order in 1 / lines; for arrays of fewer than
//                 4 k^2 lines the mean over a fixed set of starts and strides is computed instead.
//   sub-arrays    position i in sub-array i, side by side: only the line that a sub-array shares with earlier ones counts
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

// For a lookup that stops at the first unused cell, with independent positions: 1, z, z^2, ... with z the fraction of used
// cells. With z = 1 it never stops.
std::vector<double> reach_until_unused(double cells_in_use, std::uint64_t places);

// The same in sub-arrays of prime size with two hashes: exact, with the keys that share the stranger's progression.
std::vector<double> reach_in_sub_arrays(std::uint64_t n, double sub_array_cells, std::uint64_t places);

}  // namespace membrane::model
