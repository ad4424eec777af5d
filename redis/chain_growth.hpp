// The spec of the next link of a chain: its capacity and its false positive rate.
//
// In a chain with error rate P, link i (from 0) gets the rate P / ((i + 1) (i + 2)): P / 2, P / 6, P / 12, ... The rates of n
// links sum to P n / (n + 1), which is below P for every n. (Rejected: P / 2^(i + 1), which starts with P / 2 too, but needs
// one more bit per key with every link.) The only link of a chain that does not grow gets all of P. Link i has a capacity of
// first_keys x expansion ^ i keys; erasable links have somewhat more, because their number of lines is a multiple of the older
// link's.
#pragma once

#include <cstdint>

#include <membrane/plan/requirement.hpp>

#include "filter_chain.hpp"

namespace membrane::redis {

// The error rate of link `index`.
double link_error_rate(const chain_options& options, std::size_t index);

// `kind` null: the planner chooses.
result<filter_spec> first_link_spec(const chain_options& options, const kind_entry* kind,
                                    const plan::given_fields& given);
// Error `full`: the chain does not grow, or has max_links already.
result<filter_spec> next_link_spec(const filter_chain& chain);

// Plans a first link in advance: planning takes tens of milliseconds, and the first command would wait for it.
void cache_first_link_spec(const chain_options& options);

}  // namespace membrane::redis
