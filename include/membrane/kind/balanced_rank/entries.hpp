// A balanced_rank filter as a set or multiset of entries: lookups, insertion, bulk build, erasure, estimates, once for all forms.
//
// balanced_rank: rank-indexed lines of 64 bytes, placed as in a balanced filter: nearly every lookup reads one line.
//
// A key is an entry (chain, fingerprint) of one line of the first table. A full line keeps its lowest entries, forwards the highest
// to the second table, and is marked as forwarding; a full line of the second table does likewise into the overflow list. A lookup
// goes on only from a line that has forwarded and whose own entries do not end below the wanted chain.
//   fixed:     a set of entries. The address of a forwarded entry is a hash of the entry.
//   growable:  a set of numbers (address.hpp). The address of a forwarded entry can be mapped back, so that the numbers can be
//              read in order and laid out anew (growth.hpp).
//   erasable:  a multiset of numbers. An erasure from a forwarding line pulls the lowest forwarded entry back.
// The contents depend on the keys present, not on their history. An insertion for which the list has no room is refused, and no byte
// has changed.
// Source: our own, from balanced Bloom filters, rank-indexed hashing and the stop rule of the Prefix filter (VLDB 2022).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/exceptions.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/hash/hash_batches.hpp>
#include <membrane/kind/balanced_rank/fill.hpp>
#include <membrane/kind/balanced_rank/walk.hpp>
#include <membrane/part/batch.hpp>

MEMBRANE_TARGET_BEGIN

template <class Digits, class Second, bool KeepsEqual, class Bytes = plain_bytes<Digits, Second>>
class rank_entries : public rank_tables<Digits, Second, KeepsEqual, Bytes> {
protected:
    using base = rank_tables<Digits, Second, KeepsEqual, Bytes>;
    using base::address_of, base::address_of_number, base::addresses, base::first_, base::first_entries,
        base::first_line, base::has_lines_in_place, base::has_plain_bytes, base::list, base::list_contains,
        base::listed, base::number_of, base::second_, base::second_entries, base::second_line, base::shape_,
        base::size_bytes;

    static constexpr layout_class second_class(layout_class first) noexcept {
        return base::shape_type::second_class(first);
    }
    template <layout_class First, bool IsNear>
    using walk_of = rank_walk<rank_entries, First, second_class(First), IsNear>;
    template <class, layout_class, layout_class, bool>
    friend class rank_walk;

public:
    using base::base;
    using base::has_numbers, base::keeps_equal;

    static constexpr bool can_be_full = true;
    // Addresses come from the hash alone, a line's cells are counted within its 64 bytes, and the list ends at its slots.
    static constexpr bool lookups_are_safe_on_any_payload = true;

    // ---- lookups

    // The layouts of the usual rates are inlined. A hash that the caller keeps is read in its memory, a temporary, just computed, stays in
    // registers: storing it first takes a quarter of the time of a lookup in cache.
    template <class Hash = key_hash>
    [[gnu::always_inline]] bool may_contain(Hash&& hash) const noexcept {
        constexpr bool is_in_memory = std::is_lvalue_reference_v<Hash>;
        return with_usual_walk(
            [&](const auto& walk) { return walk.template may_contain<is_in_memory>(hash); },
            [&] {
                return may_contain_in_registers({hash.low, hash.high});
            });
    }
    // For any layout, with the hash in registers: of the run-time handle, and of layouts that may_contain does not inline.
    [[gnu::noinline, gnu::pure, gnu::flatten]] bool may_contain_in_registers(key_hash hash) const noexcept {
        return with_walk([&](const auto& walk) { return walk.template may_contain<false>(hash); });
    }
    [[gnu::noinline, gnu::flatten]] std::size_t may_contain_many(
        std::span<const key_hash> hashes, std::span<std::uint64_t> answers) const noexcept {
        return with_walk([&](const auto& walk) { return look_up_many(walk, hashes, answers); });
    }
    template <class Visit>
    void trace_lookup(const key_hash& hash, Visit&& visit) const {
        walk_of<layout_class::any, false>(*this).trace(hash, visit);
    }

