// The timed operations, in nanoseconds per key. A column that does not apply to a row is zero and shown as a dash.
#pragma once

#include <array>
#include <cstddef>

namespace membrane::timing {

enum column : std::size_t {
    insert_bulk,  // all keys into an empty filter in one call
    insert_bulk_two_threads,
    insert_batch,  // nine of ten keys, in batches
    insert_one,    // every tenth key, one by one, from the empty filter to the full one
    erase_one,     // the last tenth of the keys, from a full filter
    insert_again,  // the erased keys, into a nearly full filter
    erase_batch,   // the same two in batches
    insert_again_batch,
    hit_one,
    miss_one,
    hit_batch,
    miss_batch,
    miss_batch_two_threads,
    column_count
};

inline constexpr std::array<const char*, column_count> column_names{
    "bulk",        "bulk.2thr", "ins.batch", "insert",    "erase",      "again",    "erase.batch",
    "again.batch", "hit",       "miss",      "hit.batch", "miss.batch", "miss.2thr"};
using timings = std::array<double, column_count>;

// The times of filling a filter. For operations timed in pieces, also the time of a plain read of one random line per key of the
// same pieces, measured next to each piece, so that a slow moment of the machine affects both.
struct filling {
    timings ns{};
    timings read_ns{};  // 0: not measured
};

// The columns of the keys that are erased and inserted again, in the order of execution.
inline constexpr std::array turnover_columns{erase_one, insert_again, erase_batch, insert_again_batch};

// The columns of a filled filter.
inline constexpr std::array lookup_columns{hit_one, miss_one, hit_batch, miss_batch, miss_batch_two_threads};

constexpr bool asks_members(column which) { return which == hit_one || which == hit_batch; }

}  // namespace membrane::timing
