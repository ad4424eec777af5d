// The numbers of the two lines of a growing filter's old layout that were read last: a line of the new layout takes its numbers from at
// most two, and the next line from one of them again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/kind/balanced_rank/view.hpp>

MEMBRANE_TARGET_BEGIN

template <class View>
class lines_read {
public:
    // Lines are read from the last to the first. Throws std::bad_alloc; the line is then not kept.
    void read(const View& from, const number_reader& reader, std::uint64_t line) {
        kept_line& kept = kept_[line % 2];
        if (kept.line == line) return;
        kept.line = none;
        if (line >= lookahead) from.prefetch_forwarded_of(line - lookahead);
        from.read_line(reader, line, kept.numbers);
        kept.line = line;
    }
    // Of a line read: those from `first` on and below `end`.
    std::span<const counted_number> numbers(std::uint64_t line, std::uint64_t first,
                                            std::uint64_t end) const noexcept {
        std::span<const counted_number> all = kept_[line % 2].numbers;
        while (!all.empty() && all.front().number < first) all = all.subspan(1);
        while (!all.empty() && all.back().number >= end) all = all.first(all.size() - 1);
        return all;
    }
    // The line is about to change.
    void forget(std::uint64_t line) noexcept { kept_[line % 2].line = none; }

private:
    static constexpr std::uint64_t none = UINT64_MAX, lookahead = 4;

    struct kept_line {
        std::uint64_t line = none;
        std::vector<counted_number> numbers{};
    };
    std::array<kept_line, 2> kept_{};  // each where its number says
};

MEMBRANE_TARGET_END
