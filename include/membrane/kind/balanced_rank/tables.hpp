// What both forms of balanced_rank do alike: how entries go from one table to the next and into the list, and how a lookup
// follows them. A full line keeps the lowest entries and forwards the highest, and is marked. A lookup goes on only from a marked line
// whose entries do not end before the asked chain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/prefetch.hpp>
#include <membrane/base/result.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/kind/balanced_rank/planned_lines.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/kind/balanced_rank/fill.hpp>
#include <membrane/kind/balanced_rank/lines.hpp>
#include <membrane/kind/balanced_rank/walk.hpp>
#include <membrane/hash/hash_batches.hpp>

namespace membrane {

template <class Address>
class rank_tables : public rank_lines<Address> {
    template <class Tables, class Code>
    friend struct rank_lookup_steps;
    template <class Tables, class Code>
    friend struct near_rank_lookup_steps;

protected:
    using base = rank_lines<Address>;
    using base::address_, base::address_of, base::first_, base::first_line, base::first_shape_, base::lines_,
        base::line_of, base::list_, base::list_end, base::number_of, base::second_, base::second_line,
        base::second_lines_, base::second_shape_;

public:
    using base::base;
    using base::is_erasable;

    // Worth compiling for machines that count bits in one instruction.
    static constexpr bool counts_bits = true;
    static constexpr unsigned second_bits(unsigned fingerprint_bits) noexcept {
        return Address::bits_for(fingerprint_bits);
    }
    // Addresses come from the hash alone, a line's indexes are counted within its 64 bytes, and the list ends at its slots.
    static constexpr bool lookups_are_safe_on_any_payload = true;

    // `Code`: what is done in a line, as rank_line does it; another one has the same answers and leaves the same bytes.
    template <class Code>
    bool insert(const key_hash& hash, const Code& code) noexcept {
        return insert_entry(address_of(hash, code), code);
    }
    bool insert(const key_hash& hash) noexcept {
        return with_native_line_code<Address>(
            usual_bits_,
            [&](const auto& code) {
                const line_offer found = offer(hash, code);
                return found <= line_offer::present || insert_apart(found, hash.low, hash.high);
            },
            [&] { return insert_apart(line_offer::undecided, hash.low, hash.high); });
    }
    // The same in two steps: into the first table, which is nearly always all, and what is left to do when that was not taken.
    template <class Code>
    line_offer offer(const key_hash& hash, const Code& code) noexcept {
        const rank_address added = address_of(hash, code);
        rank_line line = first_line(added.line, code);
        return code.template quick_offer<is_erasable>(line, added.entry);
    }
    template <class Code>
    bool insert_after(line_offer found, const key_hash& hash, const Code& code) noexcept {
        const rank_address added = address_of(hash, code);
        return found == line_offer::full ? insert_into_full_first(added, code) : insert_entry(added, code);
    }

    bool may_contain(const key_hash& hash) const noexcept {
        // Before the code is chosen: only what every lookup reads does a loop of them keep in registers.
        std::byte* const at = first_ + fastrange_of(hash.low, lines_) * rank_line_bytes;
        const std::uint64_t chain = base::first_chain_of(hash, native_line_code{});
        return with_native_line_code<Address>(
            far_bits_, [&](const auto& code) { return ask<true>(at, chain, hash, code); },
            [&] {
                return with_native_line_code<Address>(
                    near_bits_, [&](const auto& code) { return ask<false>(at, chain, hash, code); },
                    [&] { return ask_apart(at, chain, hash.high); });
            });
    }
    // So near, by its size, that lookups wait little for the first table and need not ask for what is behind it.
    static bool is_near(const filter_spec& spec) { return is_near(spec[rank_field::lines]); }

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

    template <class Code = native_line_code>
    rank_lookup_steps<rank_tables, Code> steps(const Code& code = {}) const noexcept {
        return {*this, code, {}};
    }
    template <class Code>
    near_rank_lookup_steps<rank_tables, Code> near_steps(const Code& code) const noexcept {
        return {*this, code, {}};
    }

    void prefetch_insert(key_hash hash) const noexcept {
        prefetch_for_write(first_ + line_of(hash) * rank_line_bytes);
    }

    // When that line has come: the one that takes what it forwards, if it is full.
    template <class Code = native_line_code>
    void prefetch_forwarding(key_hash hash, const Code& code = {}) const noexcept {
        if (is_near(lines_)) return;
        const rank_address added = address_of(hash, code);
        const rank_line line = first_line(added.line, code);
        if (!code.is_full(line)) return;
        const line_entry largest = line.largest_of_full();
        const line_entry sent = added.entry < largest ? largest : added.entry;
        prefetch_for_write(second_ + address_.second({added.line, sent}).line * rank_line_bytes);
    }

