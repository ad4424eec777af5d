// One cache line of a rank-indexed filter: up to Z entries (chain, fingerprint) in ascending order, found by counting bits. The
// bytes are drawn in layout.hpp.
//
// A chain of m entries is m - 1 ones and a zero in `continues`. So the number of entries is the number of ones in `continues` and
// `in_use`, and an entry's chain follows from the number of zeros before it: no counter, no pointer. Cells behind the last entry
// are zero: equal entries give equal bytes, whatever the order of insertion.
// Source: rank-indexed hashing, section III, with its levels joined into one sorted sequence.
//
// Every operation exists once, for all layouts and targets. A lookup is free of loops and nearly free of branches: all fingerprints
// are compared at once, and the cells of the chain are cut out of the result.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>
#include <membrane/kind/balanced_rank/line_bytes.hpp>
#include <membrane/kind/balanced_rank/run_writer.hpp>

MEMBRANE_TARGET_BEGIN

// Cells of a line as bits of a word.
struct line_cell {
    std::uint64_t chain_cells;  // all cells of the entry's chain; 0: the entry was not found
    unsigned at;                // the entry's cell

    explicit operator bool() const noexcept { return chain_cells != 0; }
};

// What the compiler knows of a layout. The planner chooses 7 bits for rates around 1 %, tight lines of 8 bits around 0.4 %, and wider
// fingerprints below.
enum class layout_class : std::uint8_t {
    any = 0,      // nothing
    bits_7 = 7,   // fingerprints of 7 bits
    tight_8 = 8,  // of 8 bits, in a tight line
    wide = 9  // of 8 bits or more, a byte and planes, each plane within the eight bytes that begin with it
};

constexpr layout_class class_of(const line_layout& layout) noexcept {
    if (layout.fingerprint_bits() < 7) return layout_class::any;
    if (layout.fingerprint_bits() == 7) return layout_class::bits_7;
    if (layout.is_tight()) return layout_class::tight_8;
    return layout.has_planes_in_words() ? layout_class::wide : layout_class::any;
}

// A line over borrowed bytes and a layout that outlives it. `const` lines are only read.
template <layout_class Class = layout_class::any>
class line {
public:
    line(const line_layout& layout, std::byte* bytes) noexcept : layout_(layout), bytes_(bytes) {}
    line(const line_layout&& temporary, std::byte* bytes) = delete;

    static constexpr unsigned fingerprint_bits(const line_layout& layout) noexcept {
        const bool is_known = Class == layout_class::bits_7 || Class == layout_class::tight_8;
        return is_known ? static_cast<unsigned>(Class) : layout.fingerprint_bits();
    }

    // ---- lookups

