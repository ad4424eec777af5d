// Parses "bloom:probes=double,k=5": the name of a registered kind and values of some fields of its spec. Names and ranges
// come from the kind's own table, so a new kind needs no code here. A fault is returned as data; the caller words the
// message.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <membrane/runtime/registry.hpp>

namespace membrane {

enum class kind_text_fault : std::uint8_t { none, unknown_kind, unknown_field, bad_value };

struct kind_reading {
    const kind_entry* kind = nullptr;
    plan::given_fields given{};
    kind_text_fault fault = kind_text_fault::none;
    std::string_view name{};   // the last kind or field name that was read: the unknown one after a fault
    std::string_view value{};  // the last value: the refused one after bad_value
    const field_rule* rule = nullptr;  // the rule of that field
};

// `read_number` defines how numbers may be written; it returns an empty optional for anything else.
kind_reading read_kind_text(std::string_view text,
                            std::optional<std::uint64_t> (*read_number)(std::string_view));

// Decimal digits only.
std::optional<std::uint64_t> read_plain_number(std::string_view text);

}  // namespace membrane
