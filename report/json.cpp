#include "json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace membrane::report {

namespace {

using library_json = nlohmann::ordered_json;

library_json converted(const json& value) {
    switch (value.kind()) {
        case json::form::null: return nullptr;
        case json::form::boolean: return value.integer() != 0;
        case json::form::integer: return value.integer();
        case json::form::number: return value.number();
        case json::form::text: return value.text();
        case json::form::array: {
            library_json::array_t items;
            for (const json& each : value.items()) items.push_back(converted(each));
            return items;
        }
        case json::form::object: {
            library_json::object_t fields;
            for (std::size_t i = 0; i < value.names().size(); ++i)
                fields[value.names()[i]] = converted(value.items()[i]);
            return fields;
        }
    }
    return nullptr;
}

}  // namespace

json::json(const std::vector<std::string>& texts) : form_(form::array), items_(texts.begin(), texts.end()) {}

json::json(std::initializer_list<json_field> fields) : form_(form::object) {
    for (const json_field& each : fields) (*this)[each.name] = each.value;
}

json json::array() {
    json made;
    made.form_ = form::array;
    return made;
}

json json::object() {
    json made;
    made.form_ = form::object;
    return made;
}

void json::push_back(json value) { items_.push_back(std::move(value)); }

json& json::operator[](std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return items_[static_cast<std::size_t>(found - names_.begin())];
    names_.emplace_back(name);
    return items_.emplace_back();
}

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string json_text(const json& value) {
    return converted(value).dump(2, ' ', false, library_json::error_handler_t::replace);
}

}  // namespace membrane::report
