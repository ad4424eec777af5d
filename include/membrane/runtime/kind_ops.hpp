// The operations of a filter whose kind is known only at run time, as constant tables of functions: a few that every kind has, and
// small groups that a kind has or not. src/runtime/make_ops.hpp generates them from a view type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/hash/hash_batches.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

class aligned_buffer;
class concurrent_engine;
class grower;
class number_source;
class top_section;
struct growth_policy;
struct rounds_report;
struct rounds_request;
struct kind_ops;

inline constexpr std::size_t view_storage_bytes = 320;

// Keys can be taken out again.
struct erase_ops {
    bool (*erase)(void* view, key_hash);
    std::size_t (*erase_many)(void* view, std::span<const key_hash>);
};

// The filter tells how often a key was inserted, never too few times.
struct count_ops {
    std::uint64_t (*estimate)(const void* view, key_hash);
    std::uint64_t largest_estimate;
};

// The filter counts weights and may remember its most counted keys.
struct sketch_ops {
    bool (*add)(void* view, key_hash, std::uint64_t weight);
    result<void> (*merge_weighted)(void* view, const void* other, std::uint64_t weight);
    const top_section* (*top)(const void* view);
    top_section* (*mutable_top)(void* view);
};

// Two filters of one spec become one. `intersect` may be null.
struct merge_ops {
    result<void> (*merge)(void* view, const void* other);
    void (*intersect)(void* view, const void* other);
};

// The filter can be halved without its keys: `smaller` has the same spec but for a larger `field`.
struct fold_ops {
    void (*fold_into)(const void* view, void* smaller);
    std::size_t field;
};

// Offline construction: all keys are placed jointly, in as many rounds as `field` says.
struct offline_ops {
    result<rounds_report> (*place_jointly)(void* view, std::span<const key_hash>, const rounds_request&);
    std::optional<std::uint64_t> (*scratch_bytes)(const filter_spec&, std::uint64_t keys);
    std::size_t field;
};

// Every key carries a value.
struct value_ops {
    bool (*insert)(void* view, key_hash, std::uint64_t value);
    bool (*update)(void* view, key_hash, std::uint64_t from, std::uint64_t to);
    bool (*erase)(void* view, key_hash, std::uint64_t value);
    void (*find)(const void* view, key_hash, std::vector<std::uint64_t>& found);
    std::uint64_t (*largest)(const filter_spec&);
};

// The filter has a shorter form for the wire. `to` is zeroed; `unpack` fills an empty filter. least_bytes: of an empty filter.
struct pack_ops {
    std::uint64_t (*least_bytes)(const filter_spec&);
    std::uint64_t (*bytes)(const void* view);
    void (*pack)(const void* view, std::byte* to);
    result<void> (*unpack)(void* view, std::span<const std::byte> from);
};

// The filter stands for a set or multiset of numbers below a universe, and any layout can be made from them. make and numbers may throw
// std::bad_alloc.
struct grow_ops {
    // Takes a payload of this spec that has been checked.
    std::unique_ptr<grower> (*make)(const filter_spec&, aligned_buffer payload);
    std::unique_ptr<number_source> (*numbers)(const void* view);
    // A spec like this one for another universe and another number of keys.
    filter_spec (*layout_for)(const filter_spec& like, std::uint64_t universe, std::uint64_t keys);
    std::uint64_t (*universe)(const filter_spec&);
    bool is_multiset;
    std::size_t field;  // of the spec: the form, which tells sets and multisets apart
    // The operations while the filter grows: its view is then a `const grower*`.
    const kind_ops& (*while_growing)();
};

// Many threads can use the filter at once.
struct concurrent_ops {
    // Takes a payload of this spec that has been checked.
    result<std::unique_ptr<concurrent_engine>> (*make)(const filter_spec&, aligned_buffer payload,
                                                       const growth_policy&, std::uint64_t keys);
};

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
    // Different 64-byte lines of the payload that a lookup reads (plan/lookup_costs.hpp); null if the kind has no trace.
    std::uint64_t (*lookup_lines)(const void* view, key_hash) = nullptr;

    bool depends_on_order = false;  // equal keys in another order may give other bits
    bool can_be_full = false;       // an insertion may be refused for want of room
    // Lookups are memory-safe on unvalidated payloads: an answer may be wrong, no more. So are all other calls of any_view but pack.
    bool lookups_are_safe_on_any_payload = false;

    // Null: the kind does not have the group.
    const erase_ops* erases = nullptr;
    const count_ops* counts = nullptr;
    const sketch_ops* sketches = nullptr;
    const merge_ops* merges = nullptr;
    const fold_ops* folds = nullptr;
    const offline_ops* offline = nullptr;
    const value_ops* values = nullptr;
    const pack_ops* packs = nullptr;
    const grow_ops* grows = nullptr;
    const concurrent_ops* concurrent = nullptr;
};

}  // namespace membrane
