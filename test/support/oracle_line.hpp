// The obvious implementation of a rank-indexed line (kind/balanced_rank/layout.hpp draws its bytes), entry by entry and bit by bit:
// what the line operations of every target are compared with.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>

namespace membrane::test {

// Where an entry was found, beside the other cells of its chain; no chain: it is not there.
struct oracle_cell {
    std::uint64_t chain_cells;
    unsigned at;

    explicit operator bool() const noexcept { return chain_cells != 0; }
};

class oracle_line {
public:
    oracle_line(const line_layout& layout, std::byte* bytes) noexcept : layout_(layout), bytes_(bytes) {}
    oracle_line(const line_layout&& temporary, std::byte* bytes) = delete;

    bool has_forwarded() const noexcept { return (bytes_[63] & std::byte{0x80}) != std::byte{0}; }
    void set_forwarded(bool yes) noexcept {
        bytes_[63] = (bytes_[63] & std::byte{0x7f}) | (yes ? std::byte{0x80} : std::byte{0});
    }

    unsigned count() const noexcept {
        return static_cast<unsigned>(std::popcount(in_use()) + std::popcount(continues()));
    }
    bool is_full() const noexcept { return count() == layout_.cells(); }

    // Of a line that is not empty.
    unsigned largest_chain() const noexcept {
        return 63u - static_cast<unsigned>(std::countl_zero(in_use()));
    }
    line_entry largest() const noexcept { return {largest_chain(), fingerprint(count() - 1)}; }
    line_entry largest_of_full() const noexcept {
        return {largest_chain(), fingerprint(layout_.cells() - 1)};
    }

    // An entry of this chain may be behind a full line only if the line's entries do not end before the chain: nothing but the
    // mark stands above the chain's bit. As a signed number the word is then less than two of that bit above the least one,
    // and taking them away, which is adding the ones above it, goes beyond the least: one addition tells. No branch: batches
    // collect the answers.
    bool may_have_forwarded(std::uint64_t chain) const noexcept {
        std::int64_t sum = 0;
        return __builtin_add_overflow(static_cast<std::int64_t>(last_word()),
                                      static_cast<std::int64_t>(layout_.above_chain(chain)), &sum);
    }

    const std::byte* data() const noexcept { return bytes_; }
    std::byte* data() noexcept { return bytes_; }
    const line_layout& layout() const noexcept { return layout_; }

    bool contains(line_entry asked) const noexcept { return matches(asked) != 0; }
    unsigned count_of(line_entry asked) const noexcept {
        return static_cast<unsigned>(std::popcount(matches(asked)));
    }

    // The entries of one chain, from `first` to before `last`.
    struct chain_range {
        unsigned first;
        unsigned last;
    };
    chain_range range_of(std::uint64_t chain) const noexcept {
        const std::uint64_t used = in_use(), zeros = ends();
        const auto rank = static_cast<unsigned>(std::popcount(used & low_bits(chain)));
        const unsigned first = rank == 0 ? 0 : select_bit(zeros, rank - 1) + 1;
        if ((used >> chain & 1) == 0) return {first, first};
        return {first, select_bit(zeros, rank) + 1};
    }

    std::uint64_t fingerprint(unsigned at) const noexcept {
        return low_fingerprint(at, layout_.fingerprint_bits());
    }
    // Its lowest bits.
    std::uint64_t low_fingerprint(unsigned at, unsigned count) const noexcept {
        const unsigned shift = layout_.bits_in_byte();
        std::uint64_t value = layout_.has_bytes() ? std::to_integer<std::uint64_t>(bytes_[at]) : 0;
        for (unsigned plane = 0; shift + plane < count; ++plane)
            value = (value & low_bits(shift + plane)) | bit_at(layout_.plane_at(plane) + at)
                                                            << (shift + plane);
        return value & low_bits(count);
    }