    // Conservative: false proves that no cell holds the entry. 20 % of entries that are not there pass (7 bits: 38 %). For a branch
    // that waits for the line; `after` as in line_bytes.hpp.
    [[gnu::always_inline]] bool has_equal_byte_for(line_entry entry) const noexcept {
        return !has_bytes() || has_equal_byte(bytes_, entry.fingerprint, byte_mask(), entry.chain);
    }
    // Conservative likewise, 12 % pass (7 bits: 25 %), and without a branch: also asks whether the chain is in use.
    [[gnu::always_inline]] std::uint64_t may_hold(line_entry entry) const noexcept {
        if (!has_bytes()) return 1;
        const std::uint64_t from_chain = last_word() >> (layout_.first_chain_bit() + entry.chain);
        return count_equal_byte(bytes_, entry.fingerprint, byte_mask()) & from_chain & 1;
    }
    // KeepsEqual: the line may hold an entry more than once.
    template <bool KeepsEqual>
    [[gnu::always_inline]] bool contains(line_entry entry) const noexcept {
        return matches_of<KeepsEqual>(entry.chain, equal_cells(entry.fingerprint)) != 0;
    }
    // Not 0 if one of the cells in `equal`, whose fingerprints are equal, is of the chain.
    template <bool KeepsEqual>
    [[gnu::always_inline]] std::uint64_t matches_of(std::uint64_t chain, std::uint64_t equal) const noexcept {
        if (KeepsEqual) return equal & cells_of(chain);
        // No chain holds an entry twice: added to `continues`, its equal cell flips the zero at the end of its chain and no other.
        const std::uint64_t more = continues();
        return (more + equal) & end_of_chain(used_with_mark(), layout_.chain_bit(chain), more);
    }
    unsigned count_of(line_entry entry) const noexcept {
        return count_ones(equal_cells(entry.fingerprint) & cells_of(entry.chain));
    }
    // The line has forwarded entries, and none of its own is of a higher chain: an entry of this chain may be in the next table.
    // Nothing but the forwarded bit then stands above the chain's bit in the last word, so that adding ones above that bit
    // overflows. No branch.
    [[gnu::always_inline]] bool may_have_forwarded(std::uint64_t chain) const noexcept {
        return overflows(layout_.above_chain(chain), bytes_ + 56);
    }
    // The first cell with this entry.
    line_cell find(line_entry entry) const noexcept { return find_alike(entry, 0); }
    // The first cell of the chain whose fingerprint is equal but for its `low_count` lowest bits.
    [[gnu::flatten]] line_cell find_alike(line_entry entry, unsigned low_count) const noexcept {
        const std::uint64_t chain = cells_of(entry.chain);
        const std::uint64_t found = alike_cells(entry.fingerprint, low_count) & chain;
        return {found == 0 ? 0 : chain, lowest_one(found)};
    }
    // visit(low_count lowest bits) of every such cell, in ascending order.
    template <class Visit>
    void for_each_alike(line_entry entry, unsigned low_count, Visit&& visit) const {
        std::uint64_t found = alike_cells(entry.fingerprint, low_count) & cells_of(entry.chain);
        for (; found != 0; found &= found - 1) visit(low_fingerprint(lowest_one(found), low_count));
    }
    // Cells whose fingerprint is equal in the planes, of those given.
    [[gnu::always_inline]] std::uint64_t equal_in_planes(std::uint64_t fingerprint, std::uint64_t cells,
                                                         unsigned first = 0) const noexcept {
        std::uint64_t value = fingerprint >> (bits_in_byte() + first);
        // Rates around 0.1 % have two planes. Without the loop a single lookup of a key that is there takes an eighth less time.
        if (Class == layout_class::wide && first == 0 && planes() == 2)
            return cells & equal_in_plane(0, value) & equal_in_plane(1, value >> 1);
        for (unsigned plane = first; plane < planes(); ++plane, value >>= 1) {
            keep_scalar(plane);
            cells &= equal_in_plane(plane, value);
        }
        return cells;
    }

    // ---- state

    bool has_forwarded() const noexcept { return (bytes_[63] & std::byte{0x80}) != std::byte{0}; }
    void set_forwarded(bool yes) noexcept {
        bytes_[63] = (bytes_[63] & std::byte{0x7f}) | (yes ? std::byte{0x80} : std::byte{0});
    }
    unsigned count() const noexcept {
        return count_ones(in_use()) + count_ones(cut_at(continues(), layout_.cells()));
    }
    bool is_full() const noexcept { return indexes().are_of_full(layout_); }
    // Of a line that is not empty.
    unsigned largest_chain() const noexcept { return highest_one(in_use()); }
    line_entry largest() const noexcept { return {largest_chain(), fingerprint(count() - 1)}; }
    line_entry largest_of_full() const noexcept {
        return {largest_chain(), fingerprint(layout_.cells() - 1)};
    }

    std::byte* data() noexcept { return bytes_; }
    const line_layout& layout() const noexcept { return layout_; }

