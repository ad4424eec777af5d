// The calls that take keys, the same for every filter: header-only ones of each kind, filters chosen at run time, mapped files. A filter
// inherits them and brings the same calls over hashes, named ..._hash and ..._hashes.
//
// A call that can be refused throws filter_error; its form whose name begins with try_ returns the error instead. A refused call has
// changed nothing, but for one of many keys: those before the first refused key are stored, and the error's `found` says how many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <membrane/base/comparison.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/base/raise.hpp>
#include <membrane/hash/key.hpp>
#include <membrane/part/key_batches.hpp>

namespace membrane {

template <class Answers>
concept answer_range = array_of<Answers, std::uint64_t> ||
    (std::ranges::random_access_range<Answers>&& std::ranges::sized_range<Answers>&&
         std::same_as<std::ranges::range_value_t<Answers>, bool>);

// Two iterators as a range.
template <class Iterator, class Sentinel>
struct key_span {
    Iterator first;
    Sentinel last;
    Iterator begin() const { return first; }
    Sentinel end() const { return last; }
};

// What a filter can do. The second parameter is that of the call: the filter is not complete before.
template <class Filter, class>
concept erasing = Filter::can_erase;
template <class Filter, class>
concept counting = Filter::can_count;
template <class Filter, class>
concept weighing = Filter::has_weights;
template <class Filter, class>
concept mapping = Filter::has_values;
template <class Filter, class>
concept growing = requires(Filter& filter) {
    filter.try_reserve(1);
};
template <class Filter, class>
concept resizing = requires(Filter& filter) {
    filter.try_shrink_to_fit();
    filter.try_lower_rate(0.01);
};
template <class Filter, class Other>
concept merging = requires(Filter& filter, const Other& other) {
    filter.try_merge(other);
};
template <class Filter, class Other>
concept intersecting = requires(Filter& filter, const Other& other) {
    filter.try_intersect(other);
};
template <class Filter, class Other>
concept comparing = requires(const Filter& filter, const Other& other) {
    filter.try_compare(other);
    filter.try_diff(other);
};
template <class Filter, class>
concept packing = requires(const Filter& filter) {
    filter.try_pack();
};

template <class Filter>
class key_lookups {
public:
    // False: the key is certainly not in the filter. True: it is, or this is one of the planned false positives.
    template <class Key>
    bool may_contain(const Key& key) const {
        return self().contains_hash(hash_of(self().hash(), key));
    }

    // Answer i is that of key i. Returns how many keys may be contained. `answers` is an array or a vector of as many bool, or an array of
    // words of 64 answers each, the first in the lowest bit; both may be longer.
    template <std::ranges::forward_range Keys, answer_range Answers>
    std::size_t may_contain_many(Keys&& keys, Answers&& answers) const {
        return value_or_raise(try_may_contain_many(keys, answers));
    }
    template <std::ranges::forward_range Keys, answer_range Answers>
    result<std::size_t> try_may_contain_many(Keys&& keys, Answers&& answers) const {
        constexpr bool are_words = array_of<Answers, std::uint64_t>;
        std::size_t asked = 0;
        if constexpr (std::ranges::sized_range<Keys>) asked = std::ranges::size(keys);
        else
            for ([[maybe_unused]] const auto& key : keys) ++asked;
        const std::size_t needed = are_words ? bitmap_words(asked) : asked;
        if (std::ranges::size(answers) < needed)
            return make_error(errc::bad_field, are_words ? "words of answers" : "answers")
                .with_found(std::ranges::size(answers))
                .with_range(needed, UINT64_MAX);
        const auto look_up = [this](std::span<const key_hash> hashes, std::span<std::uint64_t> words) {
            return self().contains_hashes(hashes, words);
        };
        if constexpr (are_words)
            return look_up_in_pieces(self().hash(), keys, std::span<std::uint64_t>(answers), look_up);
        std::size_t present = 0;
        auto answer = std::ranges::begin(answers);
        for_hash_pieces(self().hash(), keys, [&](std::span<const key_hash> all) {
            for (std::size_t at = 0; at < all.size(); at += hash_piece) {
                const auto hashes = all.subspan(at, std::min(hash_piece, all.size() - at));
                std::uint64_t words[bitmap_words(hash_piece)];
                present += look_up(hashes, words);
                for (std::size_t i = 0; i < hashes.size(); ++i)
                    *answer++ = (words[i / 64] >> (i % 64) & 1) != 0;
            }
            return true;
        });
        return present;
    }

