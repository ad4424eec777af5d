// How often a stranger's lookup in an erasable balanced rank-indexed filter reaches the list; arguments unchecked.
#pragma once

#include <vector>

#include <membrane/model/balanced_rank.hpp>

namespace membrane::model {

// `clumps` and `goes_on` belong to T1's chains, `second` is a line of T2; there are `second_share` lines of T2 per line of T1.
double carried_list_reads(const std::vector<std::vector<double>>& clumps, const std::vector<double>& goes_on,
                          const rank_line& second, double second_share);

}  // namespace membrane::model
