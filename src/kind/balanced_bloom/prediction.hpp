// Predictions for a balanced_bloom spec: the rate, its standard deviation over filters, and what lookups read. From the process of
// model/balanced_process.hpp, or exactly if no block can refuse a key.
#pragma once

#include <cstdint>

#include <membrane/model/balanced_process.hpp>
#include <membrane/plan/lookup_costs.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane::plan {

// The spec as parameters of the model.
model::balanced_setup balanced_setup_of(const filter_spec& spec);

// Whether it is one table in which no block can refuse a key: a blocked filter, whose exact rate is known.
bool never_refuses(const filter_spec& spec, std::uint64_t keys);

double balanced_fpr(const filter_spec& spec, std::uint64_t keys);
double balanced_fpr_stddev_between(const filter_spec& spec, std::uint64_t keys);
lookup_costs balanced_costs(const filter_spec& spec, std::uint64_t keys);

}  // namespace membrane::plan