    // At least the number of times that the key was inserted and not erased.
    template <class Key>
    std::uint64_t count(const Key& key) const requires counting<Filter, Key> {
        return value_or_raise(self().count_hash(hash_of(self().hash(), key)));
    }
    template <class Key>
    result<std::uint64_t> try_count(const Key& key) const requires counting<Filter, Key> {
        return self().count_hash(hash_of(self().hash(), key));
    }

    template <class Key, class = std::enable_if_t<!counting<Filter, Key>>>
    void count(const Key&) const = delete;  // this kind cannot: take an erasable filter, or a counting one

    // Maps: the values of the key, possibly among values of other keys (false positives); may be empty if it was never inserted.
    template <class Key>
    std::vector<std::uint64_t> values(const Key& key) const requires mapping<Filter, Key> {
        return value_or_raise(self().values_of_hash(hash_of(self().hash(), key)));
    }
    template <class Key>
    result<std::vector<std::uint64_t>> try_values(const Key& key) const requires mapping<Filter, Key> {
        return self().values_of_hash(hash_of(self().hash(), key));
    }

private:
    const Filter& self() const noexcept { return static_cast<const Filter&>(*this); }
};

template <class Filter>
class key_calls : public key_lookups<Filter> {
public:
    template <class Key>
    void insert(const Key& key) {
        if (self().insert_hash(hash_of(self().hash(), key)) == insertion::refused)
            raise<Key>(self().refusal());
    }
    template <class Key>
    void insert(std::initializer_list<Key>) = delete;  // use insert_many, or std::pair and std::tuple
    template <class Key>
    [[nodiscard]] result<void> try_insert(const Key& key) {
        if (self().insert_hash(hash_of(self().hash(), key)) == insertion::refused) return self().refusal();
        return {};
    }

    // All keys of a range: insert(first, last), insert_many(range), insert_many({key, key}).
    template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
    void insert(Iterator first, Sentinel last) {
        insert_many(key_span<Iterator, Sentinel>{std::move(first), std::move(last)});
    }
    template <key_range Keys>
    void insert_many(Keys&& keys) {
        if (const auto done = try_insert_many(keys); !done) raise<Keys>(done.error());
    }
    template <class Key>
    void insert_many(std::initializer_list<Key> keys) {
        insert_many(std::span<const Key>(keys.begin(), keys.size()));
    }
    template <key_range Keys>
    [[nodiscard]] result<void> try_insert_many(Keys&& keys) {
        bool is_refused = false;
        const std::size_t stored =
            change_in_pieces(self().hash(), keys, [&](std::span<const key_hash> hashes) {
                const std::size_t now = self().insert_hashes(hashes);
                is_refused = now != hashes.size();
                return now;
            });
        if (is_refused) return refusal_after(stored);
        return {};
    }

    // True exactly if the key looked absent and is now stored.
    template <class Key>
    [[nodiscard]] bool insert_if_absent(const Key& key) {
        const auto outcome = insert_absent(key);
        if (outcome == insertion::refused) raise<Key>(self().refusal());
        return outcome == insertion::inserted;
    }
    template <class Key>
    [[nodiscard]] result<bool> try_insert_if_absent(const Key& key) {
        const auto outcome = insert_absent(key);
        if (outcome == insertion::refused) return self().refusal();
        return outcome == insertion::inserted;
    }

