// balanced_rank: rank-indexed lines of 64 bytes, placed as in a balanced filter: nearly every lookup reads one line.
//
//   payload:  lines of the first table, lines of the second, the overflow list; all zero is the empty filter
//
// A key is an entry (chain, fingerprint) of one line of the first table. A full line keeps the lowest entries and
// forwards the highest to the second table, and that likewise to the list; it is marked. A lookup goes on only from a
// marked line whose entries do not end before the asked chain.
//   insert_only: a set of entries; forwarded ones have a hashed address (kind/balanced_rank/address.hpp).
//   erasable:    a multiset; forwarded ones have a carried address, and an erasure from a marked line brings the lowest
//                forwarded entry back. The contents are a function of the keys present: churn changes nothing.
// An insertion that the list has no room for is refused, and no byte has changed.
// Source: our own, out of balanced Bloom filters, rank-indexed hashing and the stop rule of the Prefix filter (VLDB 2022).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <membrane/kind/balanced_rank/tables.hpp>

namespace membrane {

class insert_only_rank_view : public rank_tables<hashed_address> {
public:
    using rank_tables::rank_tables;
    static constexpr bool can_be_full = true;

    // A stranger has the entry of a key, forwarded or not, or its walk goes on and meets another entry of the second table.
    double estimated_fpr_now() const noexcept {
        double going_on = 0;
        for (std::uint64_t i = 0; i < lines_; ++i) {
            const rank_line line = first_line(i);
            if (line.has_forwarded()) going_on += first_shape_.chains() - line.largest_chain();
        }
        going_on = std::min(1.0, going_on / (static_cast<double>(lines_) * first_shape_.chains()));
        const double forwarded = static_cast<double>(second_entries() + listed());
        const double first =
            std::min(1.0, (static_cast<double>(first_entries()) + forwarded) / first_addresses());
        const double second = std::min(1.0, forwarded / second_addresses());
        return first + (1 - first) * going_on * second;
    }
    // Equal entries are kept once, so that the keys are a few more than the entries.
    double estimated_size() const noexcept {
        const double addresses = first_addresses();
        const double entries = static_cast<double>(first_entries() + second_entries() + listed());
        return -addresses * std::log1p(-std::min(entries, addresses - 0.5) / addresses) + 0.0;
    }
};

class erasable_rank_view : public rank_tables<carried_address> {
public:
    using rank_tables::rank_tables;
    static constexpr bool can_be_full = true;

    // Only for keys that were inserted: erasing another key that the filter takes for present harms a third.
    template <class Code>
    bool erase(key_hash hash, const Code& code) noexcept {
        prefetch_forwarded(hash, code);
        return erase_asked(hash, code);
    }
    bool erase(key_hash hash) noexcept {
        return with_code([&](const auto& code) { return erase(hash, code); });
    }
    // The same where what it needs was asked for.
    template <class Code = native_line_code>
    bool erase_asked(key_hash hash, const Code& code = {}) noexcept {
        const rank_address gone = address_of(hash, code);
        rank_line line = first_line(gone.line, code);
        const line_cell cell = code.find(line, gone.entry);
        if (!cell)
            return line.may_have_forwarded(gone.entry.chain) &&
                   erase_second(address_.second(gone), typename Code::second{});
        if (!line.has_forwarded()) {
            code.remove(line, gone.entry.chain, cell);
        } else if (const auto lowest = take_forwarded(gone.line, line.largest_chain(), code)) {
            code.exchange(line, gone.entry.chain, cell, *lowest);
        } else {
            code.remove(line, gone.entry.chain, cell);
            line.set_forwarded(false);
        }
        return true;
    }
    // The lines behind a marked one that an erasure looks into, one behind the other: nearly always they are those of the next
    // few chains. None is waited for before the next is on its way.
    template <class Code = native_line_code>
    void prefetch_forwarded(key_hash hash, const Code& code = {}) const noexcept {
        if (is_near(lines_)) return;
        const rank_address gone = address_of(hash, code);
        const rank_line line = first_line(gone.line, code);
        if (!line.has_forwarded()) return;
        auto at = address_.chain_of_line(gone.line,
                                         std::max<std::uint64_t>(line.largest_chain(), gone.entry.chain));
        list_.prefetch(address_.second_line(at));
        const std::uint64_t end = std::min<std::uint64_t>(first_shape_.chains(), at.chain + 4);
        for (; at.chain < end; at = address_.next(at))
            prefetch_for_write(second_ + address_.second_line(at) * rank_line_bytes);
    }