    // How many entries equal the key's: at least as often as it was inserted.
    std::uint64_t estimate(const key_hash& hash) const noexcept requires keeps_equal {
        return walk_of<layout_class::any, false>(*this).count(hash);
    }
    static constexpr std::uint64_t largest_estimate = UINT64_MAX;

    // ---- insertion

    bool insert(const key_hash& hash) noexcept { return insert_one(hash) != insertion::refused; }
    // Whether the entry was there before. An erasable filter stores it again.
    insertion insert_one(const key_hash& hash) noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        if (shape_.common_class == layout_class::tight_8 && insert_quickly<layout_class::tight_8>(hash))
            return insertion::inserted;
        if (shape_.common_class == layout_class::bits_7 && insert_quickly<layout_class::bits_7>(hash))
            return insertion::inserted;
#endif
        return insert_out_of_line(hash.low, hash.high);
    }
    // How many were stored before the first that was refused.
    [[gnu::noinline, gnu::flatten]] std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        if (is_worth_filling(hashes.size(), 1) && is_empty() && fill_empty(hashes, 1)) return hashes.size();
        return with_class([&]<layout_class Class>(class_constant<Class>) {
            return change_in_turn(
                hashes.size(), [&](std::size_t i) { prefetch_for_write(first_at(hashes[i])); },
                [&](std::size_t i) { this->template prefetch_forwarding<Class>(hashes[i]); },
                [&](std::size_t i) {
                    if constexpr (line<Class>::has_quick_insert)
                        if (this->template insert_quickly<Class>(hashes[i])) return true;
                    return this->template insert_entry<Class>(address_of(hashes[i])) != insertion::refused;
                });
        });
    }

    // ---- building

    bool is_empty() const noexcept { return are_all_zero({first_, size_bytes()}); }
    // From a few keys a line on, writing each line once pays for the passes before it.
    bool is_worth_filling(std::size_t keys, unsigned) const noexcept { return keys / 4 >= shape_.lines; }
    // All keys of an empty filter, each line written once; the bytes are those of insertions one by one. False, and the filter is
    // empty, if the keys do not fit or memory is short.
    [[gnu::noinline]] bool fill_empty(const hash_batches& hashes, unsigned threads) noexcept {
        MEMBRANE_TRY {
            std::vector<std::uint64_t> numbers;
            const auto list_left = [&](const auto& for_left) {
                for_left(0, 1, [&](const rank_address& at) { numbers.push_back(number_of(at)); });
            };
            const auto fill_second = [&](const auto& for_left) {
                rank_table_filler(second_, shape_.second_lines, shape_.second_layout, keeps_equal, threads)
                    .fill(
                        [&](unsigned part, unsigned parts, const auto& visit) {
                            for_left(part, parts, [&](const rank_address& at) {
                                visit(shape_.second_address.second(at));
                            });
                        },
                        list_left);
            };
            rank_table_filler(first_, shape_.lines, shape_.first_layout, keeps_equal, threads)
                .fill(
                    [&](unsigned part, unsigned parts, const auto& visit) {
                        hashes.for_each_in_part(part, parts, [&](key_hash hash) { visit(address_of(hash)); });
                    },
                    fill_second);
            std::sort(numbers.begin(), numbers.end());
            if (std::all_of(numbers.begin(), numbers.end(),
                            [&](std::uint64_t number) { return this->changed_list().add(number); }))
                return true;
        }
        MEMBRANE_CATCH(const std::exception&) {
            // No memory, or no thread: the keys can still be inserted one by one.
        }
        std::memset(first_, 0, size_bytes());
        return false;
    }

    // Adds the entries of the other filter. Refused whole if they do not fit: this filter is then as it was.
    result<void> merge(const rank_entries& other) requires(!has_numbers) {
        const auto before = aligned_buffer::copy_of({first_, size_bytes()});
        if (!before) return before.error();
        if (insert_entries_of(other)) return {};
        std::memcpy(first_, before->data(), size_bytes());
        return make_error(errc::full, "merge")
            .with_note("the overflow list has no room for the entries of both filters");
    }

    // ---- erasure

    // Only for keys that were inserted: erasing a false positive can cause a false negative for another key.
    [[gnu::flatten]] bool erase(const key_hash& hash) noexcept requires keeps_equal {
        return with_class([&]<layout_class Class>(class_constant<Class>) {
            this->template prefetch_forwarded<Class>(hash);
            return this->template erase_entry<Class>(address_of(hash));
        });
    }
    // How many of the keys were there; each is erased once.
    [[gnu::noinline, gnu::flatten]] std::size_t erase_many(std::span<const key_hash> hashes) noexcept requires
        has_numbers {
        std::size_t erased = 0;
        with_class([&]<layout_class Class>(class_constant<Class>) {
            return change_in_turn(
                hashes.size(), [&](std::size_t i) { prefetch_for_write(first_at(hashes[i])); },
                [&](std::size_t i) { this->template prefetch_forwarded<Class>(hashes[i]); },
                [&](std::size_t i) {
                    erased += this->template erase_entry<Class>(address_of(hashes[i])) ? 1 : 0;
                    return true;
                });
        });
        return erased;
    }

    // ---- estimates

    double estimated_fpr_now() const noexcept {
        if constexpr (has_numbers)
            return std::min(
                1.0, static_cast<double>(distinct_entries()) / static_cast<double>(shape_.digits.universe()));
        const double first_places = addresses(shape_.lines, shape_.first_layout);
        // A key that was not inserted has the entry of one that was, or its lookup goes on and finds another entry there.
        double going_on = 0;
        for (std::uint64_t i = 0; i < shape_.lines; ++i) {
            const line<> here = first_line(i);
            if (here.has_forwarded()) going_on += shape_.first_layout.chains() - here.largest_chain();
        }
        going_on =
            std::min(1.0, going_on / (static_cast<double>(shape_.lines) * shape_.first_layout.chains()));
        const double forwarded = static_cast<double>(saturating_sum(second_entries(), listed()));
        const double first = std::min(1.0, (static_cast<double>(first_entries()) + forwarded) / first_places);
        const double second = std::min(1.0, forwarded / addresses(shape_.second_lines, shape_.second_layout));
        return first + (1 - first) * going_on * second;
    }
    double estimated_size() const noexcept {
        const auto stored = static_cast<double>(entries());
        if (keeps_equal) return stored;
        // Equal entries are stored once, so that the keys are a few more than the entries.
        const double places = [&] {
            if constexpr (has_numbers) return static_cast<double>(shape_.digits.universe());
            else return addresses(shape_.lines, shape_.first_layout);
        }();
        return -places * std::log1p(-std::min(stored, places - 0.5) / places) + 0.0;
    }
    // Of the tables and the list.
    std::uint64_t entries() const noexcept {
        return saturating_sum(first_entries() + second_entries(), listed());
    }
    // Equal ones of one table counted once.
    std::uint64_t distinct_entries() const noexcept {
        if (!keeps_equal) return entries();
        std::uint64_t distinct = 0;
        rank_address last{UINT64_MAX, {}};
        this->for_each_entry([&](rank_place, const rank_address& at, std::uint64_t) {
            distinct += at.line == last.line && at.entry == last.entry ? 0 : 1;
            last = at;
        });
        return distinct;
    }