    // Only keys that were inserted. False, and nothing changed, if the key is certainly absent.
    template <class Key>
    bool erase(const Key& key) requires erasing<Filter, Key> {
        return value_or_raise(self().erase_hash(hash_of(self().hash(), key)));
    }
    template <class Key>
    [[nodiscard]] result<bool> try_erase(const Key& key) requires erasing<Filter, Key> {
        return self().erase_hash(hash_of(self().hash(), key));
    }
    template <class Key, class = std::enable_if_t<!erasing<Filter, Key>>>
    void erase(const Key&) = delete;  // this kind cannot: take an erasable filter, or a counting one
    // Each once; returns how many were there.
    template <key_range Keys>
    std::size_t erase_many(Keys&& keys) requires erasing<Filter, Keys> {
        return value_or_raise(try_erase_many(keys));
    }
    template <key_range Keys>
    [[nodiscard]] result<std::size_t> try_erase_many(Keys&& keys) requires erasing<Filter, Keys> {
        result<std::size_t> erased = std::size_t{0};
        for_hash_pieces(self().hash(), keys, [&](std::span<const key_hash> hashes) {
            const result<std::size_t> now = self().erase_hashes(hashes);
            if (now) *erased += *now;
            else erased = now.error();
            return now.has_value();
        });
        return erased;
    }

    // Counters: counts the key `weight` times.
    template <class Key>
    void add(const Key& key, std::uint64_t weight) requires weighing<Filter, Key> {
        if (const auto done = try_add(key, weight); !done) raise<Key>(done.error());
    }
    template <class Key>
    [[nodiscard]] result<void> try_add(const Key& key, std::uint64_t weight) requires weighing<Filter, Key> {
        return self().add_hash(hash_of(self().hash(), key), weight);
    }

    // Maps: another entry of the key; one entry that has the value `from`; false, and nothing changed, if there is none.
    template <class Key>
    void insert_value(const Key& key, std::uint64_t value) requires mapping<Filter, Key> {
        if (const auto done = try_insert_value(key, value); !done) raise<Key>(done.error());
    }
    template <class Key>
    [[nodiscard]] result<void> try_insert_value(const Key& key,
                                                std::uint64_t value) requires mapping<Filter, Key> {
        return self().insert_value_of_hash(hash_of(self().hash(), key), value);
    }
    template <class Key>
    bool update_value(const Key& key, std::uint64_t from, std::uint64_t to) requires mapping<Filter, Key> {
        return value_or_raise(try_update_value(key, from, to));
    }
    template <class Key>
    [[nodiscard]] result<bool> try_update_value(const Key& key, std::uint64_t from,
                                                std::uint64_t to) requires mapping<Filter, Key> {
        return self().update_value_of_hash(hash_of(self().hash(), key), from, to);
    }
    template <class Key>
    bool erase_value(const Key& key, std::uint64_t value) requires mapping<Filter, Key> {
        return value_or_raise(try_erase_value(key, value));
    }
    template <class Key>
    [[nodiscard]] result<bool> try_erase_value(const Key& key,
                                               std::uint64_t value) requires mapping<Filter, Key> {
        return self().erase_value_of_hash(hash_of(self().hash(), key), value);
    }

    // Afterwards every key of either filter may be contained. The other one is of the same type, or a mapped_filter of its kind.
    template <class Other>
    void merge(const Other& other) requires merging<Filter, Other> {
        if (const auto done = self().try_merge(other); !done) raise<Filter>(done.error());
    }
    template <class Other>
    Filter& operator|=(const Other& other) requires merging<Filter, Other> {
        merge(other);
        return self();
    }
    template <class Other>
    friend Filter operator|(Filter a, const Other& b) requires merging<Filter, Other> {
        a |= b;
        return a;
    }
    // Afterwards every key that was in both may be contained.
    template <class Other>
    void intersect(const Other& other) requires intersecting<Filter, Other> {
        if (const auto done = self().try_intersect(other); !done) raise<Filter>(done.error());
    }
    template <class Other>
    Filter& operator&=(const Other& other) requires intersecting<Filter, Other> {
        intersect(other);
        return self();
    }
    template <class Other>
    friend Filter operator&(Filter a, const Other& b) requires intersecting<Filter, Other> {
        a &= b;
        return a;
    }
    template <class Other, class = std::enable_if_t<!merging<Filter, Other>>>
    void merge(const Other&) = delete;  // only with the same kind, or its mapped_filter; some cannot
    template <class Other, class = std::enable_if_t<!merging<Filter, Other>>>
    Filter& operator|=(const Other&) = delete;  // only with the same kind, or its mapped_filter; some cannot
    template <class Other, class = std::enable_if_t<!intersecting<Filter, Other>>>
    void intersect(const Other&) = delete;  // only with the same kind; most cannot, bloom filters can
    template <class Other, class = std::enable_if_t<!intersecting<Filter, Other>>>
    Filter& operator&=(const Other&) = delete;  // only with the same kind; most cannot, bloom filters can

