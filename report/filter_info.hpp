// What a filter is and holds, as `membrane info --json` prints it and the C library returns it.
#pragma once

#include <optional>

#include <membrane/runtime/any_view.hpp>

#include "json.hpp"

namespace membrane::report {

// Predicted cache lines per lookup for the present number of keys; none if the kind has no prediction.
std::optional<plan::lookup_costs> reads_of(const any_view& filter);

// Not finite for a filter without keys.
double bits_per_key(const any_view& filter);

// `file`: the name of its file, or null.
json info_json(const json& file, const any_view& filter, bool shows_key);

}  // namespace membrane::report
