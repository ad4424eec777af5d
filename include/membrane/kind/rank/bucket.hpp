// One bucket of rank-indexed hashing: L chains of entries in a packed array of cells. There are no pointers and no counters;
// the position of an entry is computed by popcount over index bits.
//
//   base index     L bits; bit c: chain c has at least one entry
//   higher index   one bit per cell: the chain of this entry has a further entry
//   cells          R bits of fingerprint, above them V bits for the caller (a counter or a value)
//
// Level 0 holds the first entry of every non-empty chain, in the order of the chains. Level j + 1 holds the next entry of each
// entry of level j whose higher bit is set, in the same order. So the entry of chain c in level 0 has the number
// popcount(base index below c), and its successor has the number popcount(higher bits of its level below it) in the next level.
// A level has at most L <= 64 entries, so one 64-bit word holds its index. Levels follow each other without gaps; cells behind
// the last entry are zero. The cells may lie in up to three segments (a bucket and its extensions), addressed as one array.
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing", section III.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <membrane/base/bits.hpp>
#include <membrane/base/packed_bits.hpp>
#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

struct rank_cell_shape {
    std::uint8_t chains;            // L
    std::uint8_t fingerprint_bits;  // R
    std::uint8_t value_bits;        // V; R + V <= 64

    constexpr unsigned cell_bits() const noexcept { return unsigned{fingerprint_bits} + value_bits; }
    constexpr std::uint64_t fingerprint_of(std::uint64_t cell) const noexcept {
        return cell & low_bits(fingerprint_bits);
    }
    constexpr std::uint64_t value_of(std::uint64_t cell) const noexcept {
        return value_bits == 0 ? 0 : cell >> fingerprint_bits;
    }
    constexpr std::uint64_t cell_of(std::uint64_t fingerprint, std::uint64_t value) const noexcept {
        return value_bits == 0 ? fingerprint : value << fingerprint_bits | fingerprint;
    }
};

// A contiguous part of a bucket's cells: bit offsets of its higher index and of its cells, and the number of cells.
struct rank_segment {
    std::uint64_t index_at;
    std::uint64_t cells_at;
    std::uint64_t cells;
};

class rank_bucket {
public:
    static constexpr std::size_t most_segments = 3;

    rank_bucket(packed_bits bits, rank_cell_shape shape, std::uint64_t base_at, rank_segment first) noexcept
        : bits_(bits), shape_(shape), base_at_(base_at) {
        extend(first);
    }
    void extend(rank_segment segment) noexcept {
        segments_[segment_count_++] = segment;
        capacity_ += segment.cells;
    }

    std::uint64_t capacity() const noexcept { return capacity_; }
    struct level {
        std::uint64_t at;    // index of its first cell
        std::uint64_t size;  // 0 .. 64
    };
    // The empty level behind the last one; it begins at the first free cell. In a corrupt payload: the first level that does not
    // fit. Walks all levels, because the number of entries is not stored.
    level end_level() const noexcept {
        level now = first_level();
        while (now.size != 0 && fits(now)) now = next_level(now, index_word(now));
        return now;
    }
    std::uint64_t size() const noexcept { return end_level().at; }

    std::uint64_t cell(std::uint64_t at) const noexcept {
        return bits_.read(cell_place(at), shape_.cell_bits());
    }
    void set_cell(std::uint64_t at, std::uint64_t cell) noexcept {
        bits_.write(cell_place(at), shape_.cell_bits(), cell);
    }

    // The entries of a chain in order: visit(cell index, cell) returns whether to continue.
    template <class Visit>
    void visit_chain(std::uint64_t chain, Visit&& visit) const {
        rank_bucket(*this).visit_chain(chain, visit, [](rank_bucket&) { return false; });
    }
    // The same before all segments are known: more(*this) adds the next segment and returns whether there was one.
    template <class Visit, class More>
    void visit_chain(std::uint64_t chain, Visit&& visit, More&& more) {
        const std::uint64_t base = base_index();
        if ((base >> chain & 1) == 0) return;
        level now = first_level();
        std::uint64_t rank = ones_below(base, chain);
        for (;;) {
            while (!fits(now))
                if (!more(*this)) return;
            if (!visit(now.at + rank, cell(now.at + rank))) return;
            const std::uint64_t word = index_word(now);
            if ((word >> rank & 1) == 0) return;
            rank = ones_below(word, rank);
            now = next_level(now, word);
        }
    }

