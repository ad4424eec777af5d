// What the planner knows of a kind: how to size it for a requirement, what rate to expect of a spec and what it reads.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/plan/lookup_costs.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

struct kind_plan {
    result<filter_spec> (*size)(const requirement&, const given_fields&);
    // False positive rate of a checked spec that holds `keys` keys, folded as the spec says.
    double (*predicted_fpr)(const filter_spec&, std::uint64_t keys);
    // Standard deviation of a filter's own rate around that, over hash keys.
    double (*fpr_stddev_between)(const filter_spec&, std::uint64_t keys);
    // What lookups and insertions read at this fill. A kind that says nothing is ranked by its size alone.
    lookup_costs (*predicted_costs)(const filter_spec&, std::uint64_t keys) = nullptr;
};

}  // namespace membrane::plan
