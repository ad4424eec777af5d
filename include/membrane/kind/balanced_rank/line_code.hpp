// What is done in a rank-indexed line, as a type: the line's own code. rank_code.hpp has others, with the same answers and bytes.
#pragma once

#include <cstdint>

#include <membrane/kind/balanced_rank/line.hpp>

namespace membrane {

// What became of an entry that was offered to a line. Undecided: nothing has changed, and whoever wants to know offers it again.
enum class line_offer : std::uint8_t { taken, present, full, undecided };

struct plain_line_code {
    using second = plain_line_code;  // for lines of the second table
    static constexpr bool has_glance = false;
    static constexpr unsigned known_bits = 0;

    static const rank_line_shape& shape_of(const rank_line_shape& shape) noexcept { return shape; }
    static unsigned fingerprint_bits(const rank_line_shape& shape) noexcept {
        return shape.fingerprint_bits();
    }
    static bool is_full(const rank_line& line) noexcept { return line.is_full(); }
    static bool has_alike(const rank_line&, line_entry) noexcept { return true; }
    static bool may_have_forwarded(const rank_line& line, std::uint64_t chain) noexcept {
        return line.may_have_forwarded(chain);
    }
    template <bool KeepsEqual>
    static bool contains(const rank_line& line, line_entry asked) noexcept {
        return line.contains(asked);
    }
    template <bool KeepsEqual>
    static line_offer offer(rank_line& line, line_entry added) noexcept {
        if (!KeepsEqual && line.contains(added)) return line_offer::present;
        if (line.is_full()) return line_offer::full;
        line.insert(added);
        return line_offer::taken;
    }
    template <bool KeepsEqual>
    static line_offer quick_offer(rank_line& line, line_entry added) noexcept {
        return offer<KeepsEqual>(line, added);
    }
    static void insert(rank_line& line, line_entry added) noexcept { line.insert(added); }

    static line_cell find(const rank_line& line, line_entry asked) noexcept { return line.find(asked); }
    static line_cell find_alike(const rank_line& line, line_entry asked, unsigned low_count) noexcept {
        return line.find_alike(asked, low_count);
    }
    static void remove(rank_line& line, std::uint64_t chain, const line_cell& cell) noexcept {
        line.remove(chain, cell);
    }
    static void exchange(rank_line& line, std::uint64_t chain, const line_cell& cell,
                         line_entry last) noexcept {
        line.remove(chain, cell);
        line.insert(last);
    }
};

}  // namespace membrane
