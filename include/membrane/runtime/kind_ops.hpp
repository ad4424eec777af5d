// The operations of one view type as a constant table of functions: what a filter whose shape is known only at run
// time is called through. The table is generated from the view; an operation that the view does not have is null.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/kind/count_min/top_section.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

// What every view must have; insert_many and may_contain_many are made from it.
template <class View>
concept filter_view = std::is_trivially_copyable_v<View> && std::is_trivially_destructible_v<View> &&
    std::constructible_from<View, const filter_spec&, std::byte*> &&
    requires(View view, const View& const_view, key_hash hash) {
    { view.insert(hash) } -> std::same_as<bool>;
    { const_view.may_contain(hash) } -> std::same_as<bool>;
    { const_view.fill() } -> std::same_as<double>;
    { const_view.estimated_size() } -> std::same_as<double>;
    { const_view.estimated_fpr_now() } -> std::same_as<double>;
    { const_view.check_payload() } -> std::same_as<result<void>>;
};

inline constexpr std::size_t view_storage_bytes = 256;
inline constexpr std::size_t no_field = SIZE_MAX;

struct kind_ops {
    std::optional<std::uint64_t> (*payload_bytes)(const filter_spec&);
    void (*construct)(void* where, const filter_spec&, std::byte* payload);
    result<void> (*check_payload)(const void* view);
    bool (*insert)(void* view, key_hash);
    std::size_t (*insert_many)(void* view, std::span<const key_hash>);
    bool (*insert_all)(void* view, const hash_batches&, unsigned threads);
    bool (*may_contain)(const void* view, key_hash);
    std::size_t (*may_contain_many)(const void* view, std::span<const key_hash>, std::span<std::uint64_t>);
    double (*fill)(const void* view);
    double (*estimated_size)(const void* view);
    double (*estimated_fpr_now)(const void* view);

    // The same operations, made for filters of this spec; null: these are.
    const kind_ops* (*for_spec)(const filter_spec&) = nullptr;
    // Different 64-byte lines of the payload that the walk of a lookup reads (plan/lookup_costs.hpp).
    std::uint64_t (*lookup_lines)(const void* view, key_hash) = nullptr;
    bool (*erase)(void* view, key_hash) = nullptr;
    std::size_t (*erase_many)(void* view, std::span<const key_hash>) = nullptr;
    bool (*add)(void* view, key_hash, std::uint64_t weight) = nullptr;
    std::uint64_t (*estimate)(const void* view, key_hash) = nullptr;
    std::uint64_t largest_estimate = 0;
    result<void> (*merge)(void* view, const void* other) = nullptr;
    result<void> (*merge_weighted)(void* view, const void* other, std::uint64_t weight) = nullptr;
    void (*intersect)(void* view, const void* other) = nullptr;
    void (*fold_into)(const void* view, void* smaller) = nullptr;
    std::size_t fold_field = no_field;
    // Kinds in which keys that are all at hand choose together, as often as the rounds field says.
    result<rounds_report> (*choose_together)(void* view, std::span<const key_hash>,
                                             const rounds_request&) = nullptr;
    std::optional<std::uint64_t> (*rounds_scratch_bytes)(const filter_spec&, std::uint64_t keys) = nullptr;
    std::size_t rounds_field = no_field;
    bool depends_on_order = false;  // equal keys in another order may give other bits
    bool can_be_full = false;       // an insertion may find no room
    // What only reads (all that any_view calls, `pack` and the joining of filters aside) stays within the payload and ends,
    // whatever the bytes are: an answer may be wrong, no more.
    bool lookups_are_safe_on_any_payload = false;
    // Kinds that carry a value with each key.
    bool (*insert_value)(void* view, key_hash, std::uint64_t value) = nullptr;
    bool (*update_value)(void* view, key_hash, std::uint64_t from, std::uint64_t to) = nullptr;
    bool (*erase_value)(void* view, key_hash, std::uint64_t value) = nullptr;
    void (*values)(const void* view, key_hash, std::vector<std::uint64_t>& found) = nullptr;
    std::uint64_t (*largest_value)(const filter_spec&) = nullptr;
    // Kinds that have a shorter form to be sent: `to` is zeroed, and `unpack` fills an empty filter. The least is that of an
    // empty one.
    std::uint64_t (*least_packed_bytes)(const filter_spec&) = nullptr;
    std::uint64_t (*packed_bytes)(const void* view) = nullptr;
    void (*pack)(const void* view, std::byte* to) = nullptr;
    result<void> (*unpack)(void* view, std::span<const std::byte> from) = nullptr;
    const top_section* (*top)(const void* view) = nullptr;
    top_section* (*mutable_top)(void* view) = nullptr;
};

