// What a balanced_bloom of a given spec is predicted to do: its rate, the scatter of the rate from filter to filter, and what
// lookups read. By the process of model/balanced_process.hpp, or exactly where no block can refuse a key.
#pragma once

#include <cstdint>

#include <membrane/model/balanced_process.hpp>
#include <membrane/plan/lookup_costs.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane::plan {

// The spec in the model's words.
model::balanced_setup balanced_setup_of(const filter_spec& spec);

// One table in which no block can ever refuse a key: a blocked filter, whose exact law is known.
bool refuses_nobody(const filter_spec& spec, std::uint64_t keys);

double balanced_fpr(const filter_spec& spec, std::uint64_t keys);
double balanced_fpr_stddev_between(const filter_spec& spec, std::uint64_t keys);
lookup_costs balanced_costs(const filter_spec& spec, std::uint64_t keys);

}  // namespace membrane::plan
