// Fills an empty table of rank-indexed lines from all its entries at once: each line is written once, in the order of the
// lines. The same bytes as insertions one by one, in any order and with any number of threads.
//
// Entries are dealt to regions of 1024 lines; a region is sorted by chain, then by line, by counting, which leaves only the
// few entries of one chain to be compared. Takes 4 bytes of memory an entry, or 8 where fingerprints are long; throws
// std::bad_alloc where there is none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <membrane/base/bits.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/part/dealt_entries.hpp>

MEMBRANE_TARGET_BEGIN

// Bit `bit` of each of the first `count` bytes, byte 0 lowest; bytes up to a multiple of eight are read.
inline std::uint64_t plane_of_bytes(const std::byte* bytes, std::size_t count, unsigned bit) noexcept {
    constexpr std::uint64_t each_byte = 0x0101010101010101;
    constexpr std::uint64_t to_the_top =
        0x0102040810204080;  // byte j's bit 0 to bit 56 + j; no two meet below
    std::uint64_t plane = 0;
    for (std::size_t i = 0; i < count; i += 8) {
        const std::uint64_t ones = load_le<std::uint64_t>(bytes + i) >> bit & each_byte;
        plane |= (ones * to_the_top >> 56) << i;
    }
    return plane;
}

// The line is empty; entries as chain << fingerprint_bits | fingerprint, ascending, no more than there are cells.
template <class Packed>
void fill_rank_line(const line_layout& layout, std::byte* line, std::span<const Packed> entries) noexcept {
    const unsigned width = layout.fingerprint_bits();
    std::uint64_t used = 0, continues = 0, before = UINT64_MAX;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint64_t chain = std::uint64_t{entries[i]} >> width;
        // Bit i - 1, and nothing for the first entry: its chain differs from what is before.
        continues |= (chain == before ? std::uint64_t{1} : 0) << i >> 1;
        used |= std::uint64_t{1} << chain;
        before = chain;
    }
    alignas(8) std::byte column[64] = {};
    const unsigned mark = layout.continues_in_bytes() ? 0x80 : 0;
    unsigned plane = 0;
    for (unsigned shift = 0; shift < width; shift += 8) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::uint64_t value = (std::uint64_t{entries[i]} & low_bits(width)) >> shift & 0xff;
            column[i] = static_cast<std::byte>(value | (continues >> i << 7 & mark));
        }
        if (layout.has_bytes() && shift == 0) {
            std::memcpy(line, column, entries.size());
            continue;
        }
        for (unsigned bit = 0; bit < std::min(8u, width - shift); ++bit)
            write_bits(line, layout.plane_at(plane++), layout.cells(),
                       plane_of_bytes(column, entries.size(), bit));
    }
    if (!layout.continues_in_bytes()) write_bits(line, layout.continues_at(), layout.cells(), continues);
    write_bits(line, layout.in_use_at(), layout.chains(), used);
}

class rank_table_filler {
public:
    rank_table_filler(std::byte* table, std::uint64_t lines, const line_layout& layout, bool keeps_equal,
                      unsigned threads)
        : table_(table),
          lines_(lines),
          layout_(layout),
          keeps_equal_(keeps_equal),
          threads_(std::max(1u, threads)) {}

    // `for_part(part, parts, visit)`: visit(address) for every entry of one of so many parts. What the lines could not keep is
    // given to `use_left`, as such a for_part.
    template <class ForPart, class UseLeft>
    void fill(const ForPart& for_part, const UseLeft& use_left) const {
        if (region_lines_log2 + line_shift() <= 32) fill_as<std::uint32_t>(for_part, use_left);
        else fill_as<std::uint64_t>(for_part, use_left);
    }

private:
    static constexpr unsigned region_lines_log2 = 10;
    static constexpr std::uint64_t region_lines = std::uint64_t{1} << region_lines_log2;

    unsigned line_shift() const { return 6 + layout_.fingerprint_bits(); }

