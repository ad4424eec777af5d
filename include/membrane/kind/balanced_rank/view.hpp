// The three forms of balanced_rank as views over borrowed bytes. What they share is in entries.hpp; this adds what the numbers of a
// growable or erasable filter allow: reading them in order and writing them line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <membrane/kind/balanced_rank/entries.hpp>
#include <membrane/part/counted_number.hpp>

MEMBRANE_TARGET_BEGIN

using fixed_rank_view = rank_entries<hash_digits, hashed_address, false>;

template <bool KeepsEqual, class Bytes = plain_bytes<number_digits, carried_address>>
class number_rank_view : public rank_entries<number_digits, carried_address, KeepsEqual, Bytes> {
protected:
    using base = rank_entries<number_digits, carried_address, KeepsEqual, Bytes>;
    using base::first_, base::first_line, base::list, base::number_of, base::second_, base::second_line,
        base::shape_;

    template <layout_class Class>
    using class_constant = typename base::template class_constant<Class>;

public:
    using base::base;
    using base::keeps_equal;

    static constexpr bool can_be_full = false;  // its owner grows: growth.hpp

    const number_digits& digits() const noexcept { return shape_.digits; }
    // Whether the list, which is all that can be full, is filled above this share. At a quarter to a half, one insertion of some hundred
    // adds a word to it, so that a growth that begins then ends before the list is full.
    bool has_list_above(double share) const noexcept {
        return static_cast<double>(list().words() + 4) > share * static_cast<double>(list().slots());
    }

    // The numbers of a line of the first table in ascending order, those that it forwarded included. `reader` is of these digits.
    void read_line(const number_reader& reader, std::uint64_t line_number,
                   std::vector<counted_number>& numbers) const {
        numbers.clear();
        // A copy, which no number written can change: it stays in registers.
        const number_reader numbered = reader;
        const auto add = [&](line_entry entry, std::uint64_t times) {
            const auto number = numbered.number_at({line_number, entry});
            if (!number) return;
            if (numbers.empty() || numbers.back().number != *number) numbers.push_back({*number, times});
            else numbers.back().times += std::min(times, UINT64_MAX - numbers.back().times);
        };
        const line<> first = first_line(line_number);
        first.for_each([&](line_entry entry) { add(entry, 1); });
        if (!first.has_forwarded()) return;
        const unsigned bits = shape_.first_layout.fingerprint_bits();
        auto at = shape_.second_address.chain_of_line(line_number, first.largest_chain());
        for (; at.chain < shape_.first_layout.chains(); at = shape_.second_address.next(at)) {
            const rank_address lowest = shape_.second_address.second(at, 0);
            const line<> second = second_line(lowest.line);
            second.for_each_alike(lowest.entry, bits, [&](std::uint64_t fingerprint) {
                add({at.chain, fingerprint}, 1);
            });
            if (!second.may_have_forwarded(lowest.entry.chain)) continue;
            const line_entry highest{lowest.entry.chain, lowest.entry.fingerprint | low_bits(bits)};
            list().for_each_within(number_of(lowest), number_of({lowest.line, highest}),
                                   [&](std::uint64_t number, std::uint64_t times) {
                                       add({at.chain, number & low_bits(bits)}, times);
                                   });
        }
    }
    // An erasure may take away the last entry that a line has forwarded and leave its mark, which costs lookups a read.
    void clear_stale_marks() noexcept {
        for (std::uint64_t i = 0; i < shape_.lines; ++i) {
            line<> first = first_line(i);
            if (first.has_forwarded() && !has_forwarded_any(i)) first.set_forwarded(false);
        }
    }
    // Prefetches the lines of the second table that read_line will read.
    void prefetch_forwarded_of(std::uint64_t line_number) const noexcept {
        const line<> first = first_line(line_number);
        if (!first.has_forwarded()) return;
        auto at = shape_.second_address.chain_of_line(line_number, first.largest_chain());
        for (; at.chain < shape_.first_layout.chains(); at = shape_.second_address.next(at))
            prefetch_for_read(second_ + shape_.second_address.second_line(at) * rank_line_bytes);
    }