    bool is_empty() const noexcept {
        return are_all_zero({first_, static_cast<std::size_t>(list_end() - first_)});
    }
    // From a few keys a line on, writing each line once is worth the passes before it.
    bool is_worth_filling(std::size_t keys, unsigned) const noexcept { return keys / 4 >= lines_; }
    // All keys of a filter that is empty, each line written once; the same bytes as one by one. False, and the filter is
    // empty, if they do not fit or there is no memory.
    [[gnu::noinline]] bool fill_empty(const hash_batches& hashes, unsigned threads) noexcept {
        try {
            std::vector<std::uint64_t> numbers;
            const auto list_left = [&](const auto& for_left) {
                for_left(0, 1, [&](const rank_address& at) { numbers.push_back(number_of(at)); });
            };
            const auto fill_second = [&](const auto& for_left) {
                rank_table_filler(second_, second_lines_, second_shape_, is_erasable, threads)
                    .fill(
                        [&](unsigned part, unsigned parts, const auto& visit) {
                            for_left(part, parts,
                                     [&](const rank_address& at) { visit(address_.second(at)); });
                        },
                        list_left);
            };
            rank_table_filler(first_, lines_, first_shape_, is_erasable, threads)
                .fill(
                    [&](unsigned part, unsigned parts, const auto& visit) {
                        hashes.for_each_in_part(part, parts, [&](key_hash hash) { visit(address_of(hash)); });
                    },
                    fill_second);
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

    // Entries of both filters, which are two. Refused whole if they do not fit: this filter is then as it was.
    result<void> merge(const rank_tables& other) {
        const auto size_bytes = static_cast<std::size_t>(list_end() - first_);
        const auto before = aligned_buffer::copy_of({first_, size_bytes});
        if (!before) return before.error();
        if (take_entries_of(other)) return {};
        std::memcpy(first_, before->data(), size_bytes);
        return make_error(errc::full, "merge")
            .with_note("the overflow list has no room for the entries of both filters");
    }

protected:
    static bool is_near(std::uint64_t lines) noexcept {
        return lines <= (std::uint64_t{8} << 20) / rank_line_bytes;
    }

    // work(code), with the code that the program is compiled for and that knows most of these lines.
    template <class Work>
    bool with_code(const Work& work) const noexcept {
        return with_native_line_code<Address>(
            usual_bits_, work, [&] { return with_plane_code<is_erasable>(usual_bits_, work); });
    }

    template <class Code>
    bool second_contains(const rank_address& asked, const Code& code) const noexcept {
        const rank_line line = second_line(asked.line, code);
        if (code.template contains<is_erasable>(line, asked.entry)) return true;
        return code.may_have_forwarded(line, asked.entry.chain) && list_contains(number_of(asked));
    }

    template <class Code = native_line_code>
    bool insert_entry(const rank_address& added, const Code& code = {}) noexcept {
        rank_line line = first_line(added.line, code);
        return code.template offer<is_erasable>(line, added.entry) != line_offer::full ||
               insert_into_full_first(added, code);
    }
    template <class Code>
    bool insert_into_full_first(const rank_address& added, const Code& code) noexcept {
        return take_or_forward(first_line(added.line, code), added.entry, code, [&](line_entry largest) {
            return insert_second(address_.second({added.line, largest}), typename Code::second{});
        });
    }
    template <class Code = native_line_code>
    bool insert_second(const rank_address& added, const Code& code = {}) noexcept {
        rank_line line = second_line(added.line, code);
        if (code.template offer<is_erasable>(line, added.entry) != line_offer::full) return true;
        return take_or_forward(line, added.entry, code, [&](line_entry largest) {
            const std::uint64_t number = number_of({added.line, largest});
            return (!is_erasable && list_.contains(number)) || list_.add(number);
        });
    }

    // Of a full line; `forward` is asked first: if it refuses, no byte has changed.
    template <class Code, class Forward>
    static bool take_or_forward(rank_line line, line_entry added, const Code& code,
                                const Forward& forward) noexcept {
        const line_entry largest = line.largest_of_full();
        const bool takes_a_place = added < largest;
        if (!forward(takes_a_place ? largest : added)) return false;
        line.set_forwarded(true);
        if (takes_a_place) code.insert(line, added);
        return true;
    }

private:
    // IsFar: the line is waited for.
    template <bool IsFar, class Code>
    bool ask(std::byte* at, std::uint64_t chain, const key_hash& hash, const Code& code) const noexcept {
        const rank_line line(code.shape_of(first_shape_), at);
        const line_entry asked{chain, base::first_fingerprint_of(hash, code)};
        if ((!IsFar || code.has_alike(line, asked)) && code.template contains<is_erasable>(line, asked))
            return true;
        return code.may_have_forwarded(line, chain) && looks_further<Code>(at, chain, hash.high);
    }
    // For kind/balanced_rank/native_line_code.hpp. Word by word: a hash as a whole would be kept in memory.
    [[gnu::noinline, gnu::pure]] bool ask_apart(std::byte* at, std::uint64_t chain,
                                                std::uint64_t high) const noexcept {
        return with_plane_code<is_erasable>(
            usual_bits_, [&](const auto& code) { return ask_with(at, chain, high, code); });
    }
    template <class Code>
    [[gnu::noinline, gnu::pure]] bool ask_with(std::byte* at, std::uint64_t chain, std::uint64_t high,
                                               const Code& code) const noexcept {
        const key_hash hash{0, high};
        return is_near(lines_) ? ask<false>(at, chain, hash, code) : ask<true>(at, chain, hash, code);
    }
    // Behind calls: what ends in the first table saves no registers.
    [[gnu::noinline]] bool insert_apart(line_offer found, std::uint64_t low, std::uint64_t high) noexcept {
        return with_native_line_code<Address>(
            usual_bits_, [&](const auto& code) { return insert_rest(found, low, high, code); },
            [&] {
                return with_plane_code<is_erasable>(
                    usual_bits_, [&](const auto& code) { return insert_with(low, high, code); });
            });
    }
    template <class Code>
    [[gnu::noinline, gnu::flatten]] bool insert_with(std::uint64_t low, std::uint64_t high,
                                                     const Code& code) noexcept {
        const line_offer found = offer(key_hash{low, high}, code);
        return found <= line_offer::present || insert_rest(found, low, high, code);
    }
    template <class Code>
    [[gnu::noinline, gnu::flatten]] bool insert_rest(line_offer found, std::uint64_t low, std::uint64_t high,
                                                     const Code& code) noexcept {
        return insert_after(found, key_hash{low, high}, code);
    }
    // The line's number is made again from its place, which is in a register anyway. What waits for the second line takes part of the
    // processor's window, as many instructions as it is: one function, and no register saved.
    template <class Code>
    [[gnu::noinline, gnu::pure, gnu::flatten]] bool looks_further(const std::byte* at, std::uint64_t chain,
                                                                  std::uint64_t high) const noexcept {
        const line_entry asked{chain, high & low_bits(Code::fingerprint_bits(first_shape_))};
        return second_contains(address_.second({base::number_of_line(at), asked}), typename Code::second{});
    }
    [[gnu::noinline, gnu::pure]] bool list_contains(std::uint64_t number) const noexcept {
        return list_.contains(number);
    }

    // As rank_line_shape::usual_bits, where the second table is as planned, too; or planned_plane_bits.
    static constexpr std::uint8_t usual_bits_of(const rank_line_shape& first,
                                                const rank_line_shape& second) noexcept {
        const std::uint8_t bits = first.usual_bits();
        if (bits == 0) return planned_plane_bits<is_erasable>(first, second);
        return second.fingerprint_bits() == Address::bits_for(bits) ? bits : std::uint8_t{0};
    }

    // Where both lines are full of entries that are not above this one, the list takes the rest at once: a file may say any
    // number of times, and a line is full after as many as it has cells.
    bool insert_times(const rank_address& added, std::uint64_t times) noexcept {
        const auto goes_through = [](const rank_line& line, line_entry entry) {
            return line.has_forwarded() && !(entry < line.largest());
        };
        for (; times != 0; --times) {
            const rank_address further = address_.second(added);
            if (goes_through(first_line(added.line), added.entry) &&
                goes_through(second_line(further.line), further.entry))
                return list_.add(number_of(further), times);
            if (!insert_entry(added)) return false;
        }
        return true;
    }

    bool take_entries_of(const rank_tables& other) noexcept {
        bool fits = true;
        other.for_each_entry([&](rank_place place, const rank_address& at, std::uint64_t times) {
            if (!fits) return;
            if (place == rank_place::first) {
                fits = insert_entry(at);
            } else if constexpr (is_erasable) {
                const auto origin = address_.origin(at);
                fits = origin && insert_times(*origin, times);
            } else {
                fits = insert_second(at);
            }
        });
        // What the other's lines forwarded is looked for behind these.
        if constexpr (!is_erasable)
            for (std::uint64_t i = 0; i < lines_ && fits; ++i)
                if (other.first_line(i).has_forwarded()) first_line(i).set_forwarded(true);
        return fits;
    }

    std::uint8_t usual_bits_ = usual_bits_of(first_shape_, second_shape_);
    // For single lookups, one of them 0: a table in memory and a near one are asked in different ways.
    std::uint8_t far_bits_ = is_near(lines_) ? std::uint8_t{0} : usual_bits_;
    std::uint8_t near_bits_ = is_near(lines_) ? usual_bits_ : std::uint8_t{0};
};

}  // namespace membrane