protected:
    // ---- the class of the layouts, as a constant

    template <layout_class Class>
    using class_constant = typename base::shape_type::template class_constant<Class>;
    template <class Work>
    auto with_class(const Work& work) const noexcept {
        return shape_.with_class(work);
    }
    template <class Work>
    auto with_walk(const Work& work) const noexcept {
        return with_class([&]<layout_class Class>(class_constant<Class>) {
            if constexpr (Class != layout_class::any)
                if (is_near()) return work(walk_of<Class, true>(*this));
            return work(walk_of<Class, false>(*this));
        });
    }
    // work(walk) for the classes of the usual rates, else otherwise(). Far tables first: a wait for memory hides none of the choice.
    template <class Work, class Otherwise>
    [[gnu::always_inline]] bool with_usual_walk([[maybe_unused]] const Work& work,
                                                const Otherwise& otherwise) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        if (shape_.far_class == layout_class::tight_8)
            return work(walk_of<layout_class::tight_8, false>(*this));
        if (shape_.far_class == layout_class::bits_7)
            return work(walk_of<layout_class::bits_7, false>(*this));
        if (shape_.near_class == layout_class::tight_8)
            return work(walk_of<layout_class::tight_8, true>(*this));
        if (shape_.near_class == layout_class::bits_7)
            return work(walk_of<layout_class::bits_7, true>(*this));
        // A single lookup in wide lines is the same in near and far tables.
        if (shape_.common_class == layout_class::wide) return work(walk_of<layout_class::wide, false>(*this));