template <filter_view View>
constexpr kind_ops make_ops() {
    static_assert(sizeof(View) <= view_storage_bytes);
    kind_ops ops{
        .payload_bytes = &View::payload_bytes,
        .construct = [](void* where, const filter_spec& spec,
                        std::byte* payload) { ::new (where) View(spec, payload); },
        .check_payload = [](const void* view) { return static_cast<const View*>(view)->check_payload(); },
        .insert = [](void* view, key_hash hash) { return static_cast<View*>(view)->insert(hash); },
        .insert_many =
            [](void* view, std::span<const key_hash> hashes) {
                return insert_many(*static_cast<View*>(view), hashes);
            },
        .insert_all = [](void* view, const hash_batches& hashes,
                         unsigned threads) { return insert_all(*static_cast<View*>(view), hashes, threads); },
        .may_contain = [](const void* view,
                          key_hash hash) { return static_cast<const View*>(view)->may_contain(hash); },
        .may_contain_many =
            [](const void* view, std::span<const key_hash> hashes, std::span<std::uint64_t> answers) {
                return may_contain_many(*static_cast<const View*>(view), hashes, answers);
            },
        .fill = [](const void* view) { return static_cast<const View*>(view)->fill(); },
        .estimated_size = [](const void* view) { return static_cast<const View*>(view)->estimated_size(); },
        .estimated_fpr_now =
            [](const void* view) { return static_cast<const View*>(view)->estimated_fpr_now(); },
    };
    if constexpr (requires(const View view, key_hash hash) { view.trace_lookup(hash, [](std::uint64_t) {}); })
        ops.lookup_lines = [](const void* view, key_hash hash) {
            std::vector<std::uint64_t> lines;
            static_cast<const View*>(view)->trace_lookup(hash, [&](std::uint64_t offset) {
                const std::uint64_t line = offset / 64;
                if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
            });
            return static_cast<std::uint64_t>(lines.size());
        };
    if constexpr (requires(View view, key_hash hash) { view.erase(hash); }) {
        ops.erase = [](void* view, key_hash hash) { return static_cast<View*>(view)->erase(hash); };
        ops.erase_many = [](void* view, std::span<const key_hash> hashes) {
            return erase_many(*static_cast<View*>(view), hashes);
        };
    }
    if constexpr (requires(View view, key_hash hash) { view.add(hash, 1); })
        ops.add = [](void* view, key_hash hash, std::uint64_t weight) {
            return static_cast<View*>(view)->add(hash, weight);
        };
    if constexpr (requires(const View view, key_hash hash) { view.estimate(hash); }) {
        ops.estimate = [](const void* view, key_hash hash) {
            return static_cast<const View*>(view)->estimate(hash);
        };
        ops.largest_estimate = View::largest_estimate;
    }
    if constexpr (requires(View view, const View& other) {
                      { view.merge(other) } -> std::same_as<void>;
                  })
        ops.merge = [](void* view, const void* other) {
            static_cast<View*>(view)->merge(*static_cast<const View*>(other));
            return result<void>();
        };
    else if constexpr (requires(View view, const View& other) { view.merge(other); })
        ops.merge = [](void* view, const void* other) {
            return static_cast<View*>(view)->merge(*static_cast<const View*>(other));
        };
    if constexpr (requires(View view, const View& other) { view.merge(other, 1); })
        ops.merge_weighted = [](void* view, const void* other, std::uint64_t weight) {
            return static_cast<View*>(view)->merge(*static_cast<const View*>(other), weight);
        };
    if constexpr (requires(View view, const View& other) { view.intersect(other); })
        ops.intersect = [](void* view, const void* other) {
            static_cast<View*>(view)->intersect(*static_cast<const View*>(other));
        };
    if constexpr (requires(const View view, View& smaller) { view.fold_into(smaller); }) {
        ops.fold_into = [](const void* view, void* smaller) {
            static_cast<const View*>(view)->fold_into(*static_cast<View*>(smaller));
        };
        ops.fold_field = View::fold_field;
    }
    if constexpr (requires { View::rounds_field; }) {
        ops.choose_together = [](void* view, std::span<const key_hash> hashes,
                                 const rounds_request& request) {
            return static_cast<View*>(view)->choose_together(hashes, request);
        };
        ops.rounds_scratch_bytes = &View::rounds_scratch_bytes;
        ops.rounds_field = View::rounds_field;
    }
    if constexpr (requires { View::depends_on_order; }) ops.depends_on_order = View::depends_on_order;
    if constexpr (requires { View::can_be_full; }) ops.can_be_full = View::can_be_full;
    if constexpr (requires { View::lookups_are_safe_on_any_payload; })
        ops.lookups_are_safe_on_any_payload = View::lookups_are_safe_on_any_payload;
    if constexpr (requires(View view, key_hash hash) { view.insert_value(hash, 1); }) {
        ops.insert_value = [](void* view, key_hash hash, std::uint64_t value) {
            return static_cast<View*>(view)->insert_value(hash, value);
        };
        ops.update_value = [](void* view, key_hash hash, std::uint64_t from, std::uint64_t to) {
            return static_cast<View*>(view)->update_value(hash, from, to);
        };
        ops.erase_value = [](void* view, key_hash hash, std::uint64_t value) {
            return static_cast<View*>(view)->erase_value(hash, value);
        };
        ops.values = [](const void* view, key_hash hash, std::vector<std::uint64_t>& found) {
            static_cast<const View*>(view)->visit_values(hash, [&](std::uint64_t value) {
                found.push_back(value);
                return true;
            });
        };
        ops.largest_value = &View::largest_value;
    }
    if constexpr (requires(const View view, std::byte* to) { view.pack(to); }) {
        ops.least_packed_bytes = &View::least_packed_bytes;
        ops.packed_bytes = [](const void* view) { return static_cast<const View*>(view)->packed_bytes(); };
        ops.pack = [](const void* view, std::byte* to) { static_cast<const View*>(view)->pack(to); };
        ops.unpack = [](void* view, std::span<const std::byte> from) {
            return static_cast<View*>(view)->unpack(from);
        };
    }
    if constexpr (requires(View view) { view.top(); }) {
        ops.top = [](const void* view) { return &static_cast<const View*>(view)->top(); };
        ops.mutable_top = [](void* view) { return &static_cast<View*>(view)->top(); };
    }
    return ops;
}

}  // namespace membrane
