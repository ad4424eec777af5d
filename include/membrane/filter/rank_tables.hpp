// What both forms of balanced_rank share: the two tables, the overflow list, and how entries go from one to the next.
//
//   payload:  lines of the first table, lines of the second, the overflow list; all zero is the empty filter
//
// A full line keeps the lowest entries and forwards the highest, and is marked. A lookup goes on only from a marked line
// whose entries do not end before the asked chain.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/result.hpp>
#include <membrane/bucket/rank_line.hpp>
#include <membrane/filter/ask_ring.hpp>
#include <membrane/filter/rank_address.hpp>
#include <membrane/filter/rank_fill.hpp>
#include <membrane/storage/counted_list.hpp>

namespace membrane {

enum class rank_place : std::uint8_t { first, second, list };

template <class Address>
class rank_tables {
public:
    static constexpr bool counts_bits =
        true;  // worth compiling for machines that count them in one instruction

    rank_tables(const filter_spec& spec, std::byte* payload) noexcept
        : first_(payload),
          second_(payload + spec[rank_field::lines] * rank_line_bytes),
          lines_(spec[rank_field::lines]),
          second_lines_(second_lines(spec)),
          first_shape_(first_shape(spec)),
          second_shape_(second_shape(spec)),
          address_(spec),
          list_(second_ + second_lines_ * rank_line_bytes, spec[rank_field::list_slots], second_lines_,
                list_group_bits(spec)) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto lines = checked_add(spec[rank_field::lines], second_lines(spec));
        const auto tables = lines ? checked_multiply(*lines, rank_line_bytes) : std::nullopt;
        const auto list = counted_list::size_bytes(spec[rank_field::list_slots]);
        return tables && list ? checked_add(*tables, *list) : std::nullopt;
    }

    std::uint64_t lines() const noexcept { return lines_; }

    bool insert(key_hash hash) noexcept { return insert_entry(address_of(hash)); }

    // `Find(line, entry)`: whether a line holds an entry; another one than the line's own has the same answers.
    struct plain_find {
        bool operator()(const rank_line& line, line_entry asked) const noexcept {
            return line.contains(asked);
        }
    };
    template <class Find = plain_find>
    bool may_contain(key_hash hash, const Find& find = {}) const noexcept {
        const rank_address asked = address_of(hash);
        const rank_line line = first_line(asked.line);
        if (find(line, asked.entry)) return true;
        return line.may_have_forwarded(asked.entry.chain) && second_contains(address_.second(asked), find);
    }

    // Offsets that a lookup reads, in order: of the tables' lines, and of the list where it gets that far.
    template <class Visit>
    void trace_lookup(key_hash hash, Visit&& visit) const {
        const rank_address asked = address_of(hash);
        const rank_line line = first_line(asked.line);
        visit(asked.line * rank_line_bytes);
        if (line.contains(asked.entry) || !line.may_have_forwarded(asked.entry.chain)) return;
        const rank_address further = address_.second(asked);
        const rank_line second = second_line(further.line);
        visit((lines_ + further.line) * rank_line_bytes);
        if (second.contains(further.entry) || !second.may_have_forwarded(further.entry.chain)) return;
        visit((lines_ + second_lines_) * rank_line_bytes);
    }

    // filter/ask_ring.hpp
    template <class Find>
    struct lookup_steps {
        using place = rank_address;
        static constexpr bool has_next = true;

        rank_address start(key_hash hash) const noexcept {
            const rank_address at = tables.address_of(hash);
            prefetch_for_read(tables.first_ + at.line * rank_line_bytes);
            return at;
        }
        first_look look(const rank_address& at, key_hash) const noexcept {
            const rank_line line = tables.first_line(at.line);
            const bool is_there = find(line, at.entry);
            const unsigned goes_on = line.may_have_forwarded(at.entry.chain) ? 1 : 0;
            return {is_there, (goes_on & (is_there ? 0u : 1u)) != 0};
        }
        rank_address next(const rank_address& at, key_hash) const noexcept {
            const rank_address further = tables.address_.second(at);
            prefetch_for_read(tables.second_ + further.line * rank_line_bytes);
            return further;
        }
        bool settle(const rank_address& at, key_hash) const noexcept {
            return tables.second_contains(at, find);
        }

        const rank_tables& tables;
        Find find;
    };
    template <class Find = plain_find>
    lookup_steps<Find> steps(const Find& find = {}) const noexcept {
        return {*this, find};
    }

    void prefetch_insert(key_hash hash) const noexcept {
        prefetch_for_write(first_ + address_of(hash).line * rank_line_bytes);
    }

