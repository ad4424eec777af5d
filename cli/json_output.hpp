// JSON on standard output. Every object printed anywhere is described in doc/json.md, and a test compares the two.
#pragma once

#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "output.hpp"

namespace membrane::cli {

using json = nlohmann::ordered_json;

// JSON has no infinity: an estimate without a value is null.
inline json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

// Bytes that are no UTF-8 are shown as replacement characters.
inline void print_json(const json& value) {
    out().write(value.dump(2, ' ', false, json::error_handler_t::replace));
    out().write('\n');
}

}  // namespace membrane::cli
