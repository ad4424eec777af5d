// --kind bloom:probes=double,k=5: a kind of the registry and the fields of its spec that the user fixes. Names and ranges
// come from the kind's table of fields, so a new kind needs no change here.
#pragma once

#include <string>
#include <string_view>

#include <membrane/runtime/registry.hpp>

namespace membrane::cli {

struct kind_choice {
    const kind_entry* kind = nullptr;  // nullptr: the planner chooses
    plan::given_fields given;
};

inline constexpr std::string_view automatic_kind = "auto";

// Throws failure (usage) with the list of valid names or values.
kind_choice parse_kind(std::string_view text);

// The value of --kind with which `build` makes the planned filter: `named`, with the parameters that `build` would choose
// differently because it has no options for abilities, reads and static sets.
std::string kind_text(std::string named, const plan::given_fields& given, const filter_spec& planned,
                      const plan::requirement& wanted);

}  // namespace membrane::cli
