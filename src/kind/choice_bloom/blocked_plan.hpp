// choice_bloom with probes=blocked: sizing and rate.
#pragma once

#include <membrane/model/choice_law.hpp>
#include <membrane/plan/requirement.hpp>

namespace membrane::plan {

model::mean_and_scatter blocked_choice_rate(const filter_spec& spec, std::uint64_t keys);
result<filter_spec> size_blocked_choice(const requirement& wanted, const given_fields& given);

}  // namespace membrane::plan
