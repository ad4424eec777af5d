// How many slots a sorted list needs so that it practically never fills up. The list has words in ascending order, each at its home
// or behind it without a gap in between, and spare slots behind the last home.
//
// Each of G groups sends a clump of words, independent and identically distributed, to one home; there are g homes per group,
// evenly spread. With K(t) = log E[exp(t clump)], martingale bounds (Lundberg, Chernoff) give:
//   words waiting behind the last home   Pr[more than s of them] <= exp(-t s), where K(t) = t g
//   words in all                         Pr[more than m of them] <= exp(G K(t) - t m) for every t > 0
//   a run without a gap                  Pr[longer than d slots from a given one] <= exp(-d (t - K(t) / g)), t below the first t
#pragma once

#include <vector>

namespace membrane::model {

// Half of the slots are spare, up to this many; an insertion may move a run of words up to this long.
inline constexpr double most_spare_slots = 512;
inline constexpr double most_moved_slots = 4096;

// clump[j] = probability that a group has j words. Each of the three events above has at most the probability `chance`.
double list_slots_for(const std::vector<double>& clump, double groups, double chance);

}  // namespace membrane::model