    template <class Packed, class ForPart, class UseLeft>
    void fill_as(const ForPart& for_part, const UseLeft& use_left) const {
        const unsigned width = layout_.fingerprint_bits(), shift = line_shift();
        dealt_entries<Packed> dealt(
            static_cast<std::size_t>((lines_ - 1) / region_lines + 1), threads_,
            [&](unsigned part, const auto& visit) {
                for_part(part, threads_, [&](const rank_address& at) {
                    const std::uint64_t in_region = at.line % region_lines << 6 | at.entry.chain;
                    visit(static_cast<std::size_t>(at.line / region_lines),
                          static_cast<Packed>(in_region << width | at.entry.fingerprint));
                });
            });
        std::vector<std::vector<Packed>> scratch(threads_);
        // What is left of a region is kept at its front.
        std::vector<std::size_t> left(dealt.regions());
        dealt.for_each_region(threads_, [&](std::size_t region, std::span<Packed> entries, unsigned thread) {
            left[region] = fill_region(region * region_lines, entries, scratch[thread]);
        });
        use_left([&](unsigned part, unsigned parts, const auto& visit) {
            const std::size_t last = dealt.regions() * (part + 1) / parts;
            for (std::size_t region = dealt.regions() * part / parts; region < last; ++region)
                for (const std::uint64_t entry : dealt.region(region).first(left[region]))
                    visit(rank_address{region * region_lines + (entry >> shift),
                                       {entry >> width & 63, entry & low_bits(width)}});
        });
    }

    // How many entries are left over.
    template <class Packed>
    std::size_t fill_region(std::uint64_t first_line, std::span<Packed> entries,
                            std::vector<Packed>& scratch) const {
        std::array<std::size_t, 64> chain_next{};
        std::array<std::size_t, region_lines> line_next{};
        const unsigned chain_shift = layout_.fingerprint_bits(), shift = line_shift();
        for (const Packed entry : entries) {
            ++chain_next[entry >> chain_shift & 63];
            ++line_next[entry >> shift];
        }
        std::size_t sum = 0;
        for (std::size_t& next : chain_next) sum += std::exchange(next, sum);
        sum = 0;
        for (std::size_t& next : line_next) sum += std::exchange(next, sum);
        if (scratch.size() < entries.size()) scratch.resize(entries.size());
        for (const Packed entry : entries) scratch[chain_next[entry >> chain_shift & 63]++] = entry;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Packed entry = scratch[i];
            entries[line_next[entry >> shift]++] = static_cast<Packed>(entry & low_bits(shift));
        }
        std::size_t begin = 0, left = 0;
        for (std::uint64_t i = 0; i < region_lines && first_line + i < lines_; ++i) {
            const std::size_t end = line_next[i];
            for (const Packed entry : fill_line(first_line + i, entries.subspan(begin, end - begin)))
                entries[left++] = static_cast<Packed>(i << shift | entry);
            begin = end;
        }
        return left;
    }

    // Sorted by chain already, so that an entry has at most its chain before it; but a chain may be long.
    template <class Packed>
    void sort_line(std::span<Packed> entries) const {
        if (entries.size() > 4 * layout_.cells()) return std::sort(entries.begin(), entries.end());
        for (std::size_t i = 1; i < entries.size(); ++i) {
            const Packed entry = entries[i];
            std::size_t at = i;
            for (; at != 0 && entries[at - 1] > entry; --at) entries[at] = entries[at - 1];
            entries[at] = entry;
        }
    }

    // What the line could not keep.
    template <class Packed>
    std::span<const Packed> fill_line(std::uint64_t number, std::span<Packed> entries) const {
        if (entries.empty()) return {};
        sort_line(entries);
        if (!keeps_equal_)
            entries = entries.first(
                static_cast<std::size_t>(std::unique(entries.begin(), entries.end()) - entries.begin()));
        std::byte* const bytes = table_ + number * rank_line_bytes;
        const std::size_t kept = std::min<std::size_t>(entries.size(), layout_.cells());
        fill_rank_line<Packed>(layout_, bytes, entries.first(kept));
        if (kept != entries.size()) line<>(layout_, bytes).set_forwarded(true);
        return entries.subspan(kept);
    }

    std::byte* table_;
    std::uint64_t lines_;
    line_layout layout_;
    bool keeps_equal_;
    unsigned threads_;
};

MEMBRANE_TARGET_END