    // The largest entry of a full line, which is above the new one, drops out.
    void insert(line_entry entry) noexcept {
        if (is_full()) remove_largest();
        const chain_range range = range_of(entry.chain);
        unsigned at = range.first;
        while (at < range.last && fingerprint(at) <= entry.fingerprint) ++at;
        open_cell(at, entry.fingerprint, at < range.last);
        if (range.first == range.last) put_in_use(in_use() | std::uint64_t{1} << entry.chain);
        else if (at == range.last) put_continues(at - 1, true);
    }

    // The first entry equal to this.
    oracle_cell find(line_entry asked) const noexcept { return find_alike(asked, 0); }
    // The first one of the chain whose fingerprint is equal but for its lowest bits.
    oracle_cell find_alike(line_entry asked, unsigned low_count) const noexcept {
        const chain_range range = range_of(asked.chain);
        for (unsigned at = range.first; at < range.last; ++at)
            if ((fingerprint(at) ^ asked.fingerprint) >> low_count == 0)
                return {low_bits(range.last) & ~low_bits(range.first), at};
        return {0, 0};
    }
    void remove(std::uint64_t chain, const oracle_cell& cell) noexcept {
        close_cell(cell.at);
        const std::uint64_t others = cell.chain_cells & ~(std::uint64_t{1} << cell.at);
        if (others == 0) put_in_use(in_use() & ~(std::uint64_t{1} << chain));
        else if (others >> cell.at == 0) put_continues(cell.at - 1, false);
    }
    // One entry equal to this; false, and nothing changed, if there is none.
    bool erase(line_entry entry) noexcept {
        const oracle_cell cell = find(entry);
        if (cell) remove(entry.chain, cell);
        return static_cast<bool>(cell);
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        std::uint64_t chains = in_use();
        const std::uint64_t more = continues();
        unsigned at = 0;
        for (; chains != 0; chains &= chains - 1) {
            const auto chain = static_cast<std::uint64_t>(std::countr_zero(chains));
            bool goes_on = true;
            for (; goes_on; ++at) {
                goes_on = (more >> at & 1) != 0;
                visit(line_entry{chain, fingerprint(at)});
            }
        }
    }

    // Whether some sequence of insertions could have made these bytes, with equal entries or without.
    bool is_well_formed(bool keeps_equal = true) const noexcept {
        const std::uint64_t more = continues();
        const unsigned entries = count();
        if (entries > layout_.cells() || (entries == 0 ? more : more >> (entries - 1)) != 0) return false;
        if (std::popcount(ends()) != std::popcount(in_use())) return false;
        if (has_forwarded() && entries != layout_.cells()) return false;
        const unsigned payload_end = layout_.plane_at(layout_.planes());
        for (unsigned bit = payload_end; bit < layout_.used_end(); ++bit)
            if (bit_at(bit) != 0) return false;
        for (unsigned at = entries; at < layout_.cells(); ++at)
            if (fingerprint(at) != 0) return false;
        for (unsigned at = 0; at + 1 < entries; ++at)
            if ((more >> at & 1) != 0 && fingerprint(at) + (keeps_equal ? 0 : 1) > fingerprint(at + 1))
                return false;
        return true;
    }

    std::uint64_t in_use() const noexcept {
        // Without the mark, and without what stands before.
        return last_word() << 1 >> 1 >> layout_.first_chain_bit();
    }
    std::uint64_t continues() const noexcept {
        if (!layout_.continues_in_bytes()) return get(layout_.continues_at(), layout_.cells());
        return highest_bits(bytes_) & low_bits(layout_.cells());
    }

    // The mark, in_use below it, and what comes before.
    std::uint64_t last_word() const noexcept { return load_le<std::uint64_t>(bytes_ + 56); }

private:
    void put_in_use(std::uint64_t chains) noexcept { put(layout_.in_use_at(), layout_.chains(), chains); }
    void put_continues(unsigned at, bool goes_on) noexcept {
        const unsigned bit = layout_.continues_in_bytes() ? at * 8 + 7 : layout_.continues_at() + at;
        put(bit, 1, goes_on ? 1 : 0);
    }

    void remove_largest() noexcept {
        const std::uint64_t chain = largest_chain();
        const chain_range range = range_of(chain);
        remove(chain, {low_bits(range.last) & ~low_bits(range.first), range.last - 1});
    }

