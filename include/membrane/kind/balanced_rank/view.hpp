// The three forms of balanced_rank as views over borrowed bytes. What they share is in entries.hpp; this adds what the numbers of a
// growable or erasable filter allow: reading them in order and writing them line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <membrane/kind/balanced_rank/entries.hpp>
#include <membrane/part/counted_number.hpp>

MEMBRANE_TARGET_BEGIN

using fixed_rank_view = rank_entries<hash_digits, hashed_address, false>;

template <bool KeepsEqual>
class number_rank_view : public rank_entries<number_digits, carried_address, KeepsEqual> {
    using base = rank_entries<number_digits, carried_address, KeepsEqual>;
    using base::digits_, base::first_, base::first_layout_, base::first_line, base::lines_, base::list_,
        base::number_of, base::second_, base::second_address_, base::second_line;

public:
    using base::base;
    using base::keeps_equal;

    static constexpr bool can_be_full = false;  // its owner grows: growth.hpp

    const number_digits& digits() const noexcept { return digits_; }
    // The list, which is all that can be full, is half full. An insertion adds at most a word to it, and at this load one of some
    // hundred does, so that a growth that begins now ends before the list is full.
    bool is_nearly_full() const noexcept { return list_.words() + 4 > list_.slots() / 2; }

    // The numbers of a line of the first table in ascending order, those that it forwarded included. `reader` is of these digits.
    void read_line(const number_reader& reader, std::uint64_t line_number,
                   std::vector<counted_number>& numbers) const {
        numbers.clear();
        const auto add = [&](line_entry entry, std::uint64_t times) {
            const auto number = reader.number_at({line_number, entry});
            if (!number) return;
            if (numbers.empty() || numbers.back().number != *number) numbers.push_back({*number, times});
            else numbers.back().times += std::min(times, UINT64_MAX - numbers.back().times);
        };
        const line<> first = first_line(line_number);
        first.for_each([&](line_entry entry) { add(entry, 1); });
        if (!first.has_forwarded()) return;
        const unsigned bits = first_layout_.fingerprint_bits();
        auto at = second_address_.chain_of_line(line_number, first.largest_chain());
        for (; at.chain < first_layout_.chains(); at = second_address_.next(at)) {
            const rank_address lowest = second_address_.second(at, 0);
            const line<> second = second_line(lowest.line);
            second.for_each_alike(lowest.entry, bits, [&](std::uint64_t fingerprint) {
                add({at.chain, fingerprint}, 1);
            });
            if (!second.may_have_forwarded(lowest.entry.chain)) continue;
            const line_entry highest{lowest.entry.chain, lowest.entry.fingerprint | low_bits(bits)};
            list_.for_each_within(number_of(lowest), number_of({lowest.line, highest}),
                                  [&](std::uint64_t number, std::uint64_t times) {
                                      add({at.chain, number & low_bits(bits)}, times);
                                  });
        }
    }
    // An erasure may take away the last entry that a line has forwarded and leave its mark, which costs lookups a read.
    void clear_stale_marks() noexcept {
        for (std::uint64_t i = 0; i < lines_; ++i) {
            line<> first = first_line(i);
            if (first.has_forwarded() && !has_forwarded_any(i)) first.set_forwarded(false);
        }
    }
    // Where read_line will look, unless the line has not been prefetched.
    void prefetch_forwarded_of(std::uint64_t line_number) const noexcept {
        const line<> first = first_line(line_number);
        if (!first.has_forwarded()) return;
        auto at = second_address_.chain_of_line(line_number, first.largest_chain());
        for (; at.chain < first_layout_.chains(); at = second_address_.next(at))
            prefetch_for_read(second_ + second_address_.second_line(at) * rank_line_bytes);
    }