    // Appends to the chain. Requires size() < capacity().
    void insert(std::uint64_t chain, std::uint64_t cell) noexcept { insert(chain, cell, size()); }
    // The same if the caller already knows the size.
    void insert(std::uint64_t chain, std::uint64_t cell, std::uint64_t entries) noexcept {
        const std::uint64_t base = base_index();
        std::uint64_t rank = ones_below(base, chain);
        if ((base >> chain & 1) == 0) {
            bits_.put(base_at_ + chain, true);
            insert_at(rank, entries, cell);
            return;
        }
        level now = first_level();
        std::uint64_t word = index_word(now);
        for (; (word >> rank & 1) != 0; word = index_word(now)) {
            rank = ones_below(word, rank);
            now = next_level(now, word);
        }
        set_index_bit(now.at + rank, true);
        insert_at(now.at + now.size + ones_below(word, rank), entries, cell);
    }

    // Erases the entry in cell `gone` of this chain: the chain's last entry moves into its cell.
    void erase(std::uint64_t chain, std::uint64_t gone) noexcept {
        const std::uint64_t entries = size();
        std::uint64_t length = 0, last = 0, before_last = 0;
        visit_chain(chain, [&](std::uint64_t at, std::uint64_t) {
            before_last = last;
            last = at;
            ++length;
            return true;
        });
        set_cell(gone, cell(last));
        if (length == 1) bits_.put(base_at_ + chain, false);
        else set_index_bit(before_last, false);
        remove_at(last, entries);
    }

    // Every entry, level by level: visit(chain, cell).
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::uint8_t chains[64];  // chain of each entry of the current level
        level now = first_level();
        std::uint64_t word = base_index();
        for (std::uint64_t i = 0; i < now.size; ++i, word &= word - 1)
            chains[i] = static_cast<std::uint8_t>(std::countr_zero(word));
        while (now.size != 0 && fits(now)) {
            word = index_word(now);
            std::uint64_t kept = 0;
            for (std::uint64_t i = 0; i < now.size; ++i) {
                visit(std::uint64_t{chains[i]}, cell(now.at + i));
                if ((word >> i & 1) != 0) chains[kept++] = chains[i];
            }
            now = next_level(now, word);
        }
    }

    // Whether all levels fit into the cells and everything behind them is zero.
    bool is_well_formed() const noexcept {
        const level now = end_level();
        if (now.size != 0) return false;
        std::uint64_t first = 0;
        for (std::size_t i = 0; i < segment_count_; first += segments_[i++].cells) {
            const rank_segment& segment = segments_[i];
            const std::uint64_t used = now.at < first ? 0 : std::min(segment.cells, now.at - first);
            const unsigned width = shape_.cell_bits();
            if (!bits_.are_zero(segment.index_at + used, segment.cells - used) ||
                !bits_.are_zero(segment.cells_at + used * width, (segment.cells - used) * width))
                return false;
        }
        return true;
    }

    std::uint64_t base_index() const noexcept { return bits_.read(base_at_, shape_.chains); }

    level first_level() const noexcept { return {0, ones(base_index())}; }
    // `word` is the higher index of level `now`.
    static level next_level(const level& now, std::uint64_t word) noexcept {
        return {now.at + now.size, ones(word)};
    }
    // False only for a corrupt payload, which can claim more entries than there are cells.
    bool fits(const level& now) const noexcept { return now.at + now.size <= capacity_; }

    // The higher index of a level; the bits may span two segments or three.
    std::uint64_t index_word(const level& now) const noexcept {
        std::uint64_t word = 0, at = now.at, done = 0, first = 0;
        for (std::size_t i = 0; i < segment_count_ && done < now.size; first += segments_[i++].cells) {
            if (at >= first + segments_[i].cells) continue;
            const std::uint64_t here = std::min(now.size - done, first + segments_[i].cells - at);
            word |= bits_.read(segments_[i].index_at + (at - first), static_cast<unsigned>(here)) << done;
            done += here;
            at += here;
        }
        return word;
    }

    static std::uint64_t ones_below(std::uint64_t word, std::uint64_t bit) noexcept {
        return ones(word & low_bits(bit));
    }

    // Bit offsets of an entry's higher bit and of its cell.
    std::uint64_t index_place(std::uint64_t at) const noexcept {
        return place(&rank_segment::index_at, at, 1);
    }
    std::uint64_t cell_place(std::uint64_t at) const noexcept {
        return place(&rank_segment::cells_at, at, shape_.cell_bits());
    }

