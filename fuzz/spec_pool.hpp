// Small specs of every registered kind, made from the field tables alone: a new kind is covered without a line here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <membrane/runtime/registry.hpp>

namespace membrane {

// Values of a field that deserve a case of their own, the initial one first: its choices, or the doublings of a range such
// as 32 to 64 or 128 to 512 bits. Empty for fields that sizing fills in.
inline std::vector<std::uint64_t> enumerated_values(const field_rule& rule) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < rule.choices.size(); ++i) values.push_back(i);
    if (rule.least > 1 && (rule.most == 2 * rule.least || rule.most == 4 * rule.least))
        for (std::uint64_t value = rule.least; value <= rule.most; value *= 2) values.push_back(value);
    if (rule.name == "copies") values = {1, 2};   // each copy reads streams of its own
    if (rule.name == "choices") values = {2, 4};  // so does each group
    std::stable_partition(values.begin(), values.end(),
                          [&](std::uint64_t value) { return value == rule.initial; });
    return values;
}

// All combinations of enumerated values; kinds that remember their most counted keys remember a few.
inline std::vector<plan::given_fields> combinations_of(const kind_entry& kind) {
    const auto rules = kind.rules.fields;
    std::vector<plan::given_fields> combinations(1);
    for (std::size_t field = 0; field < rules.size(); ++field) {
        std::vector<std::uint64_t> values = enumerated_values(rules[field]);
        if (rules[field].name == "top_slots") values = {5};
        if (rules[field].name == "top_key_bytes") values = {4};
        if (values.empty()) continue;
        std::vector<plan::given_fields> longer;
        for (plan::given_fields given : combinations) {
            given.is_given.set(field);
            for (const std::uint64_t value : values) {
                given.spec[field] = value;
                longer.push_back(given);
            }
        }
        combinations = longer;
    }
    return combinations;
}

inline bool fits(const kind_entry& kind, const filter_spec& spec, std::uint64_t max_payload_bytes) {
    const auto size = kind.rules.check_spec(spec) ? kind.rules.payload_bytes(spec) : std::nullopt;
    return size && *size <= max_payload_bytes;
}

// Every combination that sizing accepts, for a few keys and for some more.
inline std::vector<filter_spec> small_specs(const kind_entry& kind, std::uint64_t max_payload_bytes) {
    std::vector<filter_spec> specs;
    for (const plan::given_fields& given : combinations_of(kind))
        for (const std::uint64_t keys : {2u, 40u})
            if (const auto spec = kind.plan.size({.keys = keys, .fpr = 0.1}, given);
                spec && fits(kind, *spec, max_payload_bytes))
                specs.push_back(*spec);
    return specs;
}

}  // namespace membrane
