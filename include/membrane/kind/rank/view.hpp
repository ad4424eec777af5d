// rank: fingerprints in chains that are found by counting bits (rank-indexed hashing), with extensions for full buckets.
//
//   set       a multiset of fingerprints: equal keys are separate entries, erased without counters
//   counting  a counter with each entry (times - 1); an entry whose counter is full has a further one beside it
//   map       a value with each entry: several keys may share a fingerprint, so that a key has one value or more, and
//             its own is among them; values are changed and erased by naming the present one
//
// Insertions are refused, and no byte changes, where the extensions are used up; a planned filter holds the keys that it
// was planned for but for a chance of 1e-10.
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing"; entries instead of counters, and values, are our own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <membrane/base/target.hpp>
#include <membrane/kind/rank/check.hpp>
#include <membrane/kind/rank/store.hpp>
#include <membrane/kind/rank/transfer.hpp>

MEMBRANE_TARGET_BEGIN

class rank_set_view : public rank_store {
public:
    using rank_store::rank_store;

    bool insert(key_hash hash) noexcept { return insert_entry(entry_of(hash), 0); }

    // Only for keys that were inserted: erasing another key that the filter takes for present harms a third.
    bool erase(key_hash hash) noexcept {
        const rank_entry gone = entry_of(hash);
        const auto found = first_equal(gone);
        if (found) erase_entry(gone, *found);
        return found.has_value();
    }

    // How many entries equal the key's: at least as often as it was inserted.
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

    // Only for keys that were inserted, as in mode set.
    bool erase(key_hash hash) noexcept {
        const rank_entry gone = entry_of(hash);
        const auto found = least_counted(gone);
        if (!found) return false;
        if (found->value == 0) erase_entry(gone, found->cell);
        else set_value(gone, found->cell, found->value - 1);
        return true;
    }

    // Never below the number of times that the key was inserted.
    std::uint64_t estimate(key_hash hash) const noexcept {
        std::uint64_t times = 0;
        visit_equal(entry_of(hash), [&](std::uint64_t, std::uint64_t cell) {
            times += shape_.value_of(cell) + 1;
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

    // Of the entries of a fingerprint at most one has a counter that is not full: it is the one that changes.
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
    // value + 1 times; the caller undoes a refusal.
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
        return low_bits(spec[rank_store_field::value_bits]);
    }

    // Another entry of this key. The value fits into value_bits.
    bool insert_value(key_hash hash, std::uint64_t value) noexcept {
        return value <= low_bits(shape_.value_bits) && insert_entry(entry_of(hash), value);
    }
    // One entry of this key that has the value `from`; false, and nothing changed, if there is none.
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
    // Every value that the key may have: those of its entries, and of strangers with its fingerprint. visit(value) until
    // it answers false.
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
    static std::size_t variant_of(const filter_spec& spec) { return spec[rank_store_field::mode]; }

    static constexpr kind_id id = kind_id::rank;
    static constexpr std::string_view name = "rank";
    static constexpr std::string_view meaning =
        "fingerprints in rank-indexed buckets with extensions: keys can be erased, counted, or carry a value";
    static constexpr std::span<const field_rule> fields = rank_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_rank_spec(spec); }
};

MEMBRANE_TARGET_END
