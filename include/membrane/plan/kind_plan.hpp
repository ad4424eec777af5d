// The planner's functions of a kind: size it for a requirement, predict the rate of a spec, predict what it reads.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/plan/lookup_costs.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

struct kind_plan {
    result<filter_spec> (*size)(const requirement&, const given_fields&);
    // False positive rate of a checked spec with `keys` keys, folded as the spec says.
    double (*predicted_fpr)(const filter_spec&, std::uint64_t keys);
    // Standard deviation of that rate over filters (hash keys).
    double (*fpr_stddev_between)(const filter_spec&, std::uint64_t keys);
    // What lookups and insertions read with this many keys. Without it a kind is ranked by its size alone.
    lookup_costs (*predicted_costs)(const filter_spec&, std::uint64_t keys) = nullptr;
};

}  // namespace membrane::plan
