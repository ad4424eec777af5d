// A balanced Bloom filter while it is filled, in the limit of many keys: the load distributions of all tables over time,
// including what the closed forms leave out:
//
//   - a key whose own lookup already answers yes by chance is not stored;
//   - the list is finite; when it is full, the last candidate block takes the keys that all have refused;
//   - SEQUENTIAL may have a budget of block accesses, after which keys go straight to the list.
//
// Loads are a birth process: in a table with lambda arrivals per block, load l < h rises with rate lambda (1 - phi_l), phi_l being
// the false positive rate of a block of that load; at load h with p times that, and the other 1 - p set the flag and go to the
// next candidate. The equations are integrated by the Runge-Kutta method in steps of 0.6 arrivals. Without chance hits and
// while the list has room, the result equals multi_level_dynamics and sequential_dynamics. Source: our own.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/model/balanced_bloom.hpp>

namespace membrane::model {

struct process_table {
    double blocks = 1;
    std::uint64_t h = 0;
    double p = 0;
};

struct balanced_setup {
    std::vector<process_table> tables;  // with several tables: one candidate in each
    std::uint64_t tries = 1;            // candidates per key if there is only one table
    std::uint64_t block_bits = 512;
    std::uint64_t k = 8;
    query_rule rule = query_rule::flag_coin;
    double list_room = 0;  // keys
    double budget = std::numeric_limits<double>::infinity();
};

struct process_state {
    double fpr = 0;
    double negative_reads = 0;               // blocks
    double negative_list_reads = 0;          // with a spent budget always 1 - fpr
    double listed = 0;                       // keys
    double accesses = 0;                     // blocks read by insertions, without the lookup before each
    std::vector<double> arrivals{};          // keys per block that tried each table
    std::vector<std::vector<double>> loads;  // per table: share of its blocks with load 0, 1, ...
};

// bad_field "keys" (at least 0), "tables" (1 .. 8, blocks above 0), "tries" (1 .. 64; as many as tables if several), "k"
// (1 .. 64), "block_bits" (8 more than the state, at most 65536), "h" (at most 65535), "p".
result<process_state> balanced_process(double keys, const balanced_setup& setup);

}  // namespace membrane::model
