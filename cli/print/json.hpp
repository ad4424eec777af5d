// JSON on standard output. doc/json.md describes every object that the tool prints, and a test compares the two.
#pragma once

#include "report/json.hpp"

namespace membrane::cli {

using report::json;
using report::json_field;
using report::number_or_null;

void print_json(const json& value);
// On one line.
void print_json_line(const json& value);

}  // namespace membrane::cli
