// JSON on standard output. Every object printed anywhere is described in doc/json.md, and a test compares the two.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kind_argument.hpp"
#include "output.hpp"

namespace membrane::cli {

using json = nlohmann::ordered_json;

// JSON has no infinity: an estimate without a value is null.
inline json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

// The fields of a spec by name; a value by its name where it has one.
inline json parameters_json(const filter_spec& spec) {
    json parameters = json::object();
    const auto rules = find_entry(spec.kind)->rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        parameters[std::string(rules[i].name)] =
            rules[i].choices.empty() ? json(spec[i]) : json(field_text(rules[i], spec[i]));
    return parameters;
}

// Bytes that are no UTF-8 are shown as replacement characters.
inline void print_json(const json& value) {
    out().write(value.dump(2, ' ', false, json::error_handler_t::replace));
    out().write('\n');
}

}  // namespace membrane::cli
