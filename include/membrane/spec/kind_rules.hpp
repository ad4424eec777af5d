// What the decoder needs to know about a kind to validate a header: the field table, the relations between fields and the exact
// payload size. The registry passes a table of these to the format code, which knows no kind itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <membrane/base/result.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

struct kind_rules {
    kind_id id;
    std::string_view name;
    std::string_view meaning;
    std::span<const field_rule> fields;
    result<void> (*check_spec)(const filter_spec&);  // ranges and relations between fields
    std::optional<std::uint64_t> (*payload_bytes)(
        const filter_spec&);  // of a checked spec; empty if it overflows
};

constexpr const kind_rules* find_kind(std::span<const kind_rules> kinds, std::uint32_t id) {
    for (const kind_rules& kind : kinds)
        if (static_cast<std::uint32_t>(kind.id) == id) return &kind;
    return nullptr;
}

constexpr const kind_rules* find_kind(std::span<const kind_rules> kinds, std::string_view name) {
    for (const kind_rules& kind : kinds)
        if (kind.name == name) return &kind;
    return nullptr;
}

}  // namespace membrane
