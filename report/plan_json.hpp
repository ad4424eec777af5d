// The planner's ranking, as `membrane plan --json` prints it and the C library returns it.
#pragma once

#include <string>
#include <string_view>

#include <membrane/runtime/planner.hpp>

#include "json.hpp"

namespace membrane::report {

// What happens when more keys come than were planned.
std::string_view beyond_plan(const capabilities& can);

// The value of --kind with which `build` makes the planned filter: `named`, with the parameters that `build` would choose
// differently because it has no options for abilities, reads and static sets.
std::string kind_text(std::string named, const plan::given_fields& given, const filter_spec& planned,
                      const plan::requirement& wanted);

// The command line that builds the chosen filter, with the parameters that `build` would not choose by itself; empty if none fits.
// `kind_argument`: the kind that was asked for with its parameters, or "auto".
std::string build_command(const std::string& kind_argument, const plan::given_fields& given,
                          const plan::requirement& wanted, const plan::ranking& ranked);

// What `build` makes of this requirement if no kind is named; null if that is the chosen one, cannot be made, or one kind was asked for.
const plan::candidate* without_kind(const plan::requirement& wanted, const plan::ranking& ranked);

json plan_json(const plan::requirement& wanted, const plan::ranking& ranked, const std::string& build);

}  // namespace membrane::report
