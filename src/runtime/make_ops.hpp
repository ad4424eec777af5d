// The tables of kind_ops.hpp generated from a view type. A group is there if the view has its members.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <membrane/part/batch.hpp>

#include "runtime/kind_tables.hpp"

MEMBRANE_TARGET_BEGIN

// What every view must have. Batches are made from it, or are the view's own (part/batch.hpp).
template <class View>
concept filter_view = std::is_trivially_copyable_v<View> && std::is_trivially_destructible_v<View> &&
    std::constructible_from<View, const filter_spec&, std::byte*> &&
    requires(View view, const View& const_view, const filter_spec& spec, key_hash hash) {
    { View::payload_bytes(spec) } -> std::same_as<std::optional<std::uint64_t>>;
    { view.insert(hash) } -> std::same_as<bool>;
    { const_view.may_contain(hash) } -> std::same_as<bool>;
    { const_view.fill() } -> std::same_as<double>;
    { const_view.estimated_size() } -> std::same_as<double>;
    { const_view.estimated_fpr_now() } -> std::same_as<double>;
    { const_view.check_payload() } -> std::same_as<result<void>>;
};

template <class View>
View& mutable_view(void* view) noexcept {
    return *static_cast<View*>(view);
}
template <class View>
const View& const_view(const void* view) noexcept {
    return *static_cast<const View*>(view);
}

template <class View>
inline constexpr erase_ops erases_of{
    .erase = [](void* view, key_hash hash) { return mutable_view<View>(view).erase(hash); },
    .erase_many =
        [](void* view, std::span<const key_hash> hashes) {
            return erase_many(mutable_view<View>(view), hashes);
        },
};
template <class View>
inline constexpr count_ops counts_of{
    .estimate = [](const void* view, key_hash hash) { return const_view<View>(view).estimate(hash); },
    .largest_estimate = View::largest_estimate,
};
template <class View>
inline constexpr sketch_ops sketches_of{
    .add = [](void* view, key_hash hash,
              std::uint64_t weight) { return mutable_view<View>(view).add(hash, weight); },
    .merge_weighted =
        [](void* view, const void* other, std::uint64_t weight) {
            return mutable_view<View>(view).merge(const_view<View>(other), weight);
        },
    .top = [](const void* view) -> const top_section* { return &const_view<View>(view).top(); },
    .mutable_top = [](void* view) -> top_section* { return &mutable_view<View>(view).top(); },
};
template <class View>
result<void> merge_views(void* view, const void* other) {
    if constexpr (std::is_void_v<decltype(mutable_view<View>(view).merge(const_view<View>(other)))>) {
        mutable_view<View>(view).merge(const_view<View>(other));
        return {};
    } else {
        return mutable_view<View>(view).merge(const_view<View>(other));
    }
}
template <class View>
void intersect_views(void* view, const void* other) {
    mutable_view<View>(view).intersect(const_view<View>(other));
}
template <class View>
constexpr merge_ops make_merges() {
    if constexpr (requires(View & view, const View& other) { view.intersect(other); })
        return {&merge_views<View>, &intersect_views<View>};
    else return {&merge_views<View>, nullptr};
}
template <class View>
inline constexpr merge_ops merges_of = make_merges<View>();
template <class View>
inline constexpr fold_ops folds_of{
    .fold_into = [](const void* view,
                    void* smaller) { const_view<View>(view).fold_into(mutable_view<View>(smaller)); },
    .field = View::fold_field,
};
template <class View>
inline constexpr offline_ops offline_of{
    .place_jointly =
        [](void* view, std::span<const key_hash> hashes, const rounds_request& request) {
            return mutable_view<View>(view).choose_together(hashes, request);
        },
    .scratch_bytes = &View::rounds_scratch_bytes,
    .field = View::rounds_field,
};
template <class View>
inline constexpr value_ops values_of{
    .insert = [](void* view, key_hash hash,
                 std::uint64_t value) { return mutable_view<View>(view).insert_value(hash, value); },
    .update = [](void* view, key_hash hash, std::uint64_t from,
                 std::uint64_t to) { return mutable_view<View>(view).update_value(hash, from, to); },
    .erase = [](void* view, key_hash hash,
                std::uint64_t value) { return mutable_view<View>(view).erase_value(hash, value); },
    .find =
        [](const void* view, key_hash hash, std::vector<std::uint64_t>& found) {
            const_view<View>(view).visit_values(hash, [&](std::uint64_t value) {
                found.push_back(value);
                return true;
            });
        },
    .largest = &View::largest_value,
};
template <class View>
inline constexpr pack_ops packs_of{
    .least_bytes = &View::least_packed_bytes,
    .bytes = [](const void* view) { return const_view<View>(view).packed_bytes(); },
    .pack = [](const void* view, std::byte* to) { const_view<View>(view).pack(to); },
    .unpack = [](void* view,
                 std::span<const std::byte> from) { return mutable_view<View>(view).unpack(from); },
};

