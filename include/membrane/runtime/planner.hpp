// The planner over the registry: what `membrane plan` shows and `build --kind auto` takes.
#pragma once

#include <span>
#include <string>

#include <membrane/plan/ranking.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

plan::kind_row plan_row(const kind_entry& entry);

// Every registered kind; or the one that is named, with the fields that were given.
result<plan::ranking> rank_kinds(const plan::requirement& wanted);
result<plan::ranking> rank_kind(const kind_entry& kind, const plan::given_fields& given,
                                const plan::requirement& wanted);

// The spec to build: that of the kind; without a kind, of the best that fits, and why it is the best.
struct kind_decision {
    filter_spec spec;
    std::string why;  // empty if the kind was given
};
// If no kind fits into max_bytes, the best without that bound: whoever takes the memory says how much is too much.
result<kind_decision> choose(const kind_entry* kind, const plan::given_fields& given,
                             const plan::requirement& wanted);

}  // namespace membrane
