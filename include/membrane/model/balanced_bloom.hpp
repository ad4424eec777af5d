// The balanced Bloom filter: multi-level placement over Bloom blocks, with the false positive rate and the reads of its four
// stop rules.
//
// A block of block_bits bits stores its load in ceil(log2(h + 2)) of them (h + 4 states with a "has refused" flag); the rest is a
// Bloom filter with k independent bits per key. A lookup reads table after table until a block holds all k bits (yes), or a
// block cannot have refused this key (no); after the last table it searches the list. It continues after a block if
//   load       load >= h
//   coin       load > h, or load = h and the key's coin (a hash of the key) says "refuse"
//   flag       the block has refused a key
//   flag_coin  flagged, and load > h or the coin says "refuse"
// With F_j the mean rate of a block in table j and c_j the probability that the block has no hit and the lookup continues:
//   FPR = sum of F_j c_1 .. c_(j-1);  reads = sum of c_1 .. c_(j-1);  list reads = c_1 .. c_d.
// Assumes distinct keys, all of them stored, even one that a lookup would already have found.
// Source: balanced Bloom filters, section IX, corrected: the report has the load rule for p = 0 only.
#pragma once

#include <cstdint>
#include <span>

#include <membrane/base/result.hpp>
#include <membrane/model/multi_level.hpp>

namespace membrane::model {

enum class query_rule : std::uint8_t { load, coin, flag, flag_coin };

enum class block_law : std::uint8_t {
    exact,        // occupancy law of k independent bits per key: the rate of a real block
    approximate,  // (1 - e^(-k load / bits))^k, as in the report; 2.5 % to 33 % too low for 256 bits
};

inline constexpr double list_entry_bits = 64;

struct balanced_bloom_spec {
    std::uint64_t block_bits = 512;
    std::uint64_t k = 8;
    query_rule rule = query_rule::flag_coin;
    block_law law = block_law::exact;
};

struct balanced_bloom_rates {
    double fpr = 0;
    double fpr_union = 0;            // upper bound: counts "continue" also where a block has a hit
    double negative_reads = 0;       // blocks per lookup of a stranger
    double negative_list_reads = 0;  // list lookups per lookup of a stranger
    double positive_reads = 0;  // blocks per lookup of a member; chance hits in earlier blocks stop it early
    double positive_list_reads = 0;
    double insertion_reads = 0;
    double overflow = 0;      // fraction of the keys in the list
    double bits_per_key = 0;  // blocks and list, at this fill
    double block_fpr = 0;     // F_1
    double goes_on =
        0;  // probability that a lookup continues after a block of table 1, whether it hit or not
};

// Bits of a block that hold its state.
std::uint64_t state_bits(query_rule rule, std::uint64_t h);

// Probability that a stranger's lookup continues after a block of this state, whether it hit or not.
double continue_probability(const single_state& state, double p, query_rule rule);

// Rate of one block that holds `load` keys; bad_field "bits" (1 .. 65536), "k" (1 .. 64), "load" (at most 65536).
result<double> block_fpr(std::uint64_t load, std::uint64_t bits, std::uint64_t k, block_law law);

// Any tables at any fill. bad_field "k" (1 .. 64), "block_bits" (at most 65536, and 8 more than the block's state),
// and the errors of multi_level_dynamics.
result<balanced_bloom_rates> balanced_bloom(double r, double fill, std::span<const sub_table> tables,
                                            const balanced_bloom_spec& spec);
// The k in 1 .. 64 with the least rate; ignores spec.k.
result<std::uint64_t> balanced_bloom_best_k(double r, double fill, std::span<const sub_table> tables,
                                            const balanced_bloom_spec& spec);

// Standard deviation of the false positive rate over filters (hash functions) with n keys; first order in 1 / blocks.
// bad_field "n" and as above.
result<double> balanced_bloom_fpr_stddev_between(double r, double fill, std::span<const sub_table> tables,
                                                 const balanced_bloom_spec& spec, std::uint64_t n);

// The closed-form design with r = block_bits / bits_per_key, not counting the list's bits. bad_field "bits_per_key",
// "a", "d" and as above.
result<balanced_bloom_rates> balanced_bloom_design(double bits_per_key, double a, std::uint64_t d,
                                                   const balanced_bloom_spec& spec);

// The report's baseline: Poisson loads and the approximate block rate. blocked.hpp has the exact rate.
result<double> blocked_bloom_fpr_approximate(double bits_per_key, std::uint64_t block_bits, std::uint64_t k);

}  // namespace membrane::model
