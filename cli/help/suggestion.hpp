// What was probably meant by a mistyped name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace membrane::cli {

// ", did you mean 'x'?" for the nearest name if its edit distance is at most a third of the typed length, else nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

// The same, or " (expected a, b, c)" with all names if none is near.
std::string meant_or_expected(std::string_view typed, std::span<const std::string_view> names);

}  // namespace membrane::cli
