// Checks that a filter can do what a command is to do with it, and the messages when it cannot.
#pragma once

#include <string>
#include <string_view>

#include <membrane/runtime/any_filter.hpp>

namespace membrane::cli {

// What the tables of functions of a kind can do. A kind may be able to in some of its forms only.
using ability_test = bool (*)(const kind_ops&);

bool can_erase(const kind_ops& ops);
bool can_grow(const kind_ops& ops);
bool can_merge(const kind_ops& ops);
bool can_intersect(const kind_ops& ops);
bool can_shrink(const kind_ops& ops);
bool can_pack(const kind_ops& ops);

inline bool is_able(const filter_spec& spec, ability_test can) {
    return can(find_entry(spec.kind)->ops_for(spec));
}

// What this filter is and what could: "form growable, expected erasable" if another form of the kind could, otherwise the kinds
// that can: "bloom, expected counting_bloom, rank, balanced_rank".
std::string found_and_expected(const filter_spec& spec, ability_test can);

// Fails with "PATH: REFUSAL (FOUND, expected EXPECTED)" unless the filter can.
void check_able(const std::string& path, const filter_spec& spec, ability_test can, std::string_view refusal);

// Fails with the field in which two filters differ, unless they can be merged. Filters of kinds that grow may differ in all that
// belongs to their layout.
void check_mergeable(const std::string& first, const any_view& a, const std::string& second,
                     const any_view& b);

// Both must be of a kind that grows, and of the same hash and universe but for a power of two, as compare() and diff() ask.
// `what` completes "only filters that grow can be".
void check_comparable(const std::string& first, const any_view& a, const std::string& second,
                      const any_view& b, std::string_view what);

// fail_about, with the names of the values of a field in which the filter is not as it should be.
[[noreturn]] void fail_unlike(const std::string& path, const any_view& filter, const error& problem);

}  // namespace membrane::cli