    std::uint64_t fingerprint(unsigned at) const noexcept {
        return low_fingerprint(at, fingerprint_bits(layout_));
    }
    // The `count` lowest bits of it.
    std::uint64_t low_fingerprint(unsigned at, unsigned count) const noexcept {
        const unsigned in_byte = bits_in_byte();
        std::uint64_t value =
            has_bytes() ? std::to_integer<std::uint64_t>(bytes_[at]) & low_bits(in_byte) : 0;
        for (unsigned plane = 0; in_byte + plane < count; ++plane)
            value |= (plane_bits(plane) >> at & 1) << (in_byte + plane);
        return value & low_bits(count);
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::array<std::uint64_t, 64> fingerprints;
        read_fingerprints(fingerprints);
        std::uint64_t chains = in_use(), more = continues();
        // Bytes that nobody checked may have more entries than cells.
        const unsigned cells = layout_.cells();
        for (unsigned at = 0; at < cells && chains != 0; ++at, more >>= 1) {
            visit(line_entry{lowest_one(chains), fingerprints[at]});
            // Without its lowest one if the chain ends here; no branch, which nobody could foretell.
            chains &= chains - (~more & 1);
        }
    }
    // Whether some sequence of insertions could have made these bytes.
    bool is_well_formed(bool keeps_equal) const noexcept {
        const unsigned entries = count(), cells = layout_.cells();
        const std::uint64_t more = cut_at(continues(), cells);
        if (entries > cells || (entries == 0 ? more : more >> (entries - 1)) != 0) return false;
        if (count_ones(~more & low_bits(entries)) != count_ones(in_use())) return false;
        if (has_forwarded() && entries != cells) return false;
        for (unsigned bit = layout_.plane_at(planes()); bit < layout_.used_end(); ++bit)
            if (read_bits(bytes_, bit, 1) != 0) return false;
        for (unsigned at = entries; at < cells; ++at)
            if (fingerprint(at) != 0) return false;
        for (unsigned at = 0; at + 1 < entries; ++at)
            if ((more >> at & 1) != 0 && fingerprint(at) + (keeps_equal ? 0 : 1) > fingerprint(at + 1))
                return false;
        return true;
    }

    // ---- changes

    // For new entries and lines with room, which is nearly always so: fewer instructions wait for the line than in insert. False, and
    // nothing changed, where it cannot tell. Only lines without planes have it.
    static constexpr bool has_quick_insert = Class == layout_class::bits_7 || Class == layout_class::tight_8;
    template <bool KeepsEqual>
    [[gnu::always_inline]] bool insert_quickly(line_entry entry) noexcept requires has_quick_insert {
        const line_indexes now = indexes();
        if (now.are_of_full(layout_)) return false;
        const std::uint64_t chain = layout_.chain_bit(entry.chain);
        const std::uint64_t first = start_of_chain(now.used | chain, chain, now.continues);
        const std::uint64_t start = start_of_chain(now.used, chain, now.continues);
        // The new cell is the first of the chain's that is not below the entry, or the first of another chain behind it.
        const std::uint64_t others = ~(now.continues << 1) ^ start;
        const unsigned at =
            lowest_one((bytes_not_below(bytes_, entry.fingerprint, byte_mask()) | others) & (0 - first));
        // The entry itself or, now and then, an equal byte of another chain or of an empty cell.
        const std::uint64_t byte = entry.fingerprint & byte_mask();
        if (!KeepsEqual && (std::to_integer<std::uint64_t>(bytes_[at]) & byte_mask()) == byte) return false;
        // The last cell is zero, and what is behind the cells is written again: it may move with them.
        write(
            {now.used | chain, with_zero_at(now.continues, first) | start},
            [&] { open_byte(bytes_, at, 64, byte); }, [](unsigned, std::uint64_t old) { return old; });
        return true;
    }
    template <bool KeepsEqual>
    [[gnu::always_inline]] insertion insert(line_entry entry) noexcept {
        const line_indexes now = indexes();
        const chain_range chain = range_of(now, entry.chain);
        if (!KeepsEqual && is_in(entry.fingerprint, chain.mask())) return insertion::present;
        if (now.are_of_full(layout_)) return insertion::refused;
        put(entry, chain, now, has_quick_insert ? 64 : layout_.cells());
        return insertion::inserted;
    }
    // Into a full line: its largest entry, which is above the new one, drops out.
    [[gnu::flatten]] void insert_instead_of_largest(line_entry entry) noexcept {
        line_indexes now = indexes();
        const std::uint64_t before = std::uint64_t{1} << (layout_.cells() - 1) >> 1;
        const std::uint64_t is_only = (now.continues & before) == 0 ? 1 : 0;
        now.used &= ~(is_only << highest_one(now.used << 1 >> 1));
        now.continues &= ~before;
        put(entry, range_of(now, entry.chain), now, layout_.cells());
    }
    [[gnu::flatten]] void remove(std::uint64_t chain, const line_cell& cell) noexcept {
        close_cell(cell.at, 0, indexes_without(chain, cell));
    }
    // Of a full line: removes a cell and appends an entry that is below none.
    [[gnu::flatten]] void replace(std::uint64_t chain, const line_cell& cell, line_entry last) noexcept {
        line_indexes now = indexes_without(chain, cell);
        const std::uint64_t last_chain = layout_.chain_bit(last.chain);
        if ((now.used & last_chain) != 0) now.continues |= std::uint64_t{1} << (layout_.cells() - 1) >> 1;
        now.used |= last_chain;
        close_cell(cell.at, last.fingerprint, now);
    }

private:
    static constexpr unsigned most_planes = 36;  // fingerprints of 44 bits