    // How many entries equal the key's: at least as often as it was inserted.
    std::uint64_t estimate(key_hash hash) const noexcept {
        const rank_address asked = address_of(hash);
        const rank_line line = first_line(asked.line);
        std::uint64_t times = line.count_of(asked.entry);
        if (!line.may_have_forwarded(asked.entry.chain)) return times;
        const rank_address further = address_.second(asked);
        const rank_line second = second_line(further.line);
        times += second.count_of(further.entry);
        if (second.may_have_forwarded(further.entry.chain)) times += list_.count_of(number_of(further));
        return times;
    }
    static constexpr std::uint64_t largest_estimate = UINT64_MAX;

    // Every entry is asked for under its own address alone.
    double estimated_fpr_now() const noexcept { return -std::expm1(-estimated_size() / first_addresses()); }
    double estimated_size() const noexcept {
        return static_cast<double>(first_entries() + second_entries() + listed());
    }

private:
    // The lowest entry that line `number` forwarded, taken out of the second table or the list; none if it has forwarded none that
    // is still there.
    template <class Code>
    std::optional<line_entry> take_forwarded(std::uint64_t number, std::uint64_t from_chain,
                                             const Code& code) noexcept {
        const unsigned bits = code.fingerprint_bits(first_shape_);
        auto at = address_.chain_of_line(number, from_chain);
        for (; at.chain < first_shape_.chains(); at = address_.next(at))
            if (const auto found =
                    take_lowest_of_chain(address_.second(at, 0), bits, typename Code::second{}))
                return line_entry{at.chain, *found};
        return std::nullopt;
    }

    // The least one of the second table, or else of the list, that stands for the same chain of the first table; its fingerprint there,
    // of so many bits.
    template <class Code>
    std::optional<std::uint64_t> take_lowest_of_chain(const rank_address& lowest, unsigned bits,
                                                      const Code& code) noexcept {
        rank_line line = second_line(lowest.line, code);
        if (const line_cell cell = code.find_alike(line, lowest.entry, bits)) {
            const std::uint64_t found = line.low_fingerprint(cell.at, bits);
            remove_second(lowest.line, lowest.entry.chain, cell, code);
            return found;
        }
        if (!line.may_have_forwarded(lowest.entry.chain)) return std::nullopt;
        const std::uint64_t highest = lowest.entry.fingerprint | low_bits(bits);
        const auto number =
            list_.first_within(number_of(lowest), number_of({lowest.line, {lowest.entry.chain, highest}}));
        if (!number) return std::nullopt;
        list_.remove(*number);  // if it stays, it is there once more than it should, and no key is lost
        line.set_forwarded(list_.first_of(lowest.line).has_value());
        return *number & low_bits(bits);
    }

    template <class Code>
    bool erase_second(const rank_address& gone, const Code& code) noexcept {
        rank_line line = second_line(gone.line, code);
        if (const line_cell cell = code.find(line, gone.entry)) {
            remove_second(gone.line, gone.entry.chain, cell, code);
            return true;
        }
        if (!line.may_have_forwarded(gone.entry.chain) || !list_.remove(number_of(gone))) return false;
        line.set_forwarded(list_.first_of(gone.line).has_value());
        return true;
    }
    // Of a line of the second table; what it forwarded comes back likewise.
    template <class Code>
    void remove_second(std::uint64_t number, std::uint64_t chain, const line_cell& cell,
                       const Code& code) noexcept {
        rank_line line = second_line(number, code);
        if (!line.has_forwarded()) return code.remove(line, chain, cell);
        const auto lowest = list_.take_first_of(number);
        if (lowest.number) code.exchange(line, chain, cell, address_of_number(*lowest.number).entry);
        else code.remove(line, chain, cell);
        line.set_forwarded(lowest.has_more);
    }
};

struct balanced_rank_family {
    using types = std::tuple<insert_only_rank_view, erasable_rank_view>;
    static std::size_t variant_of(const filter_spec& spec) { return spec[rank_field::form]; }

    static constexpr kind_id id = kind_id::balanced_rank;
    static constexpr std::string_view name = "balanced_rank";
    static constexpr std::string_view meaning =
        "fingerprints in cache lines that keep the lowest: fewest bits, one line a lookup, keys can be "
        "erased";
    static constexpr std::span<const field_rule> fields = balanced_rank_fields;
    static result<void> check_spec(const filter_spec& spec) { return check_balanced_rank_spec(spec); }
};

}  // namespace membrane
