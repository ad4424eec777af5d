// The effect of one block of a sub-table on a lookup: one step of the lookup over the tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/single.hpp>

namespace membrane::model {

constexpr bool has_flag(query_rule rule) { return rule == query_rule::flag || rule == query_rule::flag_coin; }
constexpr bool has_coin(query_rule rule) { return rule == query_rule::coin || rule == query_rule::flag_coin; }

struct block_step {
    double hits = 0;           // a stranger finds all k bits
    double goes_on = 0;        // a stranger may have been refused, with or without a hit
    double goes_on_unhit = 0;  // the same, without a hit
    double key_goes_on = 0;    // a member arrived here, was refused, and finds no hit
};

// rates[load], 1 beyond its end.
block_step step_of(const single_state& state, double p, query_rule rule, std::span<const double> rates);

// rates[load] of a block with `bits` Bloom bits for the loads 0 .. most_load.
std::vector<double> block_rates(std::uint64_t most_load, std::uint64_t bits, std::uint64_t k, block_law law);

}  // namespace membrane::model