    bool has_bytes() const noexcept { return Class != layout_class::any || layout_.has_bytes(); }
    bool continues_in_bytes() const noexcept {
        return Class == layout_class::any ? layout_.continues_in_bytes() : Class == layout_class::bits_7;
    }
    unsigned bits_in_byte() const noexcept { return !has_bytes() ? 0 : continues_in_bytes() ? 7 : 8; }
    unsigned planes() const noexcept { return fingerprint_bits(layout_) - bits_in_byte(); }
    std::uint64_t byte_mask() const noexcept { return continues_in_bytes() ? 0x7f : 0xff; }

    std::uint64_t last_word() const noexcept { return load_le<std::uint64_t>(bytes_ + 56); }
    std::uint64_t in_use() const noexcept { return last_word() << 1 >> 1 >> layout_.first_chain_bit(); }
    std::uint64_t used_with_mark() const noexcept { return last_word() & layout_.chains_and_mark(); }
    // Bits behind the cells have no meaning.
    std::uint64_t continues() const noexcept {
        if (continues_in_bytes()) return sign_bits(bytes_);
        if constexpr (Class == layout_class::tight_8) return load_le<std::uint64_t>(bytes_ + layout_.cells());
        // Without bytes a line may have more than 57 cells, which one word at a byte offset does not hold.
        if (!has_bytes()) return read_bits(bytes_, layout_.continues_at(), layout_.cells());
        return load_le<std::uint64_t>(bytes_ + layout_.continues_byte()) >> layout_.continues_shift();
    }
    [[gnu::always_inline]] std::uint64_t plane_bits(unsigned plane) const noexcept {
        const unsigned cells = layout_.cells();
        if (!has_bytes()) return read_bits(bytes_, plane * cells, cells);
        // Planes begin behind the bytes.
        const unsigned at = plane * cells;
        if (Class == layout_class::wide) return load_le<std::uint64_t>(bytes_ + cells + at / 8) >> (at % 8);
        const unsigned byte = std::min(cells + at / 8, 56u);
        return load_le<std::uint64_t>(bytes_ + byte) >> (8 * cells + at - 8 * byte);
    }
    // Cells whose bit in the plane is the lowest bit of `value`.
    [[gnu::always_inline]] std::uint64_t equal_in_plane(unsigned plane, std::uint64_t value) const noexcept {
        return plane_bits(plane) ^ ((value & 1) - 1);
    }
    // Of all cells at once: a few instructions for each where one by one takes ten for each plane.
    void read_fingerprints(std::array<std::uint64_t, 64>& to) const noexcept {
        const unsigned in_byte = bits_in_byte(), cells = layout_.cells();
        const std::uint64_t mask = low_bits(in_byte);
        for (unsigned at = 0; at < 64; ++at) to[at] = std::to_integer<std::uint64_t>(bytes_[at]) & mask;
        for (unsigned plane = 0; plane < planes(); ++plane) {
            const std::uint64_t bits = plane_bits(plane);
            for (unsigned at = 0; at < cells; ++at) to[at] |= (bits >> at & 1) << (in_byte + plane);
        }
    }
    // Vectorising a loop over a few planes costs more than it saves.
    static void keep_scalar([[maybe_unused]] unsigned& plane) noexcept { asm("" : "+r"(plane)); }