    bool is_empty() const noexcept {
        return std::all_of(first_, second_, [](std::byte byte) { return byte == std::byte{0}; });
    }
    // All keys of a filter that is empty, each line written once; the same bytes as one by one. False, and the filter is
    // empty, if they do not fit or there is no memory.
    [[gnu::noinline]] bool fill_empty(std::span<const key_hash> hashes, unsigned threads) noexcept {
        try {
            const auto left = rank_table_filler(first_, lines_, first_shape_, is_erasable, threads)
                                  .fill(hashes.size(), [&](std::size_t i) { return address_of(hashes[i]); });
            const auto further =
                rank_table_filler(second_, second_lines_, second_shape_, is_erasable, threads)
                    .fill(left.size(), [&](std::size_t i) { return address_.second(left[i]); });
            std::vector<std::uint64_t> numbers;
            numbers.reserve(further.size());
            for (const rank_address& at : further) numbers.push_back(number_of(at));
            std::sort(numbers.begin(), numbers.end());
            if (std::all_of(numbers.begin(), numbers.end(),
                            [&](std::uint64_t number) { return list_.add(number); }))
                return true;
        } catch (const std::exception&) {
            // No memory, or no thread: the keys can still come one by one.
        }
        std::memset(first_, 0, static_cast<std::size_t>(list_end() - first_));
        return false;
    }

    // visit(place, address, times): every entry, by its address in the first table or, behind it, in the second; the same
    // address may come again.
    template <class Visit>
    void for_each_entry(Visit&& visit) const {
        for (std::uint64_t i = 0; i < lines_; ++i)
            first_line(i).for_each([&](line_entry entry) {
                visit(rank_place::first, rank_address{i, entry}, std::uint64_t{1});
            });
        for (std::uint64_t i = 0; i < second_lines_; ++i)
            second_line(i).for_each([&](line_entry entry) {
                visit(rank_place::second, rank_address{i, entry}, std::uint64_t{1});
            });
        list_.for_each([&](std::uint64_t number, std::uint64_t times) {
            visit(rank_place::list, address_of_number(number), times);
        });
    }

    // Entries of both filters. Refused whole if they do not fit: this filter is then as it was.
    result<void> merge(const rank_tables& other) {
        const auto size_bytes = static_cast<std::size_t>(list_end() - first_);
        const auto before = aligned_buffer::copy_of({first_, size_bytes});
        if (!before) return before.error();
        if (take_entries_of(other)) return {};
        std::memcpy(first_, before->data(), size_bytes);
        return make_error(errc::full, "merge")
            .with_note("the overflow list has no room for the entries of both filters");
    }

    double fill() const noexcept {
        return static_cast<double>(entries_of(first_, lines_, first_shape_)) /
               (static_cast<double>(lines_) * first_shape_.cells());
    }

    result<void> check_payload() const {
        if (auto checked = check_lines(first_, lines_, first_shape_, "line of the first table"); !checked)
            return checked;
        if (auto checked = check_lines(second_, second_lines_, second_shape_, "line of the second table");
            !checked)
            return checked;
        if (auto checked = list_.check(); !checked) return checked;
        return check_listed();
    }

protected:
    static constexpr bool is_erasable = std::is_same_v<Address, carried_address>;

    rank_address address_of(key_hash hash) const noexcept {
        return first_address(hash, lines_, first_shape_);
    }
    rank_line first_line(std::uint64_t line) const noexcept {
        return {first_shape_, first_ + line * rank_line_bytes};
    }
    rank_line second_line(std::uint64_t line) const noexcept {
        return {second_shape_, second_ + line * rank_line_bytes};
    }

    std::uint64_t number_of(const rank_address& at) const noexcept {
        const unsigned bits = second_shape_.fingerprint_bits();
        return (at.line << 6 | at.entry.chain) << bits | at.entry.fingerprint;
    }
    rank_address address_of_number(std::uint64_t number) const noexcept {
        const unsigned bits = second_shape_.fingerprint_bits();
        return {number >> (bits + 6), {number >> bits & 63, number & low_bits(bits)}};
    }

    template <class Find>
    bool second_contains(const rank_address& asked, const Find& find) const noexcept {
        const rank_line line = second_line(asked.line);
        if (find(line, asked.entry)) return true;
        return line.may_have_forwarded(asked.entry.chain) && list_.contains(number_of(asked));
    }

    bool insert_entry(const rank_address& added) noexcept {
        return insert_into(first_line(added.line), added.entry, [&](line_entry largest) {
            return insert_second(address_.second({added.line, largest}));
        });
    }
    bool insert_second(const rank_address& added) noexcept {
        return insert_into(second_line(added.line), added.entry, [&](line_entry largest) {
            const std::uint64_t number = number_of({added.line, largest});
            return (!is_erasable && list_.contains(number)) || list_.add(number);
        });
    }

