#include <membrane/runtime/registry.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

#include <membrane/plan/kind_plans.hpp>

#include "runtime/active_target.hpp"
#include "runtime/kind_tables.hpp"

namespace membrane {

namespace {

// The table of the active target; kinds without vector code have one target only.
#if defined(MEMBRANE_HAS_VECTOR_TARGET)
#define MEMBRANE_TABLE_OF(kind)                                            \
    (active_target() == target::portable ? &library_portable::kind##_table \
                                         : &MEMBRANE_LIBRARY_VECTOR_TARGET::kind##_table)
#else
#define MEMBRANE_TABLE_OF(kind) (&library_portable::kind##_table)
#endif

// A kind that cannot be as small as asked is refused with what it would take, instead of being larger.
template <const plan::kind_plan& Plan>
result<filter_spec> size_within(const plan::requirement& wanted, const plan::given_fields& given) {
    auto spec = Plan.size(wanted, given);
    if (!spec || !wanted.bits_per_key) return spec;
    const auto needed = find_entry(spec->kind)->ops_for(*spec).payload_bytes(*spec);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec");
    const std::uint64_t most = plan::most_size_bytes(wanted);
    if (*needed <= most) return spec;
    return make_error(errc::too_large, "bytes of the filter")
        .with_found(*needed)
        .with_range(0, most)
        .with_note("give more bits per key, or take another kind");
}

template <const plan::kind_plan& Plan>
kind_entry entry_of(kind_table (*table_of)()) {
    const kind_table table = table_of();
    const kind_rules rules{
        .id = table.id,
        .name = table.name,
        .meaning = table.meaning,
        .fields = table.fields,
        .check_spec = table.check_spec,
        .payload_bytes =
            [](const filter_spec& spec) { return find_entry(spec.kind)->ops_for(spec).payload_bytes(spec); },
    };
    plan::kind_plan plan = Plan;
    plan.size = &size_within<Plan>;
    return {rules, table.variants, table.variant_of, plan};
}

const auto& kinds() {
    // In a function, so that a static object of another file may ask for it while it is made.
    static const std::array list{
        entry_of<plan::bloom_plan>(MEMBRANE_TABLE_OF(bloom)),
        entry_of<plan::counting_bloom_plan>(MEMBRANE_TABLE_OF(counting_bloom)),
        entry_of<plan::blocked_bloom_plan>(MEMBRANE_TABLE_OF(blocked_bloom)),
        entry_of<plan::count_min_plan>(&library_portable::count_min_table),
        entry_of<plan::choice_bloom_plan>(&library_portable::choice_bloom_table),
        entry_of<plan::balanced_bloom_plan>(MEMBRANE_TABLE_OF(balanced_bloom)),
        entry_of<plan::rank_plan>(&library_portable::rank_table),
        entry_of<plan::balanced_rank_plan>(MEMBRANE_TABLE_OF(balanced_rank)),
    };
    return list;
}

capabilities abilities_of(const kind_ops& ops) {
    return {.erase = ops.erases != nullptr,
            .count = ops.counts != nullptr,
            .merge = ops.merges != nullptr || ops.grows != nullptr,
            .intersect = ops.merges != nullptr && ops.merges->intersect != nullptr,
            .fold = ops.folds != nullptr,
            .grow = ops.grows != nullptr,
            .depends_on_order = ops.depends_on_order,
            .can_be_full = ops.can_be_full,
            .largest_count = ops.counts != nullptr ? ops.counts->largest_estimate : 0};
}

}  // namespace

std::span<const kind_entry> registry() { return kinds(); }

std::span<const kind_rules> registered_rules() {
    // An array: looking at a header allocates nothing, not even the first time.
    static const auto rules = [] {
        std::array<kind_rules, std::tuple_size_v<std::remove_cvref_t<decltype(kinds())>>> all{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = kinds()[i].rules;
        return all;
    }();
    return rules;
}

const kind_entry& entry_of(const kind_rules& registered) {
    return registry()[static_cast<std::size_t>(&registered - registered_rules().data())];
}

const kind_entry* find_entry(kind_id id) {
    for (const kind_entry& entry : registry())
        if (entry.rules.id == id) return &entry;
    return nullptr;
}

const kind_entry* find_entry(std::string_view name) {
    for (const kind_entry& entry : registry())
        if (entry.rules.name == name) return &entry;
    return nullptr;
}

capabilities capabilities_of(const kind_entry& entry) {
    capabilities any;
    for (const kind_ops& ops : entry.variants) {
        const capabilities one = abilities_of(ops);
        any = {.erase = any.erase || one.erase,
               .count = any.count || one.count,
               .merge = any.merge || one.merge,
               .intersect = any.intersect || one.intersect,
               .fold = any.fold || one.fold,
               .grow = any.grow || one.grow,
               .depends_on_order = any.depends_on_order || one.depends_on_order,
               .can_be_full = any.can_be_full || one.can_be_full,
               .largest_count = std::max(any.largest_count, one.largest_count)};
    }
    return any;
}

capabilities capabilities_of(const filter_spec& spec) {
    const kind_entry* const entry = find_entry(spec.kind);
    return entry == nullptr ? capabilities{} : abilities_of(entry->ops_for(spec));
}

}  // namespace membrane