    // Stores an entry that its line of the first table, which is full of entries not above it, forwards. False if there is no room:
    // then it is stored less often than asked.
    bool forward(const rank_address& entry, std::uint64_t times) noexcept {
        const rank_address further = second_address_.second(entry);
        for (; times != 0; --times) {
            const line<> second = second_line(further.line);
            if (keeps_equal && second.has_forwarded() && !(further.entry < second.largest()))
                return list_.add(number_of(further), times);
            const insertion done = this->insert_second(further);
            if (done == insertion::refused) return false;
        }
        return true;
    }
    void prefetch_forwarding_of(const rank_address& entry) const noexcept {
        prefetch_for_write(second_ + second_address_.second(entry).line * rank_line_bytes);
    }
    // Of a line with the mark.
    bool has_forwarded_any(std::uint64_t line_number) const noexcept {
        const unsigned bits = first_layout_.fingerprint_bits();
        auto at = second_address_.chain_of_line(line_number, first_line(line_number).largest_chain());
        for (; at.chain < first_layout_.chains(); at = second_address_.next(at)) {
            const rank_address lowest = second_address_.second(at, 0);
            const line<> second = second_line(lowest.line);
            if (second.find_alike(lowest.entry, bits)) return true;
            const line_entry highest{lowest.entry.chain, lowest.entry.fingerprint | low_bits(bits)};
            if (second.may_have_forwarded(lowest.entry.chain) &&
                list_.first_within(number_of(lowest), number_of({lowest.line, highest})))
                return true;
        }
        return false;
    }
    // Overwrites a line of the first table. Entries as in fill_rank_line.
    void write_line(std::uint64_t line_number, std::span<const std::uint64_t> entries,
                    bool has_forwarded) noexcept {
        std::byte* const bytes = first_ + line_number * rank_line_bytes;
        std::memset(bytes, 0, rank_line_bytes);
        fill_rank_line(first_layout_, bytes, entries);
        if (has_forwarded) line<>(first_layout_, bytes).set_forwarded(true);
    }
};

// Writes numbers that come in ascending order into an empty filter: each line once. What a line does not keep waits a little, so
// that its line of the second table can be prefetched.
template <class View>
class number_writer {
public:
    explicit number_writer(View& to) noexcept : to_(to) {}

    // False if the filter is full; it then holds only some of the numbers.
    bool add(const counted_number& added) noexcept {
        const rank_address at = to_.digits().of_number(added.number);
        if (at.line != line_) {
            end_line();
            line_ = at.line;
        }
        const line_layout& layout = to_.first_line_layout();
        std::uint64_t times = View::keeps_equal ? added.times : 1;
        for (; times != 0 && kept_ < layout.cells(); --times)
            entries_[kept_++] = at.entry.chain << layout.fingerprint_bits() | at.entry.fingerprint;
        if (times == 0) return !is_full_;
        has_forwarded_ = true;
        to_.prefetch_forwarding_of(at);
        waiting& place = waiting_[added_++ % waiting_.size()];
        forward(place);
        place = {at, times};
        return !is_full_;
    }
    // Lines without a number are as they were; so is the last one if the filter is full.
    bool finish() noexcept {
        for (waiting& place : waiting_) forward(place);
        if (!is_full_) end_line();
        return !is_full_;
    }

private:
    struct waiting {
        rank_address entry{};
        std::uint64_t times = 0;
    };
    void forward(waiting& place) noexcept {
        if (place.times != 0 && !to_.forward(place.entry, place.times)) is_full_ = true;
        place.times = 0;
    }
    void end_line() noexcept {
        if (kept_ != 0) to_.write_line(line_, {entries_.data(), kept_}, has_forwarded_);
        kept_ = 0;
        has_forwarded_ = false;
        line_ = UINT64_MAX;
    }

    View& to_;
    std::uint64_t line_ = UINT64_MAX;
    std::array<std::uint64_t, 64> entries_;
    std::size_t kept_ = 0;
    bool has_forwarded_ = false, is_full_ = false;
    std::array<waiting, 16> waiting_{};
    std::size_t added_ = 0;
};

using growable_rank_view = number_rank_view<false>;  // a set of numbers: nothing is erased
using erasable_rank_view = number_rank_view<true>;   // a multiset of numbers

struct balanced_rank_family {
    using types = std::tuple<fixed_rank_view, growable_rank_view, erasable_rank_view>;
    static std::size_t variant_of(const filter_spec& spec) { return spec[rank_field::form]; }

    static constexpr kind_id id = kind_id::balanced_rank;
    static constexpr std::string_view name = "balanced_rank";
    static constexpr std::string_view meaning =
        "fingerprints in cache lines that keep the lowest: fewest bits, one line a lookup, grows, keys can "
        "be "
        "erased";
    static constexpr std::span<const field_rule> fields = balanced_rank_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_balanced_rank_spec(spec); }
};

MEMBRANE_TARGET_END
