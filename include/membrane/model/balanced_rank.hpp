// Size, rate and reads of the balanced rank-indexed filter.
//
// A line of 512 bits has L chain bits, Z cells of R bits with an index bit each, and a flag: L + Z (R + 1) + 1 <= 512.
// T1 gets x1 keys per line on average (Poisson). A full line keeps its Z lowest entries by (chain, fingerprint) and
// forwards the others to T2, which has `second_share` lines per line of T1 and does the same towards the overflow list.
// A query goes on if the line has forwarded and the query's chain is not below the largest chain present there:
//   continue chance  w = mean over chains c of Pr[A > Z or (A = Z and X > Z)], A = entries in chains up to c
//   forwarded        E[(X - Z)+] per line
// insert-only: an entry's place in T2 is a hash of its whole id. T2's loads are Poisson, and its entries add
//              w (1 - exp(-l2 / (L2 2^R2))) to the rate 1 - exp(-x1 / (L 2^R)) of T1; l2 = arrivals per line of T2.
// erasable:    T2's place is a bijection: all forwarded entries of one (bucket, chain) land in one line, and T2 adds no
//              false positive. A line serves a run of L / second_share such pairs in which each chain of T1 comes equally
//              often, to within one, from lines that are all different: its load is a sum of independent clumps, whose
//              laws follow from x1, Z, L and the chain. A fraction of a turn of chains counts as a whole turn for as many
//              of the lines.
// Every number is a mean over filters of very many lines; equal entries are kept as separate ones.
// Source: our own, out of the balanced and the rank-indexed filter and the stop rule of the Prefix filter (VLDB 2022).
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t rank_line_bits = 512;
inline constexpr std::uint64_t max_line_chains = 63;
inline constexpr std::uint64_t max_line_cells = 64;  // of the best lines: an index is one word

enum class balanced_rank_form : std::uint8_t { insert_only, erasable };

struct rank_line {
    std::uint64_t fingerprint_bits = 8;  // R
    std::uint64_t chains = 52;           // L
    std::uint64_t cells = 51;            // Z
};

struct balanced_rank_shape {
    balanced_rank_form form = balanced_rank_form::insert_only;
    rank_line first;
    rank_line second;
    double second_share = 0.07;          // lines of T2 per line of T1
    double keys_per_line = 51;           // x1
    std::uint64_t list_entry_bits = 64;  // a slot of the overflow list
};

struct balanced_rank_numbers {
    double bits_per_key = 0;  // lines of both tables and the list's expected entries
    double list_bits_per_key = 0;
    double fpr = 0;
    double first_fpr = 0;        // the part of T1 alone
    double negative_reads = 0;   // lines read by the query of a stranger: 1 + w
    double positive_reads = 0;   // by the query of a key
    double list_reads = 0;       // consultations of the list by the query of a stranger
    double forwarded = 0;        // fraction of the keys that T1 sends on
    double listed = 0;           // fraction of the keys in the list
    double second_load = 0;      // l2, mean arrivals per line of T2
    double second_variance = 0;  // of the arrivals of one line of T2
    double listed_variance = 0;  // of the entries that one line of T2 sends to the list
};

// bad_field and the name of the member that is out of range: a line with more than 512 bits, R not in 1 .. 56, L not in
// 1 .. 63, no cells, keys_per_line not in 0.01 .. 4 Z, second_share not in 0.005 .. 1 or so small that T2 gets more than
// four times its cells, and in the erasable form a T2 with too few (chain, widening) places for every chain of T1
// ("second.fingerprint_bits").
result<balanced_rank_numbers> balanced_rank_at(const balanced_rank_shape& shape);

// For one filter of n keys: lines of the tables, slots of the list that suffice but for a chance (src/model/rank/list_room.hpp), and
// the deviation of one filter's own rate. bad_field unless 1 <= n <= 1e12, 1e-15 <= refusal_chance <= 0.5.
struct balanced_rank_filter {
    std::uint64_t first_lines = 0;
    std::uint64_t second_lines = 0;
    std::uint64_t list_slots = 0;
    std::uint64_t size_bits = 0;
    double fpr_stddev_between = 0;
};
result<balanced_rank_filter> balanced_rank_for(const balanced_rank_shape& shape, std::uint64_t n,
                                               double refusal_chance = 1e-12);

// Bits by which the permutation of (bucket, chain) widens T2's fingerprint: the least w with L <= second_share L2 2^w.
std::uint64_t widening_bits(double second_share, std::uint64_t chains, std::uint64_t second_chains);

}  // namespace membrane::model
