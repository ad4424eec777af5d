// The planner over all registered kinds: `membrane plan` prints its ranking, `build --kind auto` takes the first. Whoever names no kind
// and needs nothing that it lacks gets the kind that grows, whatever the number of keys.
#pragma once

#include <span>
#include <string>

#include <membrane/plan/ranking.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

plan::kind_row plan_row(const kind_entry& entry);

// All registered kinds; or one kind, with some fields of its spec fixed.
result<plan::ranking> rank_kinds(const plan::requirement& wanted);
result<plan::ranking> rank_kind(const kind_entry& kind, const plan::given_fields& given,
                                const plan::requirement& wanted);

// The kind for a requirement that names none: the one that grows; null if bits per key, reads, intersection, folding, a fixed or a static
// set are asked for, so that the planner is to choose.
const kind_entry* kind_if_none_named(const plan::requirement& wanted);

// The spec to build.
struct kind_decision {
    filter_spec spec;
    std::string why;  // why the planner chose this kind; empty if the caller gave one
};
// Sizes `kind`; null: the best kind by the planner. If no kind fits into max_bytes, the best one without that limit: the
// caller compares the size with its limit and reports both.
result<kind_decision> choose(const kind_entry* kind, const plan::given_fields& given,
                             const plan::requirement& wanted);

// not_supported unless filters of this spec can what is needed: of a kind that the caller gave, `choose` does not ask.
result<void> check_needs(const filter_spec& spec, const plan::requirement& wanted);

}  // namespace membrane
