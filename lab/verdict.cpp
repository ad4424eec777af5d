#include "verdict.hpp"

#include <algorithm>
#include <cmath>

namespace membrane::lab {

std::optional<double> reference_of(const row& each) {
    if (each.model) return each.model;
    if (each.published && !each.published->is_misprint && !each.published->is_limit)
        return each.published->value;
    return std::nullopt;
}

std::optional<deviation> deviation_of(const row& each, const std::optional<reading>& value) {
    const auto reference = value && value->expected ? value->expected : reference_of(each);
    if (!value || !reference || *reference == 0) return std::nullopt;
    const double tolerance = each.model ? 0 : each.published->tolerance;
    const double room = sigmas * value->sigma + each.margin + tolerance;
    const double distance = value->value - *reference;
    const bool is_inside = each.is_bound ? distance <= room : std::abs(distance) <= room;
    return deviation{distance / *reference, room / std::abs(*reference), is_inside};
}

agreement published_agreement(const row& each) {
    if (!each.published || !each.model) return agreement::unknown;
    if (each.published->is_misprint) return agreement::misprint;
    const double above = *each.model - each.published->value;
    const double distance = each.published->is_limit ? above : std::abs(above);
    return distance <= each.published->tolerance ? agreement::agrees : agreement::differs;
}

bool is_ok(const row& each) {
    for (const auto& value : {each.simulated, each.measured})
        if (const auto apart = deviation_of(each, value); apart && !apart->is_inside) return false;
    return published_agreement(each) != agreement::differs;
}

bool is_ok(const report& made) {
    return std::all_of(made.rows.begin(), made.rows.end(), [](const row& each) { return is_ok(each); });
}

}  // namespace membrane::lab
