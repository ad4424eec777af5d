// Sub-tables given as lists: shares=, h= and p=.
#pragma once

#include <cmath>
#include <vector>

#include <membrane/model/multi_level.hpp>

#include "rows.hpp"

namespace membrane::model::rows {

inline constexpr catalog_parameter table_shares =
    list("shares", "share", "each table's share of the blocks, up to a common factor", 1e-9, 1e9);
inline constexpr catalog_parameter table_thresholds =
    list("h", "keys", "load up to which a block takes every key, for each table", 0, 8192);
inline constexpr catalog_parameter table_chances =
    list("p", "chance", "chance that a block of load h takes a key, for each table", 0, 1);

// bad_field unless the three lists have the same length.
result<std::vector<sub_table>> tables_in(arguments in);

}  // namespace membrane::model::rows
