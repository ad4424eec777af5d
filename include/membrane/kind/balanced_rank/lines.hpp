// What a balanced_rank filter is made of: two tables of lines, the overflow list, and the addresses that lead through them.
//
//   payload:  lines of the first table, lines of the second, the overflow list; all zero is the empty filter
//
// What is found here, counted and checked; what is done with it stands in kind/balanced_rank/tables.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <membrane/base/result.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/part/counted_list.hpp>

namespace membrane {

enum class rank_place : std::uint8_t { first, second, list };

template <class Address>
class rank_lines {
public:
    static constexpr bool is_erasable = std::is_same_v<Address, carried_address>;

    rank_lines(const filter_spec& spec, std::byte* payload) noexcept
        : first_(payload),
          second_(payload + spec[rank_field::lines] * rank_line_bytes),
          lines_(spec[rank_field::lines]),
          second_lines_(second_lines(spec)),
          first_shape_(first_shape(spec)),
          second_shape_(second_shape(spec)),
          address_(spec),
          list_(second_ + second_lines_ * rank_line_bytes, spec[rank_field::list_slots], list_homes(spec),
                second_lines_, list_group_bits(spec)) {}

    static std::optional<std::uint64_t> payload_bytes(const filter_spec& spec) {
        const auto lines = checked_add(spec[rank_field::lines], second_lines(spec));
        const auto tables = lines ? checked_multiply(*lines, rank_line_bytes) : std::nullopt;
        const auto list = counted_list::size_bytes(spec[rank_field::list_slots]);
        return tables && list ? checked_add(*tables, *list) : std::nullopt;
    }

    std::uint64_t lines() const noexcept { return lines_; }

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
    std::uint64_t line_of(const key_hash& hash) const noexcept { return fastrange(hash.low, lines_); }
    rank_address address_of(const key_hash& hash) const noexcept {
        return first_address(hash, lines_, first_shape_.chains(), first_shape_.fingerprint_bits());
    }
    // `Code` of kind/balanced_rank/tables.hpp may know the bits at compile time.
    template <class Code>
    rank_address address_of(const key_hash& hash, const Code& code) const noexcept {
        return {line_of(hash), entry_of(hash, code)};
    }
    template <class Code>
    line_entry entry_of(const key_hash& hash, const Code& code) const noexcept {
        return {first_chain_of(hash, code), first_fingerprint_of(hash, code)};
    }
    template <class Code>
    std::uint64_t first_chain_of(const key_hash& hash, const Code& code) const noexcept {
        return chain_of(upper_half_of_high(hash), code.shape_of(first_shape_).chains());
    }
    template <class Code>
    std::uint64_t first_fingerprint_of(const key_hash& hash, const Code& code) const noexcept {
        return fingerprint_of<Code::known_bits>(hash, code.fingerprint_bits(first_shape_));
    }
    rank_line first_line(std::uint64_t line) const noexcept {
        return {first_shape_, first_ + line * rank_line_bytes};
    }
    rank_line second_line(std::uint64_t line) const noexcept {
        return {second_shape_, second_ + line * rank_line_bytes};
    }
    // The same where the code may know the shape: `Code` for the first table, its `second` for the second.
    template <class Code>
    rank_line first_line(std::uint64_t line, const Code& code) const noexcept {
        return {code.shape_of(first_shape_), first_ + line * rank_line_bytes};
    }
    template <class Code>
    rank_line second_line(std::uint64_t line, const Code& code) const noexcept {
        return {code.shape_of(second_shape_), second_ + line * rank_line_bytes};
    }

    // Of the first table, by its place: sooner than from the hash.
    std::uint64_t number_of_line(const std::byte* line) const noexcept {
        return static_cast<std::uint64_t>(line - first_) / rank_line_bytes;
    }
    std::uint64_t number_of(const rank_address& at) const noexcept {
        const unsigned bits = second_shape_.fingerprint_bits();
        return (at.line << 6 | at.entry.chain) << bits | at.entry.fingerprint;
    }
    rank_address address_of_number(std::uint64_t number) const noexcept {
        const unsigned bits = second_shape_.fingerprint_bits();
        return {number >> (bits + 6), {number >> bits & 63, number & low_bits(bits)}};
    }

    static std::uint64_t entries_of(std::byte* table, std::uint64_t lines,
                                    const rank_line_shape& shape) noexcept {
        std::uint64_t entries = 0;
        for (std::uint64_t i = 0; i < lines; ++i)
            // A payload that nobody checked may say more than there are cells.
            entries += std::min(rank_line(shape, table + i * rank_line_bytes).count(), shape.cells());
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

    std::byte* list_end() const noexcept {
        return second_ + second_lines_ * rank_line_bytes + *counted_list::size_bytes(list_.slots());
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
    static result<void> check_lines(std::byte* table, std::uint64_t lines, const rank_line_shape& shape,
                                    const char* what) {
        for (std::uint64_t i = 0; i < lines; ++i)
            if (!rank_line(shape, table + i * rank_line_bytes).is_well_formed(is_erasable))
                return make_error(errc::bad_payload, what).with_found(i);
        return {};
    }

    // Every forwarded entry must be found by the walk that looks for it.
    result<void> check_listed() const {
        bool good = true;
        std::uint64_t bad = 0;
        list_.for_each([&](std::uint64_t number, std::uint64_t times) {
            const rank_address at = address_of_number(number);
            const bool is_reached = (is_erasable || times == 1) && at.entry.chain < second_shape_.chains() &&
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
