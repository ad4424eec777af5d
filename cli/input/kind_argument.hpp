// --kind bloom:probes=double,k=5: a kind of the registry and the fields of its spec that the user fixes. Names and ranges
// come from the kind's table of fields, so a new kind needs no change here.
#pragma once

#include <string>
#include <string_view>

#include <membrane/runtime/planner.hpp>
#include <membrane/runtime/registry.hpp>

#include "report/plan_json.hpp"

namespace membrane::cli {

struct kind_choice {
    const kind_entry* kind = nullptr;  // null: the planner chooses
    plan::given_fields given;
};

inline constexpr std::string_view automatic_kind = "auto";

// Throws failure (usage) with the list of valid names or values.
kind_choice parse_kind(std::string_view text);

// Of a command that builds: without --kind (no text), the kind that grows, unless the requirement is one for the planner.
kind_choice kind_to_build(std::string_view text, const plan::requirement& wanted);

// The spec of this kind, or of the planner's. Throws failure (usage).
kind_decision choose_or_fail(const kind_choice& choice, const plan::requirement& wanted);

using report::kind_text;

}  // namespace membrane::cli
