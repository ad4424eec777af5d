// How large the next link of a chain is, and its share of the error.
//
// Link i (from 0) may err with P / ((i + 1) (i + 2)) of the whole chain's rate P: a half, a sixth, a twelfth, ... These sum to
// P x (links / (links + 1)), below P for every length. (Halving each time gives the same first share and asks for ever
// more bits per key in long chains.) A chain that cannot grow gives all of P to its only link. Link i takes
// first_keys x expansion ^ i keys; links with erasure somewhat more, since their lines are a multiple of the older link's.
#pragma once

#include <cstdint>

#include <membrane/plan/requirement.hpp>

#include "filter_chain.hpp"

namespace membrane::redis {

// error_rate of the chain -> that of link `index`.
double link_error_rate(const chain_options& options, std::size_t index);

// The first link: `kind` as given, or the planner's choice.
result<filter_spec> first_link_spec(const chain_options& options, const kind_entry* kind,
                                    const plan::given_fields& given);
// Errors: `full` if the chain is not to grow or has its most links.
result<filter_spec> next_link_spec(const filter_chain& chain);

// Plans what a key without wishes will get, so that the first one does not wait for it.
void plan_ahead(const chain_options& options);

}  // namespace membrane::redis
