// What a lookup reads in a Bloom filter with choices: how many groups are left at an unused bit, how far each, and
// whether a covered one ends the walk.
//
// A stranger's groups are all alike: covered with chance z^k, else left at the first unused bit. A member's are not: its own
// group is covered; an earlier one was refused because it lacked more bits at that time than its own, each of which
// some later key may have set. Averaged over the keys by the fill that each of them met, t -> z(t), dt = dz / S(z).
// In arrays of few lines two groups often meet in one line: `lines` counts the different ones.
// Source: our own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <membrane/model/choice_law.hpp>

namespace membrane::model {

struct group_walk {
    // left_first[a]: chance that exactly a groups are left before the walk ends, in a covered group or after the last.
    std::array<double, 5> left_first{};
    std::array<double, 5> covered_after{};  // the part of left_first that ends in a covered group
    std::vector<double> reach;              // of a group that is left: reach[i], the chance to get to place i
};

// c up to 4, k up to 64. `ones` is the law of the fraction of ones now.
group_walk stranger_walk(mean_and_scatter ones, std::uint64_t choices, std::uint64_t k);
// Keys that chose one by one.
group_walk member_walk(mean_and_scatter ones, std::uint64_t m, std::uint64_t choices, std::uint64_t k);

// Mean number of different lines, with `left_lines` those of a group that is left and `all_lines` those of a covered one.
// The last line of the array may be shorter than the others.
double walk_lines(const group_walk& walk, double left_lines, double all_lines, double bits,
                  double bits_per_line);

}  // namespace membrane::model
