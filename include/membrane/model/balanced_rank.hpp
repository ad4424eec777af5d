// Size, rate and reads of the balanced rank-indexed filter.
//
// A line of 512 bits has L chain bits, Z cells of R bits with an index bit each, and a flag: L + Z (R + 1) + 1 <= 512.
// T1 gets x1 keys per line on average (Poisson). A full line keeps its Z lowest entries by (chain, fingerprint) and
// forwards the others to T2, which has `second_share` lines per line of T1 and forwards its own overflow to the list.
// A lookup continues if the line has forwarded entries and its chain is not below the largest chain present in the line:
//   continue probability  w = mean over chains c of Pr[A > Z or (A = Z and X > Z)], A = entries in chains up to c
//   forwarded             E[(X - Z)+] per line
// fixed: an entry's place in T2 is a hash of its whole id. T2's loads are Poisson, and its entries add
//              w (1 - exp(-l2 / (L2 2^R2))) to the rate 1 - exp(-x1 / (L 2^R)) of T1; l2 = arrivals per line of T2.
// erasable:    the place in T2 is a bijection of (line, chain): all forwarded entries of one (line, chain) go to one line of T2,
//              and T2 adds no false positives. A line of T2 serves a run of L / second_share such pairs, in which the chains
//              of T1 are equally frequent (to within one) and come from different lines. Its load is a sum of independent
//              clumps (the forwarded entries of one pair) whose distributions follow from x1, Z, L and the chain. A fraction of a
//              turn of chains is modelled as a whole turn in that fraction of the lines.
// All numbers are means over filters with very many lines; equal entries are separate entries.
// Source: our own, from the balanced and the rank-indexed filter and the stop rule of the Prefix filter (VLDB 2022).
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t rank_line_bits = 512;
inline constexpr std::uint64_t max_line_chains = 63;
inline constexpr std::uint64_t max_line_cells = 64;  // so that the cells' index bits fit into one word

enum class rank_model_form : std::uint8_t { fixed, erasable };  // erasable: the growable form, too

struct rank_line {
    std::uint64_t fingerprint_bits = 8;  // R
    std::uint64_t chains = 52;           // L
    std::uint64_t cells = 51;            // Z
};

struct balanced_rank_shape {
    rank_model_form form = rank_model_form::fixed;
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
    double first_fpr = 0;        // the contribution of T1
    double negative_reads = 0;   // lines read by a stranger's lookup: 1 + w
    double positive_reads = 0;   // lines read by a member's lookup
    double list_reads = 0;       // list lookups per stranger's lookup
    double forwarded = 0;        // fraction of the keys that T1 forwards
    double listed = 0;           // fraction of the keys in the list
    double second_load = 0;      // l2, mean arrivals per line of T2
    double second_variance = 0;  // of the arrivals of one line of T2
    double listed_variance = 0;  // of the entries that one line of T2 forwards to the list
};

// bad_field with the name of the member that is out of range: a line with more than 512 bits, R not in 1 .. 56, L not in 1 .. 63,
// no cells, keys_per_line not in 0.01 .. 4 Z, second_share not in 0.005 .. 1 or so small that T2 gets more than four times its
// cells; in the erasable form also "second.fingerprint_bits" if T2 has too few (chain, widening) places for every chain of T1.
result<balanced_rank_numbers> balanced_rank_at(const balanced_rank_shape& shape);

// For one filter of n keys: lines of both tables, list slots that suffice except with probability refusal_chance
// (src/model/rank/list_room.hpp), and the standard deviation of the rate over filters. bad_field unless 1 <= n <= 1e12,
// 1e-15 <= refusal_chance <= 0.5.
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