    // `forward` is asked first where the line is full: if it refuses, no byte has changed.
    template <class Forward>
    static bool insert_into(rank_line line, line_entry added, const Forward& forward) noexcept {
        if (!is_erasable && line.contains(added)) return true;
        if (line.is_full()) {
            const line_entry largest = line.largest();
            const bool takes_a_place = added < largest;
            if (!forward(takes_a_place ? largest : added)) return false;
            line.set_forwarded(true);
            if (!takes_a_place) return true;
            line.erase(largest);
        }
        line.insert(added);
        return true;
    }

    static std::uint64_t entries_of(std::byte* table, std::uint64_t lines,
                                    const rank_line_shape& shape) noexcept {
        std::uint64_t entries = 0;
        for (std::uint64_t i = 0; i < lines; ++i)
            entries += rank_line(shape, table + i * rank_line_bytes).count();
        return entries;
    }
    std::uint64_t listed() const noexcept {
        std::uint64_t entries = 0;
        list_.for_each([&](std::uint64_t, std::uint64_t times) { entries += times; });
        return entries;
    }
    std::uint64_t second_entries() const noexcept {
        return entries_of(second_, second_lines_, second_shape_);
    }
    std::uint64_t first_entries() const noexcept { return entries_of(first_, lines_, first_shape_); }

    // Addresses that a key can have in the first table, and in the second.
    double first_addresses() const noexcept {
        return std::ldexp(static_cast<double>(lines_) * first_shape_.chains(),
                          static_cast<int>(first_shape_.fingerprint_bits()));
    }
    double second_addresses() const noexcept {
        return std::ldexp(static_cast<double>(second_lines_) * second_shape_.chains(),
                          static_cast<int>(second_shape_.fingerprint_bits()));
    }

    std::byte* first_;
    std::byte* second_;
    std::uint64_t lines_;
    std::uint64_t second_lines_;
    rank_line_shape first_shape_;
    rank_line_shape second_shape_;
    Address address_;
    counted_list list_;

private:
    std::byte* list_end() const noexcept {
        return second_ + second_lines_ * rank_line_bytes + *counted_list::size_bytes(list_.slots());
    }

    bool take_entries_of(const rank_tables& other) noexcept {
        bool fits = true;
        other.for_each_entry([&](rank_place place, const rank_address& at, std::uint64_t times) {
            for (; times != 0 && fits; --times) {
                if (place == rank_place::first) {
                    fits = insert_entry(at);
                } else if constexpr (is_erasable) {
                    const auto origin = address_.origin(at);
                    fits = origin && insert_entry(*origin);
                } else {
                    fits = insert_second(at);
                }
            }
        });
        // What the other's lines forwarded is looked for behind these.
        if constexpr (!is_erasable)
            for (std::uint64_t i = 0; i < lines_ && fits; ++i)
                if (other.first_line(i).has_forwarded()) first_line(i).set_forwarded(true);
        return fits;
    }

    static result<void> check_lines(std::byte* table, std::uint64_t lines, const rank_line_shape& shape,
                                    const char* what) {
        for (std::uint64_t i = 0; i < lines; ++i)
            if (!rank_line(shape, table + i * rank_line_bytes).is_well_formed())
                return make_error(errc::bad_payload, what).with_found(i);
        return {};
    }

    // Every forwarded entry must be found by the walk that looks for it.
    result<void> check_listed() const {
        bool good = true;
        std::uint64_t bad = 0;
        list_.for_each([&](std::uint64_t number, std::uint64_t) {
            const rank_address at = address_of_number(number);
            const bool is_reached = at.entry.chain < second_shape_.chains() &&
                                    second_line(at.line).has_forwarded() &&
                                    !(at.entry < second_line(at.line).largest());
            if (good && !(is_reached && has_good_origin(at))) bad = number;
            good = good && is_reached && has_good_origin(at);
        });
        for (std::uint64_t i = 0; i < second_lines_ && good; ++i)
            second_line(i).for_each([&](line_entry entry) {
                if (good && !has_good_origin({i, entry})) {
                    good = false;
                    bad = number_of({i, entry});
                }
            });
        if (!good) return make_error(errc::bad_payload, "forwarded entry").with_found(bad);
        return {};
    }
    bool has_good_origin(const rank_address& at) const noexcept {
        if constexpr (is_erasable) {
            const auto origin = address_.origin(at);
            if (!origin) return false;
            const rank_line line = first_line(origin->line);
            return line.has_forwarded() && !(origin->entry < line.largest());
        } else {
            return at.entry.chain < second_shape_.chains();
        }
    }
};

}  // namespace membrane
