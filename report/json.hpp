// JSON values and their text. doc/json.md describes every object that the tool and the C library make, and a test compares the two.
//
// This class builds values only. json.cpp alone includes the JSON library, whose headers take longer to compile than a
// command.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace membrane::report {

struct json_field;

class json {
public:
    enum class form : std::uint8_t { null, boolean, integer, number, text, array, object };

    json() = default;
    json(std::nullptr_t) {}
    json(double value) : form_(form::number), number_(value) {}
    template <std::same_as<bool> T>
    json(T value) : form_(form::boolean), integer_(value ? 1 : 0) {}
    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) json(T value) : form_(form::integer), integer_(value) {}
    json(std::string_view value) : form_(form::text), text_(value) {}
    json(const std::string& value) : form_(form::text), text_(value) {}
    json(const char* value) : form_(form::text), text_(value) {}
    json(const std::vector<std::string>& texts);
    json(std::initializer_list<json_field> fields);
    static json array();
    static json object();

    void push_back(json value);
    // The field of that name; added as null if the object has none.
    json& operator[](std::string_view name);

    form kind() const { return form_; }
    std::uint64_t integer() const { return integer_; }
    double number() const { return number_; }
    const std::string& text() const { return text_; }
    const std::vector<json>& items() const { return items_; }
    const std::vector<std::string>& names() const { return names_; }

private:
    form form_ = form::null;
    std::uint64_t integer_ = 0;
    double number_ = 0;
    std::string text_;
    std::vector<json> items_;         // of an array, or the values of an object's fields
    std::vector<std::string> names_;  // of an object's fields
};

struct json_field {
    std::string_view name;
    json value;
};

// JSON has no infinity and no NaN: an estimate without a value is null.
json number_or_null(double value);

// With line breaks and two spaces for each level. Bytes that are not UTF-8 become replacement characters.
std::string json_text(const json& value);

}  // namespace membrane::report
