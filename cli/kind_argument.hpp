// --kind bloom:probes=double,k=5: a kind of the registry and the fields of its spec that the user fixes. Names and
// ranges come from the kind's own table, so a new kind needs nothing here.
#pragma once

#include <string>
#include <string_view>

#include <membrane/runtime/registry.hpp>

namespace membrane::cli {

struct kind_choice {
    const kind_entry* kind = nullptr;  // none: the planner chooses
    plan::given_fields given;
};

inline constexpr std::string_view automatic_kind = "auto";

// Throws failure (usage) that lists what there is.
kind_choice parse_kind(std::string_view text);

// The text of --kind that makes `build` choose the forms of a planned filter: `named` and what `build` would choose
// otherwise, since it is told neither of abilities nor of reads nor of sets that never change.
std::string kind_text(std::string named, const plan::given_fields& given, const filter_spec& planned,
                      const plan::requirement& wanted);

// The value of a field by name where it has names: "double" rather than 1.
std::string field_text(const field_rule& rule, std::uint64_t value);

}  // namespace membrane::cli
