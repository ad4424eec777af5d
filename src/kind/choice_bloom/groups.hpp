// Shared by the sizing of both forms of choice_bloom (groups anywhere in the array, groups in one block): the number of rounds and
// the search for the best number of groups and of positions per group.
#pragma once

#include <cstdint>

#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/model/choice_offline.hpp>
#include <membrane/plan/requirement.hpp>

#include "plan/sizing.hpp"

namespace membrane::plan {

// One group would be `bloom` or `blocked_bloom`.
inline constexpr std::uint64_t fewest_choices = 2;
// Rounds for a static set: 0.2 s for 30,000 keys, 20 s for a million. 100 rounds would save 0.4 % more ones.
inline constexpr std::uint64_t static_rounds = 40;

// The user's fields, with offline rounds for a static set.
inline filter_spec start_choice_spec(const requirement& wanted, const given_fields& given) {
    filter_spec spec = start_spec(kind_id::choice_bloom, choice_bloom_fields, wanted, given);
    if (wanted.is_static && !given.is_given[choice_field::rounds]) spec[choice_field::rounds] = static_rounds;
    return spec;
}

// Keeps the models within their domain; a size that was not given is chosen later.
inline result<void> check_given_groups(filter_spec spec, const given_fields& given) {
    if (!given.is_given[choice_field::size]) spec[choice_field::size] = choice_block_bits;
    return check_choice_bloom_spec(spec);
}

inline model::round_search search_of(const filter_spec& spec) {
    return spec[choice_field::search] == search::greedy ? model::round_search::greedy
                                                        : model::round_search::annealed;
}

// The best result for a number of choices.
struct groups {
    std::uint64_t choices = 0;
    std::uint64_t k = 0;
    double badness = 0;  // the rate for given bits, the bits per key for a given rate
};

// The least badness(choices, k). k increases from first_k while it improves, and continues from the best k of fewer choices:
// with more choices the array is emptier, so more positions pay.
template <class Badness>
groups best_groups(std::uint64_t first_k, const given_fields& given, const Badness& badness) {
    const bool is_k_given = given.is_given[choice_field::k];
    const auto best_with = [&](std::uint64_t choices, std::uint64_t from) {
        groups best{choices, from, badness(choices, from)};
        for (std::uint64_t k = from + 1; k <= max_probes && !is_k_given; ++k) {
            const double here = badness(choices, k);
            if (!(here < best.badness)) break;
            best = {choices, k, here};
        }
        return best;
    };
    if (is_k_given) first_k = given.spec[choice_field::k];
    if (given.is_given[choice_field::choices]) return best_with(given.spec[choice_field::choices], first_k);
    groups best = best_with(fewest_choices, first_k);
    std::uint64_t from = best.k;
    for (std::uint64_t choices = fewest_choices + 1; choices <= max_choices; ++choices) {
        const groups other = best_with(choices, from);
        from = other.k;
        if (other.badness < best.badness) best = other;
    }
    return best;
}

}  // namespace membrane::plan
