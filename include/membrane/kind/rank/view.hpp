// rank: fingerprints in rank-indexed buckets (kind/rank/bucket.hpp) with extensions for full buckets, in three modes.
//
//   set       a multiset of fingerprints: each insertion of a key is an entry of its own, so erasing needs no counters
//   counting  a counter in each entry, which stores count - 1; when it is full, a second entry is added
//   map       a value in each entry. Keys can share a fingerprint, so a lookup returns one or several values, the key's own
//             among them; values are updated and erased by naming the present value
//
// An insertion is refused, and no byte changes, if the extensions are used up. A planned filter holds its planned number of keys
// except with probability 1e-10.
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing"; separate entries instead of counters, and values, are our own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/target.hpp>
#include <membrane/kind/rank/check.hpp>
#include <membrane/kind/rank/store.hpp>
#include <membrane/kind/rank/transfer.hpp>

MEMBRANE_TARGET_BEGIN

class rank_set_view : public rank_store {
public:
    using rank_store::rank_store;

    bool insert(key_hash hash) noexcept { return insert_entry(entry_of(hash), 0); }

    // Only for keys that were inserted: erasing a false positive can cause a false negative for another key.
    bool erase(key_hash hash) noexcept {
        const rank_entry gone = entry_of(hash);
        const auto found = first_equal(gone);
        if (found) erase_entry(gone, *found);
        return found.has_value();
    }

    // The number of entries equal to the key's: at least the number of times it was inserted.
    std::uint64_t estimate(key_hash hash) const noexcept {
        std::uint64_t times = 0;
        visit_equal(entry_of(hash), [&](std::uint64_t, std::uint64_t) {
            ++times;
            return true;
        });
        return times;
    }
    static constexpr std::uint64_t largest_estimate = UINT64_MAX;

    double estimated_size() const noexcept { return static_cast<double>(entries()); }
    result<void> merge(const rank_set_view& other) {
        return take_all(
            other, [&](const rank_entry& entry, std::uint64_t value) { return insert_entry(entry, value); });
    }
    result<void> check_payload() const { return rank_store_check(*this).run(); }

protected:
    std::optional<std::uint64_t> first_equal(const rank_entry& asked) const noexcept {
        std::optional<std::uint64_t> found;
        visit_equal(asked, [&](std::uint64_t at, std::uint64_t) {
            found = at;
            return false;
        });
        return found;
    }
};

class rank_counting_view : public rank_store {
public:
    using rank_store::rank_store;

    bool insert(key_hash hash) noexcept { return count_entry(entry_of(hash)); }

    // Only for keys that were inserted, see rank_set_view::erase.
    bool erase(key_hash hash) noexcept {
        const rank_entry gone = entry_of(hash);
        const auto found = least_counted(gone);
        if (!found) return false;
        if (found->value == 0) erase_entry(gone, found->cell);
        else set_value(gone, found->cell, found->value - 1);
        return true;
    }

    // At least the number of times the key was inserted.
    std::uint64_t estimate(key_hash hash) const noexcept {
        std::uint64_t times = 0;
        visit_equal(entry_of(hash), [&](std::uint64_t, std::uint64_t cell) {
            times = saturating_sum(times, shape_.value_of(cell) + 1);
            return true;
        });
        return times;
    }
    static constexpr std::uint64_t largest_estimate = UINT64_MAX;

    double estimated_size() const noexcept {
        double times = 0;
        for_each([&](const rank_entry&, std::uint64_t value) { times += static_cast<double>(value) + 1; });
        return times;
    }
    result<void> merge(const rank_counting_view& other) {
        return take_all(
            other, [&](const rank_entry& entry, std::uint64_t value) { return add_times(entry, value); });
    }
    result<void> check_payload() const { return rank_store_check(*this).run(); }

private:
    struct counted {
        std::uint64_t cell, value;
    };
    std::uint64_t most() const noexcept { return low_bits(shape_.value_bits); }

    // At most one of the entries with a fingerprint has a counter that is not full: the one to change.
    std::optional<counted> least_counted(const rank_entry& asked) const noexcept {
        std::optional<counted> least;
        visit_equal(asked, [&](std::uint64_t at, std::uint64_t cell) {
            const std::uint64_t value = shape_.value_of(cell);
            if (!least || value < least->value) least = counted{at, value};
            return value == most();
        });
        return least;
    }
    bool count_entry(const rank_entry& added) noexcept {
        const auto found = least_counted(added);
        if (!found || found->value == most()) return insert_entry(added, 0);
        set_value(added, found->cell, found->value + 1);
        return true;
    }
    // Adds value + 1 insertions. If it is refused, part of them may be counted: the caller restores the payload.
    bool add_times(const rank_entry& added, std::uint64_t value) noexcept {
        const auto found = least_counted(added);
        if (!found || found->value == most()) return insert_entry(added, value);
        const std::uint64_t room = most() - found->value;
        set_value(added, found->cell, found->value + std::min(room, value + 1));
        return value < room || insert_entry(added, value - room);
    }
};

class rank_map_view : public rank_set_view {
public:
    using rank_set_view::rank_set_view;

    static constexpr std::uint64_t largest_value(const filter_spec& spec) {
        return low_bits(spec[rank_field::value_bits]);
    }

    // Adds an entry for this key. False if the value does not fit into value_bits or there is no room.
    bool insert_value(key_hash hash, std::uint64_t value) noexcept {
        return value <= low_bits(shape_.value_bits) && insert_entry(entry_of(hash), value);
    }
    // Changes one entry of this key from value `from` to `to`. False, and nothing changed, if there is none.
    bool update_value(key_hash hash, std::uint64_t from, std::uint64_t to) noexcept {
        const rank_entry changed = entry_of(hash);
        const auto found = equal_with(changed, from);
        if (!found || to > low_bits(shape_.value_bits)) return false;
        set_value(changed, *found, to);
        return true;
    }
    bool erase_value(key_hash hash, std::uint64_t value) noexcept {
        const rank_entry gone = entry_of(hash);
        const auto found = equal_with(gone, value);
        if (found) erase_entry(gone, *found);
        return found.has_value();
    }
    // All values the key may have: those of its entries and of other keys with the same fingerprint. visit(value) returns
    // whether to continue.
    template <class Visit>
    void visit_values(key_hash hash, Visit&& visit) const {
        visit_equal(entry_of(hash),
                    [&](std::uint64_t, std::uint64_t cell) { return visit(shape_.value_of(cell)); });
    }

private:
    std::optional<std::uint64_t> equal_with(const rank_entry& asked, std::uint64_t value) const noexcept {
        std::optional<std::uint64_t> found;
        visit_equal(asked, [&](std::uint64_t at, std::uint64_t cell) {
            if (shape_.value_of(cell) == value) found = at;
            return !found;
        });
        return found;
    }
};

struct rank_family {
    using types = std::tuple<rank_set_view, rank_counting_view, rank_map_view>;
    static std::size_t variant_of(const filter_spec& spec) { return spec[rank_field::mode]; }

    static constexpr kind_id id = kind_id::rank;
    static constexpr std::string_view name = "rank";
    static constexpr std::string_view meaning =
        "fingerprints in rank-indexed buckets with extensions: keys can be erased, counted, or carry a value";
    static constexpr std::span<const field_rule> fields = rank_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_rank_spec(spec); }
};

MEMBRANE_TARGET_END
