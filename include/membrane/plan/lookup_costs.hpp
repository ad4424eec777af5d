// What an operation on a filter reads, in cache lines of 64 bytes.
//
// A read is a distinct line touched by a sequential lookup, which reads the positions of a key in order and stops at the first
// one that decides the answer; two positions in one line are one read. Our own lookups test positions in groups (of four in the
// flat kinds) before they branch, so they may load a few more lines in parallel; measured times follow the sequential count.
// any_view::lookup_lines counts the same reads for a filter's contents.
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
    double groups = 1;     // groups of positions that a stranger's lookup may have to test
};

// Every operation reads one line.
inline constexpr lookup_costs one_line{{1, 1}, {1, 1}, {1, 1}};

}  // namespace membrane::plan
