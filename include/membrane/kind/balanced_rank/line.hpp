// One cache line of a rank-indexed filter: up to Z entries (chain, fingerprint) in ascending order, found by counting bits.
//
//   R >= 8: Z bytes with the lowest 8 bits of the fingerprints, then R - 8 planes of Z bits with the bits above
//   R = 7:  Z bytes with a fingerprint and, as the highest bit, continues[i]
//   R < 7:  R planes of Z bits
//   (unused bits, zero)
//   Z bits  continues[i]: entry i + 1 is of the same chain; not here if R = 7
//   L bits  in_use[c]: chain c has an entry
//   1 bit   forwarded: the line was full and sent entries on; the last bit of the line
//
// A chain of m entries is m - 1 ones and a zero in `continues`, so that the entries are as many as the ones of both
// indexes, and an entry's chain is known from the number of zeros before it: no counter, no pointer. Cells behind the
// last entry are zero: equal entries give equal bytes, whatever the order of insertion.
// Source: rank-indexed hashing, section III, with the levels joined into one sorted sequence.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>

namespace membrane {

// The logic over one line's bytes, and over a shape that outlives it. A const line is read only through the const members.
class rank_line {
public:
    rank_line(const rank_line_shape& shape, std::byte* bytes) noexcept : shape_(shape), bytes_(bytes) {}
    rank_line(const rank_line_shape&& temporary, std::byte* bytes) = delete;

    bool has_forwarded() const noexcept { return (bytes_[63] & std::byte{0x80}) != std::byte{0}; }
    void set_forwarded(bool yes) noexcept {
        bytes_[63] = (bytes_[63] & std::byte{0x7f}) | (yes ? std::byte{0x80} : std::byte{0});
    }

    unsigned count() const noexcept {
        return static_cast<unsigned>(std::popcount(in_use()) + std::popcount(continues()));
    }
    bool is_full() const noexcept { return count() == shape_.cells(); }

    // Of a line that is not empty.
    unsigned largest_chain() const noexcept {
        return 63u - static_cast<unsigned>(std::countl_zero(in_use()));
    }
    line_entry largest() const noexcept { return {largest_chain(), fingerprint(count() - 1)}; }
    line_entry largest_of_full() const noexcept { return {largest_chain(), fingerprint(shape_.cells() - 1)}; }

    // An entry of this chain may be behind a full line only if the line's entries do not end before the chain: nothing but the
    // mark stands above the chain's bit. As a signed number the word is then less than two of that bit above the least one,
    // and taking them away, which is adding the ones above it, goes beyond the least: one addition tells. No branch: batches
    // collect the answers.
    bool may_have_forwarded(std::uint64_t chain) const noexcept {
        std::int64_t sum = 0;
        return __builtin_add_overflow(static_cast<std::int64_t>(last_word()),
                                      static_cast<std::int64_t>(shape_.above_chain(chain)), &sum);
    }