    // Filters that grow: room for so many keys in all; the layout for the keys that are there; the least size whose rate for them is at
    // most `fpr`, by as many bits of each key less as is returned.
    template <std::integral Keys>
    void reserve(Keys keys) requires growing<Filter, Keys> {
        value_or_raise(self().try_reserve(static_cast<std::uint64_t>(keys)));
    }
    template <class Self = Filter>
    void shrink_to_fit() requires resizing<Filter, Self> {
        value_or_raise(self().try_shrink_to_fit());
    }
    template <std::floating_point Rate>
    std::uint64_t lower_rate(Rate fpr) requires resizing<Filter, Rate> {
        return value_or_raise(self().try_lower_rate(static_cast<double>(fpr)));
    }
    template <class Keys, class = std::enable_if_t<!growing<Filter, Keys> || !std::integral<Keys>>>
    void reserve(Keys) = delete;  // a whole number of keys; of filters that grow, as balanced_rank_filter
    template <class Self = Filter, class = std::enable_if_t<!resizing<Filter, Self>>>
    void shrink_to_fit() = delete;  // only of filters that grow, as balanced_rank_filter
    template <class Rate, class = std::enable_if_t<!resizing<Filter, Rate> || !std::floating_point<Rate>>>
    std::uint64_t lower_rate(Rate) = delete;  // a rate as 0.01; of filters that grow, as balanced_rank_filter

    // Filters that grow: how many keys two of them share, whatever their layouts; and their difference, packed: with it the older one
    // becomes the newer one.
    template <class Other>
    comparison compare(const Other& other) const requires comparing<Filter, Other> {
        return value_or_raise(self().try_compare(other));
    }
    template <class Older>
    std::vector<std::byte> diff(const Older& older) const requires comparing<Filter, Older> {
        return value_or_raise(self().try_diff(older));
    }
    template <class Self = Filter>
    Filter patched(std::span<const std::byte> patch) const requires comparing<Filter, Self> {
        return value_or_raise(self().try_patched(patch));
    }
    // A shorter form to send, of kinds that have one.
    template <class Self = Filter>
    std::vector<std::byte> pack() const requires packing<Filter, Self> {
        return value_or_raise(self().try_pack());
    }
    template <class Self = Filter>
    static Filter unpack(std::span<const std::byte> packed) requires packing<Filter, Self> {
        return value_or_raise(Filter::try_unpack(packed));
    }

    // A file and its bytes; programs that use them link the library. Saving is one step: after a crash there is the old file or the new
    // one.
    std::vector<std::byte> to_bytes() const { return value_or_raise(self().try_to_bytes()); }
    static Filter from_bytes(std::span<const std::byte> file) {
        return value_or_raise(Filter::try_from_bytes(file));
    }
    void save(const std::string& path) const {
        if (const auto done = self().try_save(path); !done) raise<Filter>(done.error(), path);
    }
    static Filter load(const std::string& path) {
        auto loaded = Filter::try_load(path);
        if (!loaded) raise<Filter>(loaded.error(), path);
        return std::move(*loaded);
    }

private:
    Filter& self() noexcept { return static_cast<Filter&>(*this); }
    const Filter& self() const noexcept { return static_cast<const Filter&>(*this); }

    // Of many keys: how many were stored before.
    error refusal_after(std::uint64_t stored) const {
        error why = self().refusal();
        if (why.code == errc::full) why.what = "keys of this call that were stored";
        why.least.reset();
        if (why.code == errc::full) why.most.reset();
        return why.with_found(stored);
    }
    template <class Key>
    insertion insert_absent(const Key& key) {
        return self().insert_hash_if_absent(hash_of(self().hash(), key));
    }
};

}  // namespace membrane
