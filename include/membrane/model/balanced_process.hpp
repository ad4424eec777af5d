// A balanced Bloom filter as it is filled, key by key in the limit of many: the load laws of all tables at once, with
// everything that the closed forms leave out.
//
//   - a key that its own query finds already by chance is not stored;
//   - the list has an end: afterwards the last candidate takes what all have refused;
//   - SEQUENTIAL may have a budget of block accesses, after which keys go straight to the list.
//
// Loads are a birth process: in a table with lambda arrivals per block a load l below h rises with lambda (1 - phi_l), phi_l
// the rate of a block of that load; at h with chance p of that, and the other 1 - p leave a flag and go on to the next
// try. The equations are integrated by Runge and Kutta's method in steps of 0.6 arrivals. Without chance hits and
// while the list has room this is multi_level_dynamics and sequential_dynamics; our own otherwise.
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
    std::vector<process_table> tables;  // several: one try in each
    std::uint64_t tries = 1;            // in the only table, if there is one
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
    double accesses = 0;                     // blocks read by insertions, query before insertion not counted
    std::vector<double> arrivals{};          // tries per block of each table
    std::vector<std::vector<double>> loads;  // of each table: share of the blocks with load 0, 1, ...
};

// bad_field "keys" (at least 0), "tables" (1 .. 8, blocks above 0), "tries" (1 .. 64; as many as tables if several), "k"
// (1 .. 64), "block_bits" (8 more than the state, at most 65536), "h" (at most 65535), "p".
result<process_state> balanced_process(double keys, const balanced_setup& setup);

}  // namespace membrane::model
