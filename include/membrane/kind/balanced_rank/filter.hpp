// Growable and erasable balanced_rank filters for keys: header-only, every call inlined. They own their memory, hash keys, and grow by
// themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <membrane/hash/hasher.hpp>
#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/key_batches.hpp>

MEMBRANE_TARGET_BEGIN

template <std::uint64_t Form>
class growing_rank_filter {
    static_assert(has_universe(Form));

public:
    static constexpr bool is_erasable = Form == rank_form::erasable;
    using view_type = number_rank_view<is_erasable>;

    // Room for `keys` keys at first, and a rate of at most `fpr` up to max(keys, grow_to) keys; beyond, the rate rises in proportion.
    static result<growing_rank_filter> create(std::uint64_t keys, double fpr, std::uint64_t grow_to = 0) {
        if (!(fpr > 0 && fpr < 1))
            return make_error(errc::bad_field, "fpr")
                .with_note("a false positive rate lies between 0 and 1, both excluded");
        const std::uint64_t universe =
            universe_of_at_least(static_cast<double>(std::max({keys, grow_to, std::uint64_t{1}})) / fpr);
        if (universe == 0) return make_error(errc::bad_field, "fpr").with_note("keys / fpr is at most 2^56");
        filter_spec spec = number_layout(Form, universe, keys);
        spec.planned_fpr = fpr;
        return create(spec);
    }
    // A random hash key from the operating system unless a hasher is given.
    static result<growing_rank_filter> create(const filter_spec& spec) {
        const auto key = random_hash_key();
        if (!key) return key.error();
        return create(spec, hasher{hash_id::siphash13, *key});
    }
    static result<growing_rank_filter> create(const filter_spec& spec, const hasher& hash) {
        if (spec.kind != kind_id::balanced_rank) return make_error(errc::spec_mismatch, "kind");
        if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
        if (spec[rank_field::form] != Form)
            return make_error(errc::spec_mismatch, "form")
                .with_found(spec[rank_field::form])
                .with_expected(Form);
        auto numbers = rank_growth<view_type>::create(spec);
        if (!numbers) return numbers.error();
        return growing_rank_filter(hash, std::move(*numbers));
    }

    const filter_spec& spec() const noexcept { return numbers_.spec(); }
    const hasher& hash() const noexcept { return hash_; }
    // Insertions less erasures.
    std::uint64_t keys() const noexcept { return keys_; }
    std::uint64_t size_bytes() const noexcept { return numbers_.held_bytes(); }
    const view_type& view() const noexcept { return numbers_.view(); }
    growth_policy& growth() noexcept { return numbers_.policy(); }

    // False only if the filter would have to grow and memory is refused: then nothing changed.
    template <class Key>
    bool insert(const Key& key) noexcept {
        const insertion done = numbers_.insert(hash_(key));
        count(done);
        return done != insertion::refused;
    }
    // True if the key looked absent and is stored now.
    template <class Key>
    bool insert_if_absent(const Key& key) noexcept {
        const key_hash hash = hash_(key);
        if (numbers_.may_contain(hash)) return false;
        const insertion done = numbers_.insert(hash);
        count(done);
        return done == insertion::inserted;
    }
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        const std::size_t stored = numbers_.insert_many(hashes);
        keys_ += stored;
        return stored;
    }
    std::size_t insert_many(std::span<const std::string_view> keys) noexcept {
        return insert_keys(*this, keys);
    }
    std::size_t insert_many(std::span<const std::uint64_t> keys) noexcept { return insert_keys(*this, keys); }
    // As insertion of all of them, by several threads if the filter is empty (0: as many as the machine has).
    result<void> build(const hash_batches& hashes, unsigned threads = 0) {
        if (auto checked = check_empty(keys_, numbers_.buffer().bytes()); !checked) return checked;
        if (!numbers_.build(hashes, thread_count(threads))) return too_many(hashes.size());
        keys_ = hashes.size();
        return {};
    }

    template <class Key>
    bool may_contain(const Key& key) const noexcept {
        return numbers_.may_contain(hash_(key));
    }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        return numbers_.may_contain_many(hashes, answers);
    }
    std::size_t may_contain_many(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const noexcept {
        return may_contain_keys(*this, keys, answers);
    }
    std::size_t may_contain_many(std::span<const std::uint64_t> keys,
                                 std::span<std::uint64_t> answers) const noexcept {
        return may_contain_keys(*this, keys, answers);
    }

    // Only keys that were inserted. False, and nothing changed, if the key is certainly absent.
    template <class Key>
    bool erase(const Key& key) noexcept requires is_erasable {
        const bool erased = numbers_.erase(hash_(key));
        keys_ -= erased && keys_ != 0 ? 1 : 0;
        return erased;
    }
    std::size_t erase_many(std::span<const key_hash> hashes) noexcept requires is_erasable {
        const std::size_t erased = numbers_.erase_many(hashes);
        keys_ -= std::min<std::uint64_t>(erased, keys_);
        return erased;
    }
    template <class Key>
    std::size_t erase_many(std::span<const Key> keys) noexcept requires is_erasable {
        return erase_keys(hash_, keys,
                          [&](std::span<const key_hash> hashes) { return this->erase_many(hashes); });
    }
    // At least the number of times the key was inserted.
    template <class Key>
    std::uint64_t estimate(const Key& key) const noexcept requires is_erasable {
        return numbers_.estimate(hash_(key));
    }

    // ---- other layouts, without the keys. On an error nothing has changed.

    result<void> reserve(std::uint64_t keys) { return numbers_.reserve(keys); }
    result<void> shrink_to_fit() { return numbers_.shrink_to_fit(); }
    // Returns how many bits of the numbers were dropped.
    result<std::uint64_t> lower_rate(double fpr) { return numbers_.lower_rate(fpr); }
    // Equal hash keys, universes that differ by a power of two; of any size.
    result<void> merge(const growing_rank_filter& other) {
        if (hash_.id != other.hash_.id || hash_.key != other.hash_.key)
            return make_error(errc::spec_mismatch, "hash key")
                .with_note("create both filters with the same hasher");
        const std::uint64_t more = other.keys_;
        auto done = numbers_.merge(other.numbers_);
        if (done) keys_ += std::min(more, UINT64_MAX - keys_);
        return done;
    }
    // visit(number, times) in ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        typename rank_growth<view_type>::cursor numbers(numbers_);
        while (const auto each = numbers.next()) visit(each->number, each->times);
    }
    // Step-by-step growth: see growth_policy.
    bool is_growing() const noexcept { return numbers_.is_growing(); }
    bool settle() noexcept { return numbers_.settle(); }

    void clear() noexcept {
        numbers_.clear();
        keys_ = 0;
    }

    double estimated_size() const {
        return numbers_.is_growing() ? static_cast<double>(keys_) : view().estimated_size();
    }
    double estimated_fpr_now() const {
        return static_cast<double>(numbers_.is_growing() ? numbers_.count_numbers().distinct
                                                         : view().distinct_entries()) /
               static_cast<double>(numbers_.universe());
    }
    double fill() const noexcept { return view().fill(); }

private:
    growing_rank_filter(const hasher& hash, rank_growth<view_type> numbers)
        : hash_(hash), numbers_(std::move(numbers)) {}
    void count(insertion done) noexcept { keys_ += done == insertion::refused ? 0 : 1; }

    hasher hash_;
    std::uint64_t keys_ = 0;
    rank_growth<view_type> numbers_;
};

using growable_balanced_rank_filter = growing_rank_filter<rank_form::growable>;
using erasable_balanced_rank_filter = growing_rank_filter<rank_form::erasable>;

MEMBRANE_TARGET_END
