// A filter of any registered kind that owns its memory. Kinds that grow do so by themselves when they are full. Every operation is done
// completely or not at all: a call that returns an error changes no byte. One writer at a time, and no reader during a write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/runtime/any_view.hpp>

namespace membrane {

struct packed_view;

inline constexpr std::uint64_t no_byte_limit = UINT64_MAX;

class any_filter : public any_view {
public:
    // Checks the spec and the size before anything is allocated.
    static result<any_filter> create(const filter_spec& spec, const hasher& hash,
                                     std::uint64_t max_bytes = no_byte_limit);
    static result<any_filter> copy_of(const any_view& view, std::uint64_t max_bytes = no_byte_limit);
    static result<any_filter> open_copy(std::span<const std::byte> file,
                                        std::uint64_t max_bytes = no_byte_limit);

    // Leaves an empty filter of the same spec and hash, whose memory is allocated when it is changed again.
    any_filter(any_filter&& other) noexcept;
    any_filter& operator=(any_filter&& other) noexcept;

    // From the bytes that pack() made, after all checks.
    static result<any_filter> unpack(std::span<const std::byte> packed,
                                     std::uint64_t max_bytes = no_byte_limit);

    // False if the kind has no room: then nothing changed.
    template <class Key>
    [[nodiscard]] bool insert(const Key& key) {
        if (grower_) return insert_growing(hash_of(hash_, key)) != insertion::refused;
        const bool stored = ops_->insert(view_, hash_of(hash_, key));
        if (!stored && revive()) return insert(key);
        count(stored ? 1 : 0);
        return stored;
    }
    // Whether the key looked absent and is now stored.
    template <class Key>
    result<bool> try_insert_if_absent(const Key& key) {
        const key_hash hash = hash_of(hash_, key);
        if (ops_->may_contain(view_, hash)) return false;
        if (!insert(hash)) return refusal();
        return true;
    }
    // The error for a refused key: how many keys the filter holds, for how many it was planned.
    error refusal() const noexcept;
    // How many were stored before the first refusal.
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        if (grower_) return insert_many_growing(hashes);
        const std::size_t stored = ops_->insert_many(view_, hashes);
        if (stored == 0 && revive()) return insert_many(hashes);
        count(stored);
        return stored;
    }
    template <key_range Keys>
    std::size_t insert_many(const Keys& keys) {
        return change_in_pieces(hash_, keys,
                                [this](std::span<const key_hash> hashes) { return insert_many(hashes); });
    }

    // Inserts all keys into an empty filter: faster than one by one, with several threads (0: as many as the machine has)
    // and at most one more copy of the hashes. The bytes are those of insertion in this order. `full`: the keys do not fit,
    // and the filter is empty. `bad_field`: the filter was not empty, and is unchanged: clear() it. A filter that counts no
    // keys may hold bytes nevertheless: a file may state no keys, and saturated counters stay when their keys are erased.
    // Therefore the payload is compared with zeros, unless the filter was created or cleared and never erased from.
    result<void> build(const hash_batches& hashes, unsigned threads = 0);

    // Only for keys that were inserted. The value is false if the key was certainly absent.
    template <class Key>
    result<bool> erase(const Key& key) {
        if (!can(&kind_ops::erases)) return unsupported("erase");
        const key_hash hash = hash_of(hash_, key);
        const bool erased = grower_ ? erase_growing(hash) : ops_->erases->erase(view_, hash);
        uncount(erased ? 1 : 0);
        return erased;
    }

    // Erases each once; returns how many were there.
    result<std::size_t> erase_many(std::span<const key_hash> hashes) {
        if (!can(&kind_ops::erases)) return unsupported("erase_many");
        return erase_hashes(hashes);
    }
    template <key_range Keys>
    result<std::size_t> erase_many(const Keys& keys) {
        if (!can(&kind_ops::erases)) return unsupported("erase_many");
        std::size_t erased = 0;
        for_hash_pieces(hash_, keys, [&](std::span<const key_hash> hashes) {
            erased += erase_hashes(hashes);
            return true;
        });
        return erased;
    }

