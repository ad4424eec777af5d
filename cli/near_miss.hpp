// The name that a user may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace membrane::cli {

// ", did you mean 'x'?" for the name that is at most a third of the typed one away; empty if there is none.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace membrane::cli
