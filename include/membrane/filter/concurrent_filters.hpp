// Header-only filters that many threads use at once (doc/threads.md), with the calls of the others:
//
//   concurrent_balanced_rank_filter(keys, fpr)            grows; grow_to{n} as balanced_rank_filter
//   concurrent_erasable_balanced_rank_filter(keys, fpr)   the same, and keys can be erased and counted
//   concurrent_blocked_bloom_filter(keys, fpr)            does not grow: never full, the rate rises; lookups never wait
//   lock_free_blocked_bloom_filter(keys, fpr)             the same, and insertions never wait either; but several threads may be told that a
//                                                         key was new
//
// snapshot() is a filter of the same kind for one thread, and files are the same. basic_... takes a hash function of the program's own.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <membrane/filter/concurrent_calls.hpp>
#include <membrane/filter/filters.hpp>
#include <membrane/kind/balanced_rank/concurrent/concurrent_rank.hpp>
#include <membrane/kind/blocked_bloom/concurrent_blocks.hpp>

MEMBRANE_TARGET_BEGIN

// Shape, Hash: of the filter for one thread.
template <class Shape, class Engine, class Hash = hasher>
class typed_concurrent_filter
    : public concurrent_calls<typed_concurrent_filter<Shape, Engine, Hash>, Engine, Hash> {
    using calls = concurrent_calls<typed_concurrent_filter, Engine, Hash>;

public:
    using plain_filter = typed_filter<Shape, Hash>;
    static constexpr bool can_erase = Engine::can_erase, can_count = Engine::can_count;

    // As of the filter for one thread: (keys, rate), (keys, bits_per_key), with what else the kind takes before the hash function.
    template <std::integral Keys, class Size>
    requires requires(std::uint64_t keys, Size size) { Shape::spec_for(keys, size); }
    typed_concurrent_filter(Keys keys, Size size, const std::optional<Hash>& hash = {})
        : typed_concurrent_filter(value_or_raise(try_create(keys, size, hash))) {}
    template <std::integral Keys, std::floating_point Rate, class More>
    requires requires(std::uint64_t keys, double fpr, const More& more) { Shape::spec_for(keys, fpr, more); }
    typed_concurrent_filter(Keys keys, Rate fpr, const More& more, const std::optional<Hash>& hash = {})
        : typed_concurrent_filter(value_or_raise(try_create(keys, fpr, more, hash))) {}
    template <std::integral Keys, std::integral Rate>
    typed_concurrent_filter(Keys, Rate) = delete;  // no rate: write 0.01, or bits_per_key{12}
    template <std::floating_point Keys, class Size>
    typed_concurrent_filter(Keys, Size) = delete;  // keys are a whole number: write 1'000'000
    explicit typed_concurrent_filter(const filter_spec& spec, const std::optional<Hash>& hash = {})
        : typed_concurrent_filter(value_or_raise(try_create(spec, hash))) {}

    template <std::integral Keys, class Size>
    requires requires(std::uint64_t keys, Size size) { Shape::spec_for(keys, size); }
    static result<typed_concurrent_filter> try_create(Keys keys, Size size,
                                                      const std::optional<Hash>& hash = {}) {
        if (keys < 0) return calls::negative_keys();
        return of_spec(Shape::spec_for(static_cast<std::uint64_t>(keys), size), hash);
    }
    template <std::integral Keys, std::floating_point Rate, class More>
    requires requires(std::uint64_t keys, double fpr, const More& more) { Shape::spec_for(keys, fpr, more); }
    static result<typed_concurrent_filter> try_create(Keys keys, Rate fpr, const More& more,
                                                      const std::optional<Hash>& hash = {}) {
        if (keys < 0) return calls::negative_keys();
        return of_spec(Shape::spec_for(static_cast<std::uint64_t>(keys), static_cast<double>(fpr), more),
                       hash);
    }
    // Of a policy, `factor` and `max_bytes` are used: growth is always step by step, in blocks of its own.
    static result<typed_concurrent_filter> try_create(const filter_spec& spec,
                                                      const std::optional<Hash>& hash = {},
                                                      const growth_policy& policy = {}) {
        const auto given = hash ? result<Hash>(*hash) : new_hash<Hash>();
        if (!given) return given.error();
        if (auto checked = plain_filter::check(spec); !checked) return checked.error();
        return calls::of_engine(*given, Engine::create(spec, policy));
    }

    // The state at one moment, for one thread: every key whose insertion had ended before the call is in it.
    result<plain_filter> try_snapshot() const {
        auto now = this->engine().copy();
        if (!now) return now.error();
        return plain_filter::of_payload(now->spec, this->hash(), now->keys, now->payload.bytes());
    }
    plain_filter snapshot() const { return value_or_raise(try_snapshot()); }

private:
    friend calls;

    using calls::calls;
    static result<typed_concurrent_filter> of_spec(const result<filter_spec>& spec,
                                                   const std::optional<Hash>& hash) {
        if (!spec) return spec.error();
        return try_create(*spec, hash);
    }
    static result<typed_concurrent_filter> from_file(const payload_file& file) {
        if (auto checked = plain_filter::check(file.spec); !checked) return checked.error();
        const auto hash = plain_filter::hash_of_file(file);
        if (!hash) return hash.error();
        auto payload = aligned_buffer::copy_of(file.payload);
        if (!payload) return payload.error();
        return calls::of_engine(*hash, Engine::of(file.spec, std::move(*payload), {}, file.keys));
    }
};

template <class Hash>
using basic_concurrent_balanced_rank_filter =
    typed_concurrent_filter<shape::growing_rank<balanced_rank_form::growable>,
                            concurrent_rank<balanced_rank_form::growable>, Hash>;
template <class Hash>
using basic_concurrent_erasable_balanced_rank_filter =
    typed_concurrent_filter<shape::growing_rank<balanced_rank_form::erasable>,
                            concurrent_rank<balanced_rank_form::erasable>, Hash>;
template <class Hash>
using basic_concurrent_blocked_bloom_filter = typed_concurrent_filter<
    shape::blocked_bloom, concurrent_blocks<shape::blocked_bloom::store::view_type, block_insertions::exact>,
    Hash>;
template <class Hash>
using basic_lock_free_blocked_bloom_filter = typed_concurrent_filter<
    shape::blocked_bloom,
    concurrent_blocks<shape::blocked_bloom::store::view_type, block_insertions::lock_free>, Hash>;

using concurrent_balanced_rank_filter = basic_concurrent_balanced_rank_filter<hasher>;
using concurrent_erasable_balanced_rank_filter = basic_concurrent_erasable_balanced_rank_filter<hasher>;
using concurrent_blocked_bloom_filter = basic_concurrent_blocked_bloom_filter<hasher>;
using lock_free_blocked_bloom_filter = basic_lock_free_blocked_bloom_filter<hasher>;

MEMBRANE_TARGET_END
