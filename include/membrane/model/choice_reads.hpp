// What a lookup reads in a Bloom filter with choices: how many groups it leaves at an unset bit, how far it reads in each, and
// whether a covered group (all ones) ends it.
//
// The groups of a stranger are alike: covered with probability z^k, otherwise left at the first unset bit. The groups of a member
// are not: the chosen group is covered; an earlier group was not chosen because it lacked more bits at that time, each of which a
// later key may have set. The result is averaged over the keys by the fill at their insertion, t -> z(t), dt = dz / S(z).
// In arrays of few lines two groups often share a line: `lines` counts distinct ones.
// Source: our own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <membrane/model/choice_law.hpp>

namespace membrane::model {

struct group_walk {
    // left_first[a]: probability that exactly a groups are left before the lookup ends, in a covered group or after the last.
    std::array<double, 5> left_first{};
    std::array<double, 5> covered_after{};  // the part of left_first that ends in a covered group
    std::vector<double> reach;  // of a group that is left: reach[i] = probability to read position i
};

// c up to 4, k up to 64. `ones`: mean and deviation of the present fraction of ones.
group_walk stranger_walk(mean_and_scatter ones, std::uint64_t choices, std::uint64_t k);
// For members inserted online.
group_walk member_walk(mean_and_scatter ones, std::uint64_t m, std::uint64_t choices, std::uint64_t k);

// Mean number of distinct lines; `left_lines` are those of a group that is left, `all_lines` those of a covered group. The last
// line of the array may be shorter than the others.
double walk_lines(const group_walk& walk, double left_lines, double all_lines, double bits,
                  double bits_per_line);

}  // namespace membrane::model
