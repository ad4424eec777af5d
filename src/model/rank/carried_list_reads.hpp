// How often a stranger's query of an erasable balanced rank-indexed filter comes as far as the list; unchecked.
#pragma once

#include <vector>

#include <membrane/model/balanced_rank.hpp>

namespace membrane::model {

// `clumps` and `goes_on` are those of T1's chains, `second` a line of T2, of which there are `second_share` per line of T1.
double carried_list_reads(const std::vector<std::vector<double>>& clumps, const std::vector<double>& goes_on,
                          const rank_line& second, double second_share);

}  // namespace membrane::model
