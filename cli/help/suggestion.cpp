#include "suggestion.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

namespace membrane::cli {

namespace {

// The edit distance: letters to insert, remove or replace.
std::size_t distance_between(std::string_view left, std::string_view right) {
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names) {
    constexpr std::size_t longest = 64;
    if (names.empty() || typed.size() > longest) return {};
    const auto nearest =
        std::min_element(names.begin(), names.end(), [&](std::string_view left, std::string_view right) {
            return distance_between(typed, left) < distance_between(typed, right);
        });
    if (distance_between(typed, *nearest) > (typed.size() + 2) / 3) return {};
    return fmt::format(", did you mean '{}'?", *nearest);
}

}  // namespace membrane::cli