    // Stores an entry that its line of the first table, which is full of entries not above it, forwards. False if there is no room:
    // then it is stored less often than asked.
    bool forward(const rank_address& entry, std::uint64_t times) noexcept {
        const rank_address further = shape_.second_address.second(entry);
        for (; times != 0; --times) {
            const line<> second = second_line(further.line);
            if (keeps_equal && second.has_forwarded() && !(further.entry < second.largest()))
                return this->changed_list().add(number_of(further), times);
            const insertion done = this->with_class([&]<layout_class Class>(class_constant<Class>) {
                return this->template insert_second<base::second_class(Class)>(further);
            });
            if (done == insertion::refused) return false;
        }
        return true;
    }
    void prefetch_forwarding_of(const rank_address& entry) const noexcept {
        prefetch_for_write(second_ + shape_.second_address.second(entry).line * rank_line_bytes);
    }
    // Whether a line whose forwarded bit is set has forwarded an entry that is still there.
    bool has_forwarded_any(std::uint64_t line_number) const noexcept {
        const unsigned bits = shape_.first_layout.fingerprint_bits();
        auto at = shape_.second_address.chain_of_line(line_number, first_line(line_number).largest_chain());
        for (; at.chain < shape_.first_layout.chains(); at = shape_.second_address.next(at)) {
            const rank_address lowest = shape_.second_address.second(at, 0);
            const line<> second = second_line(lowest.line);
            if (second.find_alike(lowest.entry, bits)) return true;
            const line_entry highest{lowest.entry.chain, lowest.entry.fingerprint | low_bits(bits)};
            if (second.may_have_forwarded(lowest.entry.chain) &&
                list().first_within(number_of(lowest), number_of({lowest.line, highest})))
                return true;
        }
        return false;
    }

protected:
    bool holds(const rank_address& at) const noexcept {
        return this->with_class(
            [&]<layout_class Class>(class_constant<Class>) { return this->template holds_entry<Class>(at); });
    }
    // Whether an entry is there, each line asked for once: for owners of the bytes to whom every reading counts.
    template <layout_class Class>
    bool holds_entry(const rank_address& at) const noexcept {
        const auto first = this->template first_line<Class>(at.line);
        if (first.template contains<keeps_equal>(at.entry)) return true;
        if (!first.may_have_forwarded(at.entry.chain)) return false;
        const rank_address further = shape_.second_address.second(at);
        const auto second = this->template second_line<base::second_class(Class)>(further.line);
        if (second.template contains<keeps_equal>(further.entry)) return true;
        return second.may_have_forwarded(further.entry.chain) && list().contains(number_of(further));
    }

public:
    // Overwrites a line of the first table. Entries as in fill_rank_line.
    void write_line(std::uint64_t line_number, std::span<const std::uint64_t> entries,
                    bool has_forwarded) noexcept {
        std::byte* const bytes = first_ + line_number * rank_line_bytes;
        std::memset(bytes, 0, rank_line_bytes);
        fill_rank_line(shape_.first_layout, bytes, entries);
        if (has_forwarded) line<>(shape_.first_layout, bytes).set_forwarded(true);
    }
};

// Reads the numbers of a filter from line `first_line` on, in ascending order, each once with how often it is there.
template <class View>
class number_cursor {
public:
    explicit number_cursor(const View& filter, std::uint64_t first_line = 0)
        : filter_(&filter), reader_(filter.digits()), next_line_(first_line) {}

    std::optional<counted_number> next() {
        while (at_ == numbers_.size()) {
            if (next_line_ == filter_->lines()) return std::nullopt;
            if (next_line_ + lookahead < filter_->lines())
                filter_->prefetch_forwarded_of(next_line_ + lookahead);
            filter_->read_line(reader_, next_line_++, numbers_);
            at_ = 0;
        }
        return numbers_[at_++];
    }

private:
    static constexpr std::uint64_t lookahead = 4;

    const View* filter_;
    number_reader reader_;
    std::uint64_t next_line_;
    std::vector<counted_number> numbers_;
    std::size_t at_ = 0;
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
        for (std::size_t i = 0; i < std::min(added_, waiting_.size()); ++i) forward(waiting_[i]);
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
    static std::size_t variant_of(const filter_spec& spec) { return spec[balanced_rank_field::form]; }

    static constexpr kind_id id = kind_id::balanced_rank;
    static constexpr std::string_view name = "balanced_rank";
    static constexpr std::string_view meaning =
        "fingerprints in cache lines that keep the lowest: fewest bits, one line a lookup; a form "
        "that grows, one that also erases, a fixed one";
    static constexpr std::span<const field_rule> fields = balanced_rank_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_balanced_rank_spec(spec); }
};

MEMBRANE_TARGET_END