    std::uint64_t cells_of(std::uint64_t chain) const noexcept {
        return mask_of_chain(used_with_mark(), layout_.chain_bit(chain), continues());
    }
    [[gnu::always_inline]] std::uint64_t equal_cells(std::uint64_t fingerprint) const noexcept {
        return equal_in_planes(fingerprint, cells_of_equal_byte(fingerprint));
    }
    [[gnu::always_inline]] std::uint64_t cells_of_equal_byte(std::uint64_t fingerprint) const noexcept {
        return has_bytes() ? equal_bytes(bytes_, fingerprint, byte_mask()) : ~std::uint64_t{0};
    }
    // Whether one of these cells has the fingerprint. Of the few cells of a chain, hardly ever one has an equal byte: then no plane is read.
    [[gnu::always_inline]] bool is_in(std::uint64_t fingerprint, std::uint64_t cells) const noexcept {
        cells &= cells_of_equal_byte(fingerprint);
        return cells != 0 && equal_in_planes(fingerprint, cells) != 0;
    }
    std::uint64_t alike_cells(std::uint64_t fingerprint, unsigned low_count) const noexcept {
        const unsigned in_byte = bits_in_byte();
        if (low_count >= in_byte) return equal_in_planes(fingerprint, ~std::uint64_t{0}, low_count - in_byte);
        return equal_in_planes(fingerprint,
                               equal_bytes(bytes_, fingerprint, byte_mask() & ~low_bits(low_count)));
    }
    std::uint64_t cells_not_above(std::uint64_t fingerprint) const noexcept {
        std::uint64_t below = 0, equal = ~std::uint64_t{0};
        for (unsigned plane = planes(); plane-- != 0;) {
            keep_scalar(plane);
            const std::uint64_t ones = plane_bits(plane);
            const std::uint64_t is_one = 0 - (fingerprint >> (bits_in_byte() + plane) & 1);
            below |= equal & is_one & ~ones;
            equal &= ~(ones ^ is_one);
        }
        return below | (has_bytes() ? equal & bytes_not_above(bytes_, fingerprint, byte_mask()) : equal);
    }

    struct line_indexes {
        std::uint64_t used;  // where it stands in the last word, with the forwarded bit
        std::uint64_t continues;

        // The forwarded bit, which only a full line has, counts as one entry more.
        bool are_of_full(const line_layout& layout) const noexcept {
            return count_ones(used) + count_ones(continues) >= layout.cells();
        }
    };
    line_indexes indexes() const noexcept { return {used_with_mark(), cut_at(continues(), layout_.cells())}; }
    line_indexes indexes_without(std::uint64_t chain, const line_cell& cell) const noexcept {
        line_indexes now = indexes();
        const std::uint64_t is_only = (cell.chain_cells & (cell.chain_cells - 1)) == 0 ? 1 : 0;
        // If it was the chain's last, the entry before it, if any, becomes the last.
        const std::uint64_t was_last = 1 - (cell.chain_cells >> cell.at >> 1 & 1);
        now.continues = without_bit_at(now.continues, std::uint64_t{1} << cell.at) &
                        ~((was_last & ~is_only) << cell.at >> 1);
        now.used &= ~((0 - is_only) & layout_.chain_bit(chain));
        return now;
    }

    // The first cell of a chain, or where it would be, and the cell behind its last, as bits; 0 stands for cell 64.
    struct chain_range {
        std::uint64_t first;
        std::uint64_t behind;
        std::uint64_t mask() const noexcept { return behind - first; }
    };
    chain_range range_of(const line_indexes& now, std::uint64_t chain_number) const noexcept {
        const std::uint64_t chain = layout_.chain_bit(chain_number);
        const std::uint64_t first = start_of_chain(now.used | chain, chain, now.continues);
        return {first, first + mask_of_chain(now.used, chain, now.continues)};
    }

