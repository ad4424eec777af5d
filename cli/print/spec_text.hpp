// The fields of a filter's spec, for people and for programs.
#pragma once

#include "json.hpp"
#include "report/spec_json.hpp"

namespace membrane::cli {

using report::field_text;
using report::parameters_json;

}  // namespace membrane::cli
