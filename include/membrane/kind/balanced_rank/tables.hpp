// The two tables of lines and the overflow list of a balanced_rank filter over borrowed bytes: where each stands, what they hold,
// and whether their bytes are well-formed.
//
//   payload:  lines of the first table, lines of the second table, the overflow list; all zero is the empty filter
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/result.hpp>
#include <membrane/kind/balanced_rank/shape.hpp>

MEMBRANE_TARGET_BEGIN

enum class rank_place : std::uint8_t { first, second, list };

// Digits, Second: where entries are (address.hpp). KeepsEqual: an entry may be there several times. Bytes: how lines and list are reached
// (shape.hpp).
template <class Digits, class Second, bool KeepsEqual, class Bytes = plain_bytes<Digits, Second>>
class rank_tables : protected Bytes {
public:
    static constexpr bool keeps_equal = KeepsEqual;
    using shape_type = rank_shape<Digits, Second>;
    static constexpr bool has_numbers = shape_type::has_numbers;

    using Bytes::Bytes;
    rank_tables(const filter_spec& spec, std::byte* payload) noexcept
        : rank_tables(spec, payload, payload + spec[balanced_rank_field::lines] * rank_line_bytes) {}
    // The second table and the list elsewhere than behind the first (growth.hpp).
    rank_tables(const filter_spec& spec, std::byte* first, std::byte* second) noexcept
        : Bytes(shape_type(spec, second + second_lines(spec) * rank_line_bytes), first, second) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto lines = checked_add(spec[balanced_rank_field::lines], second_lines(spec));
        const auto tables = lines ? checked_multiply(*lines, rank_line_bytes) : std::nullopt;
        const auto list = counted_list::size_bytes(spec[balanced_rank_field::list_slots]);
        return tables && list ? checked_add(*tables, *list) : std::nullopt;
    }

    std::uint64_t lines() const noexcept { return shape_.lines; }
    const line_layout& first_line_layout() const noexcept { return shape_.first_layout; }

    // visit(place, address, times): every entry, by its address in the first table or, if it was forwarded, in the second. An
    // address may come more than once.
    template <class Visit>
    void for_each_entry(Visit&& visit) const {
        for (std::uint64_t i = 0; i < shape_.lines; ++i)
            first_line(i).for_each([&](line_entry entry) {
                visit(rank_place::first, rank_address{i, entry}, std::uint64_t{1});
            });
        for (std::uint64_t i = 0; i < shape_.second_lines; ++i)
            second_line(i).for_each([&](line_entry entry) {
                visit(rank_place::second, rank_address{i, entry}, std::uint64_t{1});
            });
        list().for_each([&](std::uint64_t number, std::uint64_t times) {
            visit(rank_place::list, address_of_number(number), times);
        });
    }

    double fill() const noexcept {
        return static_cast<double>(first_entries()) /
               (static_cast<double>(shape_.lines) * shape_.first_layout.cells());
    }

    result<void> check_payload() const {
        for (std::uint64_t i = 0; i < shape_.lines; ++i)
            if (!first_line(i).is_well_formed(keeps_equal))
                return make_error(errc::bad_payload, "line of the first table").with_found(i);
        for (std::uint64_t i = 0; i < shape_.second_lines; ++i)
            if (!second_line(i).is_well_formed(keeps_equal))
                return make_error(errc::bad_payload, "line of the second table").with_found(i);
        if (auto checked = list().check(); !checked) return checked;
        if (auto checked = check_forwarded(); !checked) return checked;
        return check_numbers();
    }

