// filter_spec: a kind and its parameters as plain numbers. The planner makes it, the factory takes it, the file stores it, `info`
// prints it and `merge` compares it: one type, no conversions. The kind's field_rule table says what each field means; a
// field's index in that table is part of the file format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <membrane/base/result.hpp>

namespace membrane {

// These numbers are stored in files: never change them.
enum class kind_id : std::uint32_t {
    bloom = 1,
    counting_bloom = 2,
    blocked_bloom = 3,
    count_min = 4,
    choice_bloom = 5,
    balanced_bloom = 6,
    rank = 7,
    balanced_rank = 8,
};

inline constexpr std::size_t max_spec_fields = 32;

// The largest array of any filter, so that the sum of two bit positions cannot wrap.
inline constexpr std::uint64_t max_size_bits = std::uint64_t{1} << 56;

struct filter_spec {
    kind_id kind{};
    std::uint64_t planned_keys = 0;  // 0: unknown
    double planned_fpr = 0;          // 0: unknown
    std::array<std::uint64_t, max_spec_fields> fields{};

    constexpr std::uint64_t& operator[](std::size_t field) { return fields[field]; }
    constexpr std::uint64_t operator[](std::size_t field) const { return fields[field]; }

    friend bool operator==(const filter_spec&, const filter_spec&) = default;
};

struct field_rule {
    std::string_view name;
    std::uint64_t least;
    std::uint64_t most;
    std::uint64_t initial;  // default; 0 where only sizing can determine the value
    std::string_view meaning;
    std::span<const std::string_view> choices{};  // names of the values 0, 1, ... of an enumerated field
};

// Checks that each field is in its rule's range, that fields the kind does not have are zero and that planned_fpr is a rate. A
// spec that passes can be written to a file and opened again.
inline result<void> check_fields(const filter_spec& spec, std::span<const field_rule> rules) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (spec[i] < rules[i].least || spec[i] > rules[i].most)
            return make_error(errc::bad_field, rules[i].name)
                .with_found(spec[i])
                .with_range(rules[i].least, rules[i].most);
    for (std::size_t i = rules.size(); i < max_spec_fields; ++i)
        if (spec[i] != 0)
            return make_error(errc::bad_field, "field that this kind does not have").with_found(spec[i]);
    if (!(spec.planned_fpr >= 0 && spec.planned_fpr <= 1))
        return make_error(errc::bad_field, "planned_fpr").with_note("a rate lies between 0 and 1");
    return {};
}

constexpr filter_spec initial_spec(kind_id kind, std::span<const field_rule> rules) {
    filter_spec spec;
    spec.kind = kind;
    for (std::size_t i = 0; i < rules.size(); ++i) spec[i] = rules[i].initial;
    return spec;
}

}  // namespace membrane
