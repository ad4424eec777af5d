#include <membrane/runtime/planner.hpp>

#include <algorithm>
#include <vector>

#include <membrane/format/layout.hpp>

namespace membrane {

namespace {

filter_spec grown(const filter_spec& spec, std::uint64_t keys) {
    const grow_ops& grows = *find_entry(spec.kind)->ops_for(spec).grows;
    return grows.layout_for(spec, grows.universe(spec), keys);
}

// The first that grows if it is to, that can erase if it is to.
const kind_entry& kind_without_keys(const plan::requirement& wanted) {
    for (const kind_entry& entry : registry()) {
        const capabilities can = capabilities_of(entry);
        if ((can.grow || (wanted.grow_to == 0 && !wanted.needs.grow)) && (can.erase || !wanted.needs.erase))
            return entry;
    }
    return registry().front();
}

}  // namespace

plan::kind_row plan_row(const kind_entry& entry) {
    return {entry.rules, entry.plan, [](const filter_spec& spec) { return capabilities_of(spec); }, &grown,
            layout::header_bytes(entry.rules.fields.size())};
}

result<plan::ranking> rank_kinds(const plan::requirement& wanted) {
    std::vector<plan::kind_row> rows;
    for (const kind_entry& entry : registry()) rows.push_back(plan_row(entry));
    return plan::rank(wanted, rows);
}

result<plan::ranking> rank_kind(const kind_entry& kind, const plan::given_fields& given,
                                const plan::requirement& wanted) {
    const plan::kind_row row = plan_row(kind);
    return plan::rank(wanted, std::span(&row, 1), given);
}

const kind_entry* kind_if_none_named(const plan::requirement& wanted) {
    const bool is_for_planner = wanted.bits_per_key || wanted.average_reads || wanted.worst_reads ||
                                wanted.needs.intersect || wanted.needs.fold || wanted.is_fixed ||
                                wanted.is_static;
    return is_for_planner ? nullptr : find_entry(kind_id::balanced_rank);
}

result<kind_decision> choose(const kind_entry* kind, const plan::given_fields& given,
                             const plan::requirement& wanted) {
    // Without keys there is no rate and no number of bits per key to rank by.
    if (kind == nullptr && wanted.keys == 0) kind = &kind_without_keys(wanted);
    if (kind != nullptr) {
        const auto spec = kind->plan.size(wanted, given);
        if (!spec) return spec.error();
        return kind_decision{*spec, {}};
    }
    const auto ranked = rank_kinds(wanted);
    if (!ranked) return ranked.error();
    const plan::candidate* const best = ranked->chosen();
    if (best != nullptr) return kind_decision{best->filter->spec, best->why};
    // No kind can be sized: return the error of the first one.
    if (std::none_of(ranked->candidates.begin(), ranked->candidates.end(),
                     [](const plan::candidate& each) { return each.filter.has_value(); }))
        return choose(&registry().front(), given, wanted);
    if (wanted.max_bytes) {
        plan::requirement unbounded = wanted;
        unbounded.max_bytes.reset();
        return choose(nullptr, given, unbounded);
    }
    return make_error(errc::bad_field, "requirement")
        .with_note("no kind meets this; `membrane plan` says what each of them lacks");
}

result<void> check_needs(const filter_spec& spec, const plan::requirement& wanted) {
    struct contradiction {
        bool capabilities::*can;
        std::string_view what, note;
    };
    static constexpr contradiction all[]{
        {&capabilities::erase, "kind and erase",
         "filters of this kind and form cannot erase: leave out `kind`, or `erase` (C++: erasable)"},
        {&capabilities::count, "kind and count",
         "filters of this kind and form cannot count: leave out `kind` or `count`"},
        {&capabilities::merge, "kind and merge",
         "filters of this kind cannot merge: leave out `kind` or `merge`"},
        {&capabilities::intersect, "kind and intersect",
         "filters of this kind cannot intersect: leave out `kind` or `intersect`"},
        {&capabilities::fold, "kind and fold",
         "filters of this kind cannot fold: leave out `kind` or `fold`"},
    };
    const capabilities can = capabilities_of(spec);
    for (const contradiction& each : all)
        if (wanted.needs.*each.can && !(can.*each.can))
            return make_error(errc::not_supported, each.what).with_note(each.note);
    if (!can.grow && (wanted.grow_to != 0 || wanted.needs.grow))
        return make_error(errc::not_supported, wanted.grow_to != 0 ? "kind and grow_to" : "kind and grow")
            .with_note("filters of this kind and form do not grow: leave out one of them");
    return {};
}

}  // namespace membrane