    // Zeros of `continues` among the entries: one for the last entry of each chain.
    std::uint64_t ends() const noexcept { return ~continues() & low_bits(count()); }

    // Cells that hold this entry. A byte that matches by chance is in another chain: the zeros before it tell.
    std::uint64_t matches(line_entry asked) const noexcept {
        std::uint64_t equal = equal_cells(asked.fingerprint);
        const std::uint64_t used = in_use(), more = continues();
        const auto chains_before = std::popcount(used & low_bits(asked.chain));
        equal &= low_bits(count());
        std::uint64_t found = 0;
        for (; equal != 0; equal &= equal - 1) {
            const std::uint64_t below = low_bits(static_cast<std::uint64_t>(std::countr_zero(equal)));
            const bool is_here = std::popcount(~more & below) == chains_before;
            found |= is_here ? equal & (~equal + 1) : 0;
        }
        return (used >> asked.chain & 1) != 0 ? found : 0;
    }

    std::uint64_t equal_cells(std::uint64_t value) const noexcept {
        std::uint64_t equal = ~std::uint64_t{0};
        if (layout_.has_bytes()) {
            const auto low = static_cast<unsigned char>(value & 0xff);
            equal = equal_bytes(bytes_, low);
            if (layout_.continues_in_bytes()) equal |= equal_bytes(bytes_, low | 0x80);
            value >>= layout_.bits_in_byte();
        }
        if (equal == 0) return 0;
        for (unsigned plane = 0; plane < layout_.planes(); ++plane) {
            const std::uint64_t ones = get(layout_.plane_at(plane), layout_.cells());
            equal &= (value >> plane & 1) != 0 ? ones : ~ones;
        }
        return equal;
    }

    std::byte byte_of(std::uint64_t fingerprint, bool goes_on) const noexcept {
        const std::uint64_t mark = layout_.continues_in_bytes() && goes_on ? 0x80 : 0;
        return static_cast<std::byte>((fingerprint & 0xff) | mark);
    }
    void open_cell(unsigned at, std::uint64_t value, bool goes_on) noexcept {
        if (layout_.has_bytes()) {
            std::memmove(bytes_ + at + 1, bytes_ + at, layout_.cells() - 1 - at);
            bytes_[at] = byte_of(value, goes_on);
        }
        for (unsigned plane = 0; plane < layout_.planes(); ++plane)
            insert_bit(layout_.plane_at(plane), at, (value >> (layout_.bits_in_byte() + plane) & 1) != 0);
        if (!layout_.continues_in_bytes()) insert_bit(layout_.continues_at(), at, goes_on);
    }
    void close_cell(unsigned at) noexcept {
        if (layout_.has_bytes()) {
            std::memmove(bytes_ + at, bytes_ + at + 1, layout_.cells() - 1 - at);
            bytes_[layout_.cells() - 1] = std::byte{0};
        }
        for (unsigned plane = 0; plane < layout_.planes(); ++plane) remove_bit(layout_.plane_at(plane), at);
        if (!layout_.continues_in_bytes()) remove_bit(layout_.continues_at(), at);
    }
    // Of a run of as many bits as there are cells.
    void insert_bit(unsigned run, unsigned at, bool bit) noexcept {
        put(run, layout_.cells(), with_bit_inserted(get(run, layout_.cells()), at, bit));
    }
    void remove_bit(unsigned run, unsigned at) noexcept {
        put(run, layout_.cells(), with_bit_removed(get(run, layout_.cells()), at));
    }

    std::uint64_t bit_at(unsigned at) const noexcept {
        return std::to_integer<std::uint64_t>(bytes_[at / 8]) >> (at % 8) & 1;
    }
    std::uint64_t get(unsigned at, unsigned count) const noexcept { return read_bits(bytes_, at, count); }
    void put(unsigned at, unsigned count, std::uint64_t value) noexcept {
        write_bits(bytes_, at, count, value);
    }

    const line_layout& layout_;
    std::byte* bytes_;
};

}  // namespace membrane::test