#endif
        return otherwise();
    }
    bool is_near() const noexcept { return shape_.is_near; }
    std::byte* first_at(const key_hash& hash) const noexcept {
        return first_ + address_of(hash).line * rank_line_bytes;
    }

    // ---- insertion

    template <layout_class Class>
    bool insert_quickly(const key_hash& hash) noexcept {
        const walk_of<Class, false> walk(*this);
        const auto at = walk.start_of(hash);
        auto first = walk.first_line(at.line);
        return first.template insert_quickly<keeps_equal>(at.entry);
    }
    [[gnu::noinline]] insertion insert_out_of_line(std::uint64_t low, std::uint64_t high) noexcept {
        return with_class([&]<layout_class Class>(class_constant<Class>) {
            return this->template insert_entry<Class>(address_of(key_hash{low, high}));
        });
    }
    template <layout_class Class = layout_class::any>
    insertion insert_entry(const rank_address& added) noexcept {
        line<Class> first = this->template first_line<Class>(added.line);
        const auto done = first.template insert<keeps_equal>(added.entry);
        if (done != insertion::refused) return done;
        return insert_into_full(first, added.entry, [&](line_entry forwarded) {
            return insert_second<second_class(Class)>(shape_.second_address.second({added.line, forwarded}));
        });
    }
    template <layout_class Class = layout_class::any>
    insertion insert_second(const rank_address& added) noexcept {
        line<Class> second = this->template second_line<Class>(added.line);
        const auto done = second.template insert<keeps_equal>(added.entry);
        if (done != insertion::refused) return done;
        return insert_into_full(second, added.entry, [&](line_entry forwarded) {
            const std::uint64_t number = number_of({added.line, forwarded});
            if (!keeps_equal && list().contains(number)) return insertion::present;
            return this->changed_list().add(number) ? insertion::inserted : insertion::refused;
        });
    }
    // The line keeps the lowest. forward(entry) is called first: if it refuses, no byte has changed.
    template <class Line, class Forward>
    static insertion insert_into_full(Line& full, line_entry added, const Forward& forward) noexcept {
        const line_entry largest = full.largest_of_full();
        const bool takes_its_place = added < largest;
        const insertion forwarded = forward(takes_its_place ? largest : added);
        if (forwarded == insertion::refused) return forwarded;
        if (takes_its_place) full.insert_instead_of_largest(added);
        full.set_forwarded(true);  // last: reading words over a byte just written would wait for it
        return takes_its_place ? insertion::inserted : forwarded;
    }
    // Once the first line is there: prefetches the line that takes what it forwards, if it is full.
    template <layout_class Class>
    void prefetch_forwarding(const key_hash& hash) const noexcept {
        if (is_near()) return;
        const rank_address added = address_of(hash);
        const line<Class> first = this->template first_line<Class>(added.line);
        if (!first.is_full()) return;
        const line_entry largest = first.largest_of_full();
        const line_entry forwarded = added.entry < largest ? largest : added.entry;
        prefetch_for_write(second_ +
                           shape_.second_address.second({added.line, forwarded}).line * rank_line_bytes);
    }

    // ---- merging

    bool insert_entries_of(const rank_entries& other) noexcept {
        bool fits = true;
        other.for_each_entry([&](rank_place place, const rank_address& at, std::uint64_t) {
            if (!fits) return;
            const insertion done = place == rank_place::first ? insert_entry(at) : insert_second(at);
            fits = done != insertion::refused;
        });
        // What the other's lines forwarded is looked for behind the same lines.
        for (std::uint64_t i = 0; i < shape_.lines && fits; ++i)
            if (other.first_line(i).has_forwarded()) first_line(i).set_forwarded(true);
        return fits;
    }

    // ---- erasure

    template <layout_class Class>
    bool erase_entry(const rank_address& gone) noexcept {
        line<Class> first = this->template first_line<Class>(gone.line);
        const line_cell cell = first.find(gone.entry);
        if (!cell)
            return first.may_have_forwarded(gone.entry.chain) &&
                   erase_second<second_class(Class)>(shape_.second_address.second(gone));
        if (!first.has_forwarded()) {
            first.remove(gone.entry.chain, cell);
        } else if (const auto lowest =
                       take_forwarded<second_class(Class)>(gone.line, first.largest_chain())) {
            first.replace(gone.entry.chain, cell, *lowest);
        } else {
            first.remove(gone.entry.chain, cell);
            first.set_forwarded(false);
        }
        return true;
    }
    // Takes the lowest entry that a line of the first table forwarded out of the second table or the list.
    template <layout_class Class>
    std::optional<line_entry> take_forwarded(std::uint64_t number, std::uint64_t from_chain) noexcept {
        const unsigned bits = shape_.first_layout.fingerprint_bits();
        auto at = shape_.second_address.chain_of_line(number, from_chain);
        for (; at.chain < shape_.first_layout.chains(); at = shape_.second_address.next(at))
            if (const auto found = take_lowest_of_chain<Class>(shape_.second_address.second(at, 0), bits))
                return line_entry{at.chain, *found};
        return std::nullopt;
    }
    // Takes the lowest entry that came from one chain of the first table; the result is its fingerprint there, of `bits` bits.
    template <layout_class Class>
    std::optional<std::uint64_t> take_lowest_of_chain(const rank_address& lowest, unsigned bits) noexcept {
        line<Class> second = this->template second_line<Class>(lowest.line);
        if (const line_cell cell = second.find_alike(lowest.entry, bits)) {
            const std::uint64_t found = second.low_fingerprint(cell.at, bits);
            remove_second(second, lowest.line, lowest.entry.chain, cell);
            return found;
        }
        if (!second.may_have_forwarded(lowest.entry.chain)) return std::nullopt;
        const std::uint64_t highest = lowest.entry.fingerprint | low_bits(bits);
        const auto number =
            list().first_within(number_of(lowest), number_of({lowest.line, {lowest.entry.chain, highest}}));
        if (!number) return std::nullopt;
        this->changed_list().remove(
            *number);  // if that fails, the entry is there once too often, and no key is lost
        second.set_forwarded(list().first_of(lowest.line).has_value());
        return *number & low_bits(bits);
    }
    template <layout_class Class>
    bool erase_second(const rank_address& gone) noexcept {
        line<Class> second = this->template second_line<Class>(gone.line);
        if (const line_cell cell = second.find(gone.entry)) {
            remove_second(second, gone.line, gone.entry.chain, cell);
            return true;
        }
        if (!second.may_have_forwarded(gone.entry.chain) || !this->changed_list().remove(number_of(gone)))
            return false;
        second.set_forwarded(list().first_of(gone.line).has_value());
        return true;
    }
    // What the line forwarded to the list is pulled back.
    template <class Line>
    void remove_second(Line& second, std::uint64_t number, std::uint64_t chain,
                       const line_cell& cell) noexcept {
        if (!second.has_forwarded()) return second.remove(chain, cell);
        const auto lowest = this->changed_list().take_first_of(number);
        if (lowest.number) second.replace(chain, cell, address_of_number(*lowest.number).entry);
        else second.remove(chain, cell);
        second.set_forwarded(lowest.has_more);
    }
    // Prefetches the second lines that an erasure from a forwarding line looks into, nearly always those of the next few chains, so
    // that it does not wait for one after the other.
    template <layout_class Class>
    void prefetch_forwarded(const key_hash& hash) const noexcept {
        if (is_near()) return;
        const rank_address gone = address_of(hash);
        const line<Class> first = this->template first_line<Class>(gone.line);
        if (!first.has_forwarded()) return;
        auto at = shape_.second_address.chain_of_line(
            gone.line, std::max<std::uint64_t>(first.largest_chain(), gone.entry.chain));
        list().prefetch(shape_.second_address.second_line(at));
        const std::uint64_t end = std::min<std::uint64_t>(shape_.first_layout.chains(), at.chain + 4);
        for (; at.chain < end; at = shape_.second_address.next(at))
            prefetch_for_write(second_ + shape_.second_address.second_line(at) * rank_line_bytes);
    }
};

MEMBRANE_TARGET_END