    const std::byte* data() const noexcept { return bytes_; }
    std::byte* data() noexcept { return bytes_; }
    const rank_line_shape& shape() const noexcept { return shape_; }

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
        return low_fingerprint(at, shape_.fingerprint_bits());
    }
    // Its lowest bits.
    std::uint64_t low_fingerprint(unsigned at, unsigned count) const noexcept {
        const unsigned shift = shape_.bits_in_byte();
        std::uint64_t value = shape_.has_bytes() ? std::to_integer<std::uint64_t>(bytes_[at]) : 0;
        for (unsigned plane = 0; shift + plane < count; ++plane)
            value = (value & low_bits(shift + plane)) | bit_at(shape_.plane_at(plane) + at)
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
    line_cell find(line_entry asked) const noexcept { return find_alike(asked, 0); }
    // The first one of the chain whose fingerprint is equal but for its lowest bits.
    line_cell find_alike(line_entry asked, unsigned low_count) const noexcept {
        const chain_range range = range_of(asked.chain);
        for (unsigned at = range.first; at < range.last; ++at)
            if ((fingerprint(at) ^ asked.fingerprint) >> low_count == 0)
                return {low_bits(range.last) & ~low_bits(range.first), at};
        return {0, 0};
    }
    void remove(std::uint64_t chain, const line_cell& cell) noexcept {
        close_cell(cell.at);
        const std::uint64_t others = cell.chain_cells & ~(std::uint64_t{1} << cell.at);
        if (others == 0) put_in_use(in_use() & ~(std::uint64_t{1} << chain));
        else if (others >> cell.at == 0) put_continues(cell.at - 1, false);
    }
    // One entry equal to this; false, and nothing changed, if there is none.
    bool erase(line_entry entry) noexcept {
        const line_cell cell = find(entry);
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
        if (entries > shape_.cells() || (entries == 0 ? more : more >> (entries - 1)) != 0) return false;
        if (std::popcount(ends()) != std::popcount(in_use())) return false;
        if (has_forwarded() && entries != shape_.cells()) return false;
        const unsigned payload_end = shape_.plane_at(shape_.planes());
        for (unsigned bit = payload_end; bit < shape_.used_end(); ++bit)
            if (bit_at(bit) != 0) return false;
        for (unsigned at = entries; at < shape_.cells(); ++at)
            if (fingerprint(at) != 0) return false;
        for (unsigned at = 0; at + 1 < entries; ++at)
            if ((more >> at & 1) != 0 && fingerprint(at) + (keeps_equal ? 0 : 1) > fingerprint(at + 1))
                return false;
        return true;
    }

    std::uint64_t in_use() const noexcept {
        // Without the mark, and without what stands before.
        return last_word() << 1 >> 1 >> shape_.first_chain_bit();
    }
    std::uint64_t continues() const noexcept {
        if (!shape_.continues_in_bytes()) return get(shape_.continues_at(), shape_.cells());
        return highest_bits(bytes_) & low_bits(shape_.cells());
    }

    // The mark, in_use below it, and what comes before.
    std::uint64_t last_word() const noexcept { return load_le<std::uint64_t>(bytes_ + 56); }

private:
    void put_in_use(std::uint64_t chains) noexcept { put(shape_.in_use_at(), shape_.chains(), chains); }
    void put_continues(unsigned at, bool goes_on) noexcept {
        const unsigned bit = shape_.continues_in_bytes() ? at * 8 + 7 : shape_.continues_at() + at;
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
        if (shape_.has_bytes()) {
            const auto low = static_cast<unsigned char>(value & 0xff);
            equal = equal_bytes(bytes_, low);
            if (shape_.continues_in_bytes()) equal |= equal_bytes(bytes_, low | 0x80);
            value >>= shape_.bits_in_byte();
        }
        if (equal == 0) return 0;
        for (unsigned plane = 0; plane < shape_.planes(); ++plane) {
            const std::uint64_t ones = get(shape_.plane_at(plane), shape_.cells());
            equal &= (value >> plane & 1) != 0 ? ones : ~ones;
        }
        return equal;
    }

    std::byte byte_of(std::uint64_t fingerprint, bool goes_on) const noexcept {
        const std::uint64_t mark = shape_.continues_in_bytes() && goes_on ? 0x80 : 0;
        return static_cast<std::byte>((fingerprint & 0xff) | mark);
    }
    void open_cell(unsigned at, std::uint64_t value, bool goes_on) noexcept {
        if (shape_.has_bytes()) {
            std::memmove(bytes_ + at + 1, bytes_ + at, shape_.cells() - 1 - at);
            bytes_[at] = byte_of(value, goes_on);
        }
        for (unsigned plane = 0; plane < shape_.planes(); ++plane)
            insert_bit(shape_.plane_at(plane), at, (value >> (shape_.bits_in_byte() + plane) & 1) != 0);
        if (!shape_.continues_in_bytes()) insert_bit(shape_.continues_at(), at, goes_on);
    }
    void close_cell(unsigned at) noexcept {
        if (shape_.has_bytes()) {
            std::memmove(bytes_ + at, bytes_ + at + 1, shape_.cells() - 1 - at);
            bytes_[shape_.cells() - 1] = std::byte{0};
        }
        for (unsigned plane = 0; plane < shape_.planes(); ++plane) remove_bit(shape_.plane_at(plane), at);
        if (!shape_.continues_in_bytes()) remove_bit(shape_.continues_at(), at);
    }
    // Of a run of as many bits as there are cells.
    void insert_bit(unsigned run, unsigned at, bool bit) noexcept {
        put(run, shape_.cells(), with_bit_inserted(get(run, shape_.cells()), at, bit));
    }
    void remove_bit(unsigned run, unsigned at) noexcept {
        put(run, shape_.cells(), with_bit_removed(get(run, shape_.cells()), at));
    }

    std::uint64_t bit_at(unsigned at) const noexcept {
        return std::to_integer<std::uint64_t>(bytes_[at / 8]) >> (at % 8) & 1;
    }
    std::uint64_t get(unsigned at, unsigned count) const noexcept { return read_bits(bytes_, at, count); }
    void put(unsigned at, unsigned count, std::uint64_t value) noexcept {
        write_bits(bytes_, at, count, value);
    }

    const rank_line_shape& shape_;
    std::byte* bytes_;
};

}  // namespace membrane