    // Counts a key `weight` times; counting kinds only. counter_overflow if a counter cannot hold it.
    template <class Key>
    result<void> add(const Key& key, std::uint64_t weight) {
        if (!can(&kind_ops::sketches)) return unsupported("add");
        if (keys_ > UINT64_MAX - weight || !ops_->sketches->add(view_, hash_of(hash_, key), weight))
            return make_error(errc::counter_overflow, "weight").with_found(weight);
        keys_ += weight;
        zero_keys_mean_zero_bytes_ = false;  // a weight of 0
        return {};
    }
    // Kinds that carry values only. `full` if there is no room; false, and nothing changed, if the key does not have the
    // value `from`.
    template <class Key>
    result<void> insert_value(const Key& key, std::uint64_t value) {
        if (auto checked = check_value("insert_value", value); !checked) return checked;
        if (!ops_->values->insert(view_, hash_of(hash_, key), value))
            return make_error(errc::full, "insert_value");
        count(1);
        return {};
    }
    template <class Key>
    result<bool> update_value(const Key& key, std::uint64_t from, std::uint64_t to) {
        if (auto checked = check_value("update_value", to); !checked) return checked.error();
        return ops_->values->update(view_, hash_of(hash_, key), from, to);
    }
    template <class Key>
    result<bool> erase_value(const Key& key, std::uint64_t value) {
        if (auto checked = check_value("erase_value", 0); !checked) return checked.error();
        const bool erased = ops_->values->erase(view_, hash_of(hash_, key), value);
        uncount(erased ? 1 : 0);
        return erased;
    }

    void set_labels(file_labels labels) noexcept { labels_ = std::move(labels); }
    void set_top(std::span<const counted_key> sorted) noexcept;

    // Afterwards every key of either filter may be contained. Equal hash keys, and equal specs; kinds that grow take filters of any size
    // and of universes that differ by a power of two, and the smaller universe stays.
    result<void> merge(const any_view& other);
    // The same with several filters; of kinds that grow, all numbers are read twice and written once. After an error, filters of other
    // kinds may have been merged in.
    result<void> merge(std::span<const any_view* const> others);
    // As if each key of the other had been counted `weight` times as often; sketches of counters only.
    result<void> merge_weighted(const any_view& other, std::uint64_t weight);
    // Afterwards every key that was in both may be contained.
    result<void> intersect(const any_view& other);
    void clear() noexcept;

    // Offline construction: all keys are placed jointly, which takes longer than insertion and gives a lower false positive
    // rate; kinds with `rounds` only. Fresh: the filter then holds these keys and no others. Present: more rounds for the
    // keys that it holds, all of which must be given, each once. The spec then records the rounds. Both types are in
    // kind/choice_bloom/rounds_request.hpp.
    result<rounds_report> choose_together(std::span<const key_hash> hashes, const rounds_request& request);

    // Halves the filter `times` times without access to its keys: no false negatives, the false positive rate of a smaller
    // filter.
    result<void> fold(std::uint64_t times);
    // The smallest filter whose rate for the present keys stays at or below `fpr`: folds, or drops bits of numbers, so many times as is
    // returned. Kinds that fold or grow.
    result<std::uint64_t> lower_rate(double fpr);

    // ---- kinds that grow; not_supported for the others

