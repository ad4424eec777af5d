// What an operation on a filter reads, in cache lines of 64 bytes.
//
// A read is a distinct line that a walk would touch which takes the places of a key in order and stops at the first one
// that settles the answer; two places in one line are one read. Our own lookups test places in groups (of four in the flat
// kinds) before they branch, so they may fetch a few lines more, side by side: time follows the walk's reads, not the
// number of lines fetched. any_view::lookup_lines counts the same walk over a filter's contents.
#pragma once

namespace membrane::plan {

struct line_reads {
    double average = 0;
    double worst = 0;
};

struct lookup_costs {
    line_reads negative;   // of a stranger; a false positive is a stranger too
    line_reads positive;   // of a key that was inserted
    line_reads insertion;  // lines changed by, or read for, an insertion
    double groups = 1;     // of places that a stranger may have to be looked for in
};

// Everything in one line.
inline constexpr lookup_costs one_line{{1, 1}, {1, 1}, {1, 1}};

}  // namespace membrane::plan
