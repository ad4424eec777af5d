#include "suggestion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

namespace membrane::cli {

namespace {

// Mistakes of typing: letters to insert, remove or replace, or two neighbours to exchange.
std::size_t distance_between(std::string_view left, std::string_view right) {
    using row = std::vector<std::size_t>;
    row two_before(right.size() + 1), before(right.size() + 1), now(right.size() + 1);
    for (std::size_t j = 0; j < now.size(); ++j) now[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::swap(two_before, before);
        std::swap(before, now);
        now[0] = i;
        for (std::size_t j = 1; j < now.size(); ++j) {
            const std::size_t replaced = before[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            now[j] = std::min({before[j] + 1, now[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                now[j] = std::min(now[j], two_before[j - 2] + 1);
        }
    }
    return now.back();
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

std::string meant_or_expected(std::string_view typed, std::span<const std::string_view> names) {
    const std::string meant = did_you_mean(typed, names);
    return meant.empty() ? fmt::format(" (expected {})", fmt::join(names, ", ")) : meant;
}

}  // namespace membrane::cli
