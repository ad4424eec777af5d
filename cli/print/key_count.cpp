#include "key_count.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "numbers.hpp"

namespace membrane::cli {

namespace {

std::uint64_t number_of_cells(const any_view& filter) {
    constexpr std::uint64_t bits_per_byte = 8, bits_per_counter = 4;
    const std::uint64_t bits = filter.size_bytes() * bits_per_byte;
    return filter.spec().kind == kind_id::counting_bloom ? bits / bits_per_counter : bits;
}

// The standard deviation of n estimated from the cells that are set: of m cells and k probes with l = k n / m,
// sqrt(m (e^l - 1 - l)) / k. Blocks with more keys than others set fewer cells: at most twice that. Filters that grow keep a number for
// each key: of n keys about n^2 / 2U share a number with another. 0 for kinds that do not estimate, or that keep repetitions.
double estimate_stddev(const any_view& filter) {
    if (filter.universe() != 0) {
        if (capabilities_of(filter.spec()).count) return 0;
        return filter.estimated_size() / std::sqrt(2 * static_cast<double>(filter.universe()));
    }
    const auto rules = filter.kind().rules.fields;
    const auto k =
        std::find_if(rules.begin(), rules.end(), [](const field_rule& rule) { return rule.name == "k"; });
    const double fill = filter.fill();
    if (k == rules.end() || !(fill < 1)) return 0;
    const double probes = static_cast<double>(filter.spec()[static_cast<std::size_t>(k - rules.begin())]);
    const double load = -std::log1p(-fill);
    constexpr double of_blocks = 2;
    return of_blocks * std::sqrt(static_cast<double>(number_of_cells(filter)) * (std::expm1(load) - load)) /
           probes;
}

}  // namespace

bool is_count_off(const any_view& filter) {
    constexpr double width_in_sigmas = 5;
    const double estimate = filter.estimated_size(), stddev = estimate_stddev(filter);
    if (stddev == 0 || !std::isfinite(estimate)) return false;
    const double excess = static_cast<double>(filter.keys()) - estimate;
    // One cell more or less is within rounding, however empty the filter is. Filters that grow do not count added keys that looked present,
    // which the estimate includes.
    return (filter.universe() != 0 ? excess : std::abs(excess)) > width_in_sigmas * stddev + 1;
}

std::uint64_t different_keys(const any_view& filter) {
    const double estimate = filter.estimated_size();
    const bool counts_repetitions =
        capabilities_of(filter.spec()).count && estimate < static_cast<double>(filter.keys());
    if (!is_count_off(filter) && !counts_repetitions) return filter.keys();
    return static_cast<std::uint64_t>(std::llround(estimate));
}

std::string estimated_keys_text(const any_view& filter) {
    const double estimate = filter.estimated_size();
    if (!(estimate < 1e18)) return "no estimate: the filter is too full";
    return count_text(static_cast<std::uint64_t>(std::llround(estimate)));
}

std::string some_keys_text(const any_view& filter) {
    if (!is_count_off(filter)) return counted_text(filter.keys(), "key", "keys");
    return fmt::format("about {}, estimated (at most {})",
                       counted_text(different_keys(filter), "key", "keys"), count_text(filter.keys()));
}

std::string held_keys_text(const any_view& filter) {
    if (!is_count_off(filter)) return count_text(filter.keys());
    return fmt::format(
        "about {}, estimated (the file counts {}: keys of several merged filters count several times)",
        count_text(different_keys(filter)), count_text(filter.keys()));
}

}  // namespace membrane::cli