private:
    using array_of = std::uint64_t rank_segment::*;

    static std::uint64_t ones(std::uint64_t word) noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        return static_cast<std::uint64_t>(std::popcount(word));
#else
        return portable_popcount(word);
#endif
    }
    std::uint64_t place(array_of array, std::uint64_t at, unsigned width) const noexcept {
        std::size_t i = 0;
        for (; at >= segments_[i].cells && i + 1 < segment_count_; ++i) at -= segments_[i].cells;
        return segments_[i].*array + at * width;
    }
    void set_index_bit(std::uint64_t at, bool value) noexcept { bits_.put(index_place(at), value); }

    void insert_at(std::uint64_t at, std::uint64_t entries, std::uint64_t cell) noexcept {
        insert_item(&rank_segment::index_at, 1, at, entries, 0);
        insert_item(&rank_segment::cells_at, shape_.cell_bits(), at, entries, cell);
    }
    void remove_at(std::uint64_t at, std::uint64_t entries) noexcept {
        remove_item(&rank_segment::index_at, 1, at, entries);
        remove_item(&rank_segment::cells_at, shape_.cell_bits(), at, entries);
    }

    // Inserts `value` at item `at`: items from `at` on move up by one, starting with the last segment; each segment receives the
    // last item of the one before it. Does nothing if `at` > `items`, which only a corrupt payload can ask for.
    void insert_item(array_of array, unsigned width, std::uint64_t at, std::uint64_t items,
                     std::uint64_t value) noexcept {
        if (at > items) return;
        std::uint64_t first = capacity_;
        for (std::size_t i = segment_count_; i-- > 0;) {
            const rank_segment& segment = segments_[i];
            const std::uint64_t end = first;
            first -= segment.cells;
            if (items < first || at >= end) continue;
            const std::uint64_t from = std::max(at, first), last = std::min(items, end - 1);
            const std::uint64_t moved = segment.*array + (from - first) * width;
            bits_.move_up(moved, (last - from) * width, width);
            bits_.write(moved, width,
                        at >= first ? value : bits_.read(place(array, first - 1, width), width));
        }
    }
    // Removes item `at`: items behind it move down by one; the last place becomes zero.
    void remove_item(array_of array, unsigned width, std::uint64_t at, std::uint64_t items) noexcept {
        std::uint64_t first = 0;
        for (std::size_t i = 0; i < segment_count_ && first < items; first += segments_[i++].cells) {
            const std::uint64_t end = std::min(items, first + segments_[i].cells);
            if (at >= end) continue;
            const std::uint64_t from = std::max(at, first);
            const std::uint64_t start = segments_[i].*array + (from - first) * width;
            bits_.move_down(start + width, (end - 1 - from) * width, width);
            bits_.write(segments_[i].*array + (end - 1 - first) * width, width,
                        end == items ? 0 : bits_.read(place(array, end, width), width));
        }
    }

    packed_bits bits_;
    rank_cell_shape shape_;
    std::uint64_t base_at_;
    std::array<rank_segment, most_segments> segments_{};
    std::size_t segment_count_ = 0;
    std::uint64_t capacity_ = 0;
};

MEMBRANE_TARGET_END