    // Growth is at once by default. max_bytes = 0: never; the filter is then full at some time.
    growth_policy growth() const noexcept {
        return grower_ ? grower_->policy() : growth_policy{.max_bytes = 0};
    }
    result<void> set_growth(const growth_policy& policy) noexcept;
    // Room for so many keys in all without growth.
    result<void> reserve(std::uint64_t keys);
    // The layout for the keys that are there.
    result<void> shrink_to_fit();
    // How many lines growth has written so far; up to so many more of a growth that is under way (any_view::is_growing), true if none is
    // left; and its end.
    std::uint64_t lines_moved() const noexcept { return grower_ ? grower_->lines_moved() : 0; }
    bool advance_growth(std::uint64_t lines) noexcept;
    result<void> settle();

private:
    insertion insert_growing(const key_hash& hash) noexcept;
    std::size_t insert_many_growing(std::span<const key_hash> hashes) noexcept;
    bool erase_growing(const key_hash& hash) noexcept;
    std::size_t erase_many_growing(std::span<const key_hash> hashes) noexcept;
    result<void> merge_numbers(std::span<const any_view* const> others);
    // After a call of the grower: the memory, the spec or the operations may be others.
    void follow_grower() noexcept {
        if (grower_->layouts() != layouts_seen_) bind_grower();
    }
    void bind_grower() noexcept;
    friend result<any_filter> filter_of_numbers(const any_view& like, const filter_spec& layout,
                                                std::uint64_t keys, number_source_maker numbers,
                                                std::uint64_t max_bytes);

    std::size_t erase_hashes(std::span<const key_hash> hashes) noexcept {
        if (grower_) return erase_many_growing(hashes);
        const std::size_t erased = ops_->erases->erase_many(view_, hashes);
        uncount(erased);
        return erased;
    }
    friend class any_view;  // pack() needs the filter that unpacking makes
    any_filter() = default;
    // After a move: takes memory again. False if there was no move, or memory is refused.
    bool revive() noexcept;
    template <class Group>
    bool can(const Group* const kind_ops::*group) noexcept {
        return ops_->*group != nullptr || (revive() && ops_->*group != nullptr);
    }
    result<void> check_value(std::string_view operation, std::uint64_t value) {
        if (!can(&kind_ops::values)) return unsupported(operation);
        const std::uint64_t most = ops_->values->largest(spec_);
        if (value > most) return make_error(errc::bad_field, "value").with_found(value).with_range(0, most);
        return {};
    }
    static result<any_filter> allocate(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                                       std::uint64_t max_bytes);
    static result<any_filter> unpacked(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                                       std::uint64_t keys, std::span<const std::byte> packed,
                                       std::uint64_t max_bytes);
    // Saturates: a count that wrapped to 0 would claim an empty filter.
    void count(std::uint64_t more) noexcept { keys_ += std::min(more, UINT64_MAX - keys_); }
    void uncount(std::uint64_t fewer) noexcept {
        keys_ -= std::min(fewer, keys_);
        zero_keys_mean_zero_bytes_ = false;  // saturated counters stay
    }
    static result<any_filter> checked_unpacked(result<any_filter> made, const packed_view& packed);
    template <class Join>
    result<void> join(const any_view& other, std::uint64_t more_keys, const Join& join_views);
    result<void> adopt(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                       std::uint64_t keys, aligned_buffer buffer);

    aligned_buffer buffer_;           // of kinds that do not grow
    std::unique_ptr<grower> grower_;  // of the others; it has the memory
    std::uint64_t layouts_seen_ = 0;
    // True from create() or clear() until a call that may leave bytes behind while keys_ is 0. Insertion leaves it alone: it
    // raises keys_. So build() need not read a new filter, which would touch every page of it.
    bool zero_keys_mean_zero_bytes_ = false;
};

// A filter with the hash of `like` and these numbers, which come in ascending order and are those of a filter of layout's universe.
result<any_filter> filter_of_numbers(const any_view& like, const filter_spec& layout, std::uint64_t keys,
                                     number_source_maker numbers, std::uint64_t max_bytes);

// spec_mismatch unless hash function and hash key are equal.
result<void> check_same_hash(const any_view& a, const any_view& b);
// spec_mismatch with the field in which two filters differ, so that they cannot be merged.
result<void> check_alike(const any_view& a, const any_view& b);
// As check_alike, for filters of numbers: equal kinds, hashes, and universes that differ by a power of two.
result<void> check_same_numbers(const any_view& a, const any_view& b);
// As check_same_numbers; and an erasable filter takes no growable one: that has the number of two keys once, and the erasure of one
// key would erase the other.
result<void> check_mergeable_numbers(const any_view& a, const any_view& b);

}  // namespace membrane
