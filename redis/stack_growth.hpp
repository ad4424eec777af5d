// The spec of the next link of a stack.
//
// A filter that grows has a universe of numbers that is fixed when it is made: with N numbers at most and the rate p, N / p of them
// (doc/growth.md). N is `promised_growth` times the capacity that was asked for, or less if so many keys would exceed max-bytes, unless
// GROWTO names it; the filter takes log2(N / keys) bits more for each key than one for its present keys. Of the stack's rate P its first
// link gets three quarters, so that something is left for later ones: half of the rest each, and 16 times as many keys as all links
// before have promised. The only link of a stack that does not grow gets all of P, and no more numbers than it has keys.
//
// Links of a kind that was given do not grow: link i (from 0) has a capacity of first_keys x expansion ^ i keys and the rate
// P / ((i + 1) (i + 2)): P / 2, P / 6, P / 12, ..., which sum to less than P.
#pragma once

#include <cstdint>

#include <membrane/plan/requirement.hpp>

#include "filter_stack.hpp"

namespace membrane::redis {

inline constexpr std::uint64_t promised_growth = 1024;

struct link_request {
    const kind_entry* kind = nullptr;  // null: a filter that grows
    plan::given_fields given{};
    std::uint64_t grow_to =
        0;  // keys for which the rate is kept; 0: promised_growth times the capacity at most
};

// A list of few numbers, unless the capacity is many times what fits into one.
result<filter_spec> first_link_spec(const stack_options& options, const link_request& wanted,
                                    std::uint64_t max_bytes);
// Error `full`: the stack does not grow, or has max_links already.
result<filter_spec> next_link_spec(const filter_stack& stack);

}  // namespace membrane::redis
