#include <membrane/runtime/registry.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>
#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/choice_bloom/view.hpp>
#include <membrane/kind/count_min/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>
#include <membrane/kind/rank/view.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "kernel/many.hpp"
#include "runtime/new_code_ops.hpp"

namespace membrane {

namespace {

template <class View>
kind_ops ops_of() {
    kind_ops ops = make_ops<View>();
    if (const kernel::single_lookup best = kernel::best_single_lookup<View>()) ops.may_contain = best;
    ops.may_contain_many = [](const void* view, std::span<const key_hash> hashes,
                              std::span<std::uint64_t> answers) {
        return kernel::may_contain_many(*static_cast<const View*>(view), hashes, answers);
    };
#if defined(MEMBRANE_HAVE_KERNELS)
    if constexpr (kernel::has_block_lanes<View>)
        if (kernel::has_kernels()) {
            ops.insert = &kernel::insert_into_block<View>;
            ops.insert_many = &kernel::insert_many_blocks<View>;
            ops.insert_all = &kernel::insert_all_blocks<View>;
        }
    if constexpr (kernel::has_new_code<View>)
        if (kernel::has_kernels()) ops.for_spec = &new_code_for<View>;
#endif
    return ops;
}

template <class Family, std::size_t... I>
auto ops_of_variants(std::index_sequence<I...>) {
    return std::array{ops_of<std::tuple_element_t<I, typename Family::types>>()...};
}

// Made at the first use, since the best kernels depend on the machine.
template <class Family>
const auto& family_ops() {
    static const auto ops =
        ops_of_variants<Family>(std::make_index_sequence<std::tuple_size_v<typename Family::types>>());
    return ops;
}

// A kind that cannot be as small as asked is refused with what it would take, instead of being larger.
template <class Family, const plan::kind_plan& Plan>
result<filter_spec> size_within(const plan::requirement& wanted, const plan::given_fields& given) {
    auto spec = Plan.size(wanted, given);
    if (!spec || !wanted.bits_per_key) return spec;
    const auto needed = family_ops<Family>()[Family::variant_of(*spec)].payload_bytes(*spec);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec");
    const std::uint64_t most = plan::most_size_bytes(wanted);
    if (*needed <= most) return spec;
    return make_error(errc::too_large, "bytes of the filter")
        .with_found(*needed)
        .with_range(0, most)
        .with_note("give more bits per key, or take another kind");
}

template <class Family, const plan::kind_plan& Plan>
kind_entry kind() {
    kind_rules rules{
        .id = Family::id,
        .name = Family::name,
        .meaning = Family::meaning,
        .fields = Family::fields,
        .check_spec = &Family::check_spec,
        .payload_bytes =
            [](const filter_spec& spec) {
                return family_ops<Family>()[Family::variant_of(spec)].payload_bytes(spec);
            },
    };
    plan::kind_plan plan = Plan;
    plan.size = &size_within<Family, Plan>;
    return {rules, family_ops<Family>(), &Family::variant_of, plan};
}

const auto& kinds() {
    // In a function, so that a static object of another file may ask for it while it is made.
    static const std::array list{
        kind<bloom_family, plan::bloom_plan>(),
        kind<counting_bloom_family, plan::counting_bloom_plan>(),
        kind<blocked_bloom_family, plan::blocked_bloom_plan>(),
        kind<count_min_family, plan::count_min_plan>(),
        kind<choice_bloom_family, plan::choice_bloom_plan>(),
        kind<balanced_bloom_family, plan::balanced_bloom_plan>(),
        kind<rank_family, plan::rank_plan>(),
        kind<balanced_rank_family, plan::balanced_rank_plan>(),
    };
    return list;
}

capabilities abilities_of(const kind_ops& ops) {
    return {.erase = ops.erase != nullptr,
            .count = ops.estimate != nullptr,
            .merge = ops.merge != nullptr,
            .intersect = ops.intersect != nullptr,
            .fold = ops.fold_into != nullptr,
            .depends_on_order = ops.depends_on_order,
            .can_be_full = ops.can_be_full,
            .largest_count = ops.largest_estimate};
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
