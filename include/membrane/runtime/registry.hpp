// The one list of kinds. A line in src/runtime/registry.cpp puts a kind into the file format, the command line, the
// contract tests, the statistics, the fuzzers, the benches and the documentation's table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <membrane/plan/kind_plan.hpp>
#include <membrane/runtime/kind_ops.hpp>
#include <membrane/spec/capabilities.hpp>
#include <membrane/spec/kind_rules.hpp>

namespace membrane {

struct kind_entry {
    kind_rules rules;
    std::span<const kind_ops> variants;             // one table per view type of the kind
    std::size_t (*variant_of)(const filter_spec&);  // which of them a checked spec means
    plan::kind_plan plan;

    const kind_ops& ops_for(const filter_spec& spec) const { return variants[variant_of(spec)]; }
};

std::span<const kind_entry> registry();
std::span<const kind_rules> registered_rules();

// The entry of an element of registered_rules(), without a search: both lists have the same order.
const kind_entry& entry_of(const kind_rules& registered);
const kind_entry* find_entry(kind_id id);
const kind_entry* find_entry(std::string_view name);

// What some form of the kind can do, and what filters of this spec can do.
capabilities capabilities_of(const kind_entry& entry);
capabilities capabilities_of(const filter_spec& spec);

}  // namespace membrane
