// Reading "bloom:probes=double,k=5": a kind of the registry and the fields of its spec that are fixed by hand. Names and
// ranges come from the kind's own table, so a new kind needs nothing here. What is wrong comes back as data: whoever
// asked makes the sentence.
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
    std::string_view name{};           // of the kind or the field that is not known
    std::string_view value{};          // that is not allowed
    const field_rule* rule = nullptr;  // which it breaks
};

// `read_number` decides how numbers may be written; an empty optional refuses one.
kind_reading read_kind_text(std::string_view text,
                            std::optional<std::uint64_t> (*read_number)(std::string_view));

// Decimal digits only.
std::optional<std::uint64_t> read_plain_number(std::string_view text);

}  // namespace membrane
