// The fields of a filter's spec, for people and for programs.
#pragma once

#include <cstdint>
#include <string>

#include <membrane/spec/filter_spec.hpp>

#include "json.hpp"

namespace membrane::report {

// The name of the value where the field has named values ("double" for 1), otherwise the number.
std::string field_text(const field_rule& rule, std::uint64_t value);

// The fields by name; named values by their names.
json parameters_json(const filter_spec& spec);

}  // namespace membrane::report