    // Inserts the entry into its chain; the cells of the line are not all taken, or the last is no longer counted. Bytes move up as
    // far as `end`.
    [[gnu::always_inline]] void put(line_entry entry, const chain_range& chain, line_indexes now,
                                    unsigned end) noexcept {
        // The entries of the chain that are not above the new one are its first ones.
        const unsigned at =
            count_ones((cells_not_above(entry.fingerprint) & chain.mask()) | (chain.first - 1));
        // Ones of later chains move up by one, which is adding them to themselves; all former entries of the chain continue.
        const std::uint64_t behind = now.continues & ~(chain.behind - 1);
        now.continues = (now.continues + behind) | chain.mask();
        now.used |= layout_.chain_bit(entry.chain);
        write(
            now, [&] { open_byte(bytes_, at, end, entry.fingerprint & 0xff); },
            [&](unsigned plane, std::uint64_t old) {
                return with_zero_at(old, std::uint64_t{1} << at) |
                       (entry.fingerprint >> (bits_in_byte() + plane) & 1) << at;
            });
    }
    // Cells behind it move down, and `last` goes to the last cell.
    void close_cell(unsigned at, std::uint64_t last, const line_indexes& now) noexcept {
        const unsigned end = layout_.cells() - 1;
        write(
            now, [&] { close_byte(bytes_, at, end, last & 0xff); },
            [&](unsigned plane, std::uint64_t old) {
                return without_bit_at(cut_at(old, end + 1), std::uint64_t{1} << at) |
                       (last >> (bits_in_byte() + plane) & 1) << end;
            });
    }

    // Writes the bytes, the planes, each made from the old one, and the indexes. Everything is read before anything is written: a
    // load that spans two recent stores would wait for both.
    template <class MoveBytes, class NewPlane>
    [[gnu::always_inline]] void write(const line_indexes& now, const MoveBytes& move_bytes,
                                      const NewPlane& new_plane) noexcept {
        // Copies, which no store to the line can change.
        const line_layout layout = layout_;
        std::byte* const to = bytes_;
        const unsigned cells = layout.cells(), first_chain = layout.first_chain_bit(), count = planes();
        std::uint64_t all[most_planes];
        for (unsigned plane = 0; plane < count; ++plane)
            all[plane] = cut_at(new_plane(plane, plane_bits(plane)), cells);
        if (has_bytes()) move_bytes();
        if (continues_in_bytes()) {
            put_signs(to, now.continues);
            store_le(to + 56, cut_at(last_word(), first_chain) | now.used);
        } else if constexpr (Class == layout_class::any) {
            run_writer run(to + (layout.has_bytes() ? cells : 0));
            for (unsigned plane = 0; plane < count; ++plane) run.append(all[plane], cells);
            run.append_zeros(layout.continues_at() - layout.plane_at(count));
            run.append(now.continues, cells);
            run.append(now.used >> first_chain, 64 - first_chain);
            run.finish();
        } else {
            // Each by the eight bytes that begin with it, which reach into what is written next.
            unsigned from = cells;
            std::uint64_t word = 0;
            const auto write_at = [&](unsigned byte, std::uint64_t bits) {
                word = bits | (byte - from < 8 ? word >> (8 * (byte - from)) : 0);
                from = byte;
                store_le(to + byte, word);
            };
            for (unsigned plane = 0, at = 8 * cells; plane < count; ++plane, at += cells)
                write_at(at / 8, all[plane] << at % 8);
            if (Class == layout_class::tight_8) write_at(cells, now.continues);
            else write_at(layout.continues_byte(), now.continues << layout.continues_shift());
            write_at(56, now.used);
        }
    }

    const line_layout& layout_;
    std::byte* bytes_;
};

MEMBRANE_TARGET_END
