// What is timed, in nanoseconds per key. A column that does not apply to a row stays zero and is shown as a dash.
#pragma once

#include <array>
#include <cstddef>

namespace membrane::timing {

enum column : std::size_t {
    insert_bulk,  // all keys of an empty filter in one call
    insert_bulk_two_threads,
    insert_batch,  // nine keys of ten
    insert_one,    // the tenth, from the empty filter to the full one
    erase_one,     // the last tenth of the keys, of a full filter
    insert_again,  // what was erased, so into a filter that is nearly full
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

// What filling a filter took. Beside what is done piece by piece, the plain read of a line for each key of the same pieces, one
// after the other: a slow second of the machine hits both.
struct filling {
    timings ns{};
    timings read_ns{};  // 0: there is none
};

// The columns of the keys that are erased and inserted again, in the order in which it is done.
inline constexpr std::array turnover_columns{erase_one, insert_again, erase_batch, insert_again_batch};

// The columns of a filled filter.
inline constexpr std::array lookup_columns{hit_one, miss_one, hit_batch, miss_batch, miss_batch_two_threads};

constexpr bool asks_members(column which) { return which == hit_one || which == hit_batch; }

}  // namespace membrane::timing
