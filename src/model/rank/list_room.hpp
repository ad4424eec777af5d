// How many slots a sorted list needs so that chance never fills it: words in ascending order that stand at their home or behind
// it without a gap in between, and spare slots behind the last home.
//
// Each of `groups` sends a clump of words, independent and alike, to one home; the homes are shared out evenly, g of them to a
// group. With K(t) = log E[exp(t clump)], and every bound being that of a martingale (Lundberg, Chernoff):
//   words that wait behind the last home   Pr[more than s of them] <= exp(-t s), where K(t) = t g
//   words in all, G groups                 Pr[more than m of them] <= exp(G K(t) - t m) for every t > 0
//   a stretch without a gap                Pr[it goes on for d slots from a given one] <= exp(-d (t - K(t) / g)), t < the first
#pragma once

#include <vector>

namespace membrane::model {

// Half of the slots are spare, up to so many; a word may be moved through so many.
inline constexpr double most_spare_slots = 512;
inline constexpr double most_moved_slots = 4096;

// clump[j] = chance that a group has j words. Enough for all of them but for `chance` in each of the three ways.
double list_slots_for(const std::vector<double>& clump, double groups, double chance);

}  // namespace membrane::model