template <class View>
bool single_lookup(const void* view, key_hash hash) {
    if constexpr (requires { const_view<View>(view).may_contain_in_registers(hash); })
        return const_view<View>(view).may_contain_in_registers(hash);
    else return const_view<View>(view).may_contain(hash);
}
template <class View>
std::uint64_t count_lookup_lines(const void* view, key_hash hash) {
    std::vector<std::uint64_t> lines;
    const_view<View>(view).trace_lookup(hash, [&](std::uint64_t offset) {
        const std::uint64_t line = offset / 64;
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    });
    return static_cast<std::uint64_t>(lines.size());
}

template <filter_view View>
constexpr kind_ops make_ops() {
    static_assert(sizeof(View) <= view_storage_bytes);
    kind_ops ops{
        .payload_bytes = &View::payload_bytes,
        .construct = [](void* where, const filter_spec& spec,
                        std::byte* payload) { ::new (where) View(spec, payload); },
        .check_payload = [](const void* view) { return const_view<View>(view).check_payload(); },
        .insert = [](void* view, key_hash hash) { return mutable_view<View>(view).insert(hash); },
        .insert_many =
            [](void* view, std::span<const key_hash> hashes) {
                return insert_many(mutable_view<View>(view), hashes);
            },
        .insert_all = [](void* view, const hash_batches& hashes,
                         unsigned threads) { return insert_all(mutable_view<View>(view), hashes, threads); },
        .may_contain = &single_lookup<View>,
        .may_contain_many =
            [](const void* view, std::span<const key_hash> hashes, std::span<std::uint64_t> answers) {
                return may_contain_many(const_view<View>(view), hashes, answers);
            },
        .fill = [](const void* view) { return const_view<View>(view).fill(); },
        .estimated_size = [](const void* view) { return const_view<View>(view).estimated_size(); },
        .estimated_fpr_now = [](const void* view) { return const_view<View>(view).estimated_fpr_now(); },
    };
    if constexpr (requires(const View& view, key_hash hash) {
                      view.trace_lookup(hash, [](std::uint64_t) {});
                  })
        ops.lookup_lines = &count_lookup_lines<View>;
    if constexpr (requires { View::depends_on_order; }) ops.depends_on_order = View::depends_on_order;
    if constexpr (requires { View::can_be_full; }) ops.can_be_full = View::can_be_full;
    if constexpr (requires { View::lookups_are_safe_on_any_payload; })
        ops.lookups_are_safe_on_any_payload = View::lookups_are_safe_on_any_payload;
    if constexpr (requires(View & view, key_hash hash) { view.erase(hash); }) ops.erases = &erases_of<View>;
    if constexpr (requires(const View& view, key_hash hash) { view.estimate(hash); })
        ops.counts = &counts_of<View>;
    if constexpr (requires(View & view, key_hash hash) { view.add(hash, 1); })
        ops.sketches = &sketches_of<View>;
    if constexpr (requires(View & view, const View& other) { view.merge(other); })
        ops.merges = &merges_of<View>;
    if constexpr (requires { View::fold_field; }) ops.folds = &folds_of<View>;
    if constexpr (requires { View::rounds_field; }) ops.offline = &offline_of<View>;
    if constexpr (requires(View & view, key_hash hash) { view.insert_value(hash, 1); })
        ops.values = &values_of<View>;
    if constexpr (requires(const View& view, std::byte* to) { view.pack(to); }) ops.packs = &packs_of<View>;
    return ops;
}

template <class Family, std::size_t... I>
constexpr auto make_variants(std::index_sequence<I...>) {
    return std::array{make_ops<std::tuple_element_t<I, typename Family::types>>()...};
}
template <class Family>
inline constexpr auto variants_of =
    make_variants<Family>(std::make_index_sequence<std::tuple_size_v<typename Family::types>>());

template <class Family>
kind_table make_table() {
    return {.id = Family::id,
            .name = Family::name,
            .meaning = Family::meaning,
            .fields = Family::fields,
            .check_spec = &Family::check_spec,
            .variant_of = &Family::variant_of,
            .variants = variants_of<Family>};
}

MEMBRANE_TARGET_END