protected:
    rank_address address_of(const key_hash& hash) const noexcept { return shape_.digits.of(hash); }
    using Bytes::shape_, Bytes::first_, Bytes::second_, Bytes::list;
    template <layout_class Class = layout_class::any>
    auto first_line(std::uint64_t number) const noexcept {
        return this->template first_line_at<Class>(first_ + number * rank_line_bytes);
    }
    template <layout_class Class = layout_class::any>
    auto second_line(std::uint64_t number) const noexcept {
        return this->template second_line_at<Class>(second_ + number * rank_line_bytes);
    }

    // An entry of the second table as one number, ordered as (line, chain, fingerprint): what the list holds.
    std::uint64_t number_of(const rank_address& at) const noexcept {
        const unsigned bits = shape_.second_layout.fingerprint_bits();
        return (at.line << 6 | at.entry.chain) << bits | at.entry.fingerprint;
    }
    rank_address address_of_number(std::uint64_t number) const noexcept {
        const unsigned bits = shape_.second_layout.fingerprint_bits();
        return {number >> (bits + 6), {number >> bits & 63, number & low_bits(bits)}};
    }

    static constexpr bool has_plain_bytes = std::is_same_v<Bytes, plain_bytes<Digits, Second>>;
    // No copies of lines: several may be looked at at once.
    static constexpr bool has_lines_in_place = Bytes::has_lines_in_place;
    // Out of line, and one for all classes of layouts: few lookups come so far. Only of plain bytes: others may take the list's lock, and
    // a pure function changes nothing.
    [[gnu::noinline, gnu::pure]] bool list_contains(std::uint64_t number) const noexcept requires
        has_plain_bytes {
        return list().contains(number);
    }

    std::uint64_t first_entries() const noexcept {
        return entries_of(first_, shape_.lines, shape_.first_layout);
    }
    std::uint64_t second_entries() const noexcept {
        return entries_of(second_, shape_.second_lines, shape_.second_layout);
    }
    std::uint64_t listed() const noexcept {
        std::uint64_t entries = 0;
        list().for_each(
            [&](std::uint64_t, std::uint64_t times) { entries = saturating_sum(entries, times); });
        return entries;
    }
    // The number of different addresses in a table.
    static double addresses(std::uint64_t lines, const line_layout& layout) noexcept {
        return std::ldexp(static_cast<double>(lines) * layout.chains(),
                          static_cast<int>(layout.fingerprint_bits()));
    }

    std::size_t size_bytes() const noexcept {  // of a payload in one piece
        return (shape_.lines + shape_.second_lines) * rank_line_bytes +
               *counted_list::size_bytes(list().slots());
    }

private:
    static std::uint64_t entries_of(std::byte* table, std::uint64_t lines,
                                    const line_layout& layout) noexcept {
        std::uint64_t entries = 0;
        for (std::uint64_t i = 0; i < lines; ++i)
            // A payload that nobody checked may claim more entries than cells.
            entries += std::min(line<>(layout, table + i * rank_line_bytes).count(), layout.cells());
        return entries;
    }

    // Every forwarded entry must be found by the lookup of its key.
    result<void> check_forwarded() const {
        std::optional<std::uint64_t> bad;
        list().for_each([&](std::uint64_t number, std::uint64_t times) {
            const rank_address at = address_of_number(number);
            const bool is_reached =
                (keeps_equal || times == 1) && at.entry.chain < shape_.second_layout.chains() &&
                second_line(at.line).has_forwarded() && !(at.entry < second_line(at.line).largest());
            if (!bad && !(is_reached && has_good_origin(at))) bad = number;
        });
        for (std::uint64_t i = 0; i < shape_.second_lines && !bad; ++i)
            second_line(i).for_each([&](line_entry entry) {
                if (!bad && !has_good_origin({i, entry})) bad = number_of({i, entry});
            });
        if (bad) return make_error(errc::bad_payload, "forwarded entry").with_found(*bad);
        return {};
    }
    bool has_good_origin(const rank_address& at) const noexcept {
        if constexpr (has_numbers) {
            const auto origin = shape_.second_address.origin(at);
            if (!origin) return false;
            const line<> from = first_line(origin->line);
            return from.has_forwarded() && !(origin->entry < from.largest());
        } else {
            return at.entry.chain < shape_.second_layout.chains();
        }
    }
    // No entry stands where no number is. The forwarded ones have an origin.
    result<void> check_numbers() const {
        if constexpr (has_numbers) {
            const number_reader reader(shape_.digits);
            std::optional<std::uint64_t> bad;
            for_each_entry([&](rank_place place, const rank_address& at, std::uint64_t) {
                const rank_address origin =
                    place == rank_place::first ? at : shape_.second_address.origin(at).value_or(at);
                if (!bad && !reader.number_at(origin)) bad = origin.line;
            });
            if (bad) return make_error(errc::bad_payload, "number of an entry of the line").with_found(*bad);
        }
        return {};
    }
};

MEMBRANE_TARGET_END
