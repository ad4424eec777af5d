// Search for the smallest rank-indexed filter: the shape with the fewest bits for n keys whose rate is at most `fpr` and whose
// extensions run out with a probability of at most `overflow`.
//
// For every R the keys per chain are at their limit, lambda = fpr 2^R (also above 1: the index needs at most L bits per level
// however long the chains are), so R and L determine B. The overflow probability is divided among its three terms in a few
// ways; each share gives the least Z1 + Z2 + Z3, the least J2 for every Z1 and the least J3 for every Z1 + Z2, and the best
// combination is taken. The part of the probability that remains is then spent on fewer extensions.
// Source: rank-indexed hashing, section V; the search is our own and finds 10.17 / 14.03 / 17.84 bits where Table III
// has 10.6 / 14.4 / 18.2 (1 / 0.1 / 0.01 %, n = 1e5, 1e-10).
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>
#include <membrane/model/rank_storage.hpp>

namespace membrane::model {

enum class overflow_rule : std::uint8_t {
    bound,  // proven; used to size filters
    estimate,  // close to the true chance, no guarantee; the shape of the bound is improved for the same R and L. Up to
               // n = 1e6: its time grows with n
};

struct rank_requirement {
    std::uint64_t n = 1;
    double fpr = 0.01;
    double overflow = 1e-10;
    std::uint64_t value_bits = 0;
    overflow_rule rule = overflow_rule::bound;
    std::uint64_t fingerprint_bits = 0;  // fixed R and L; 0: chosen by the search
    std::uint64_t chains = 0;
};

struct rank_optimum {
    rank_shape shape;
    double bits_per_key = 0;
    double fpr = 0;           // exact, at most the required one
    double log_overflow = 0;  // natural logarithm, by the rule asked for
};

// bad_field and the member's name unless 1 <= n <= max_rank_keys, 1e-15 <= fpr <= 0.5, 1e-300 <= overflow < 1,
// value_bits <= max_rank_value_bits (and n <= 1e6 for the estimate).
result<rank_optimum> best_rank_shape(const rank_requirement& wanted);

// The best cells and extensions for the buckets, chains, fingerprint and value bits of `base`. bad_field "buckets" if that many
// keys do not fit into that many buckets.
result<rank_optimum> best_rank_cells(const rank_shape& base, std::uint64_t n, double overflow = 1e-10);

}  // namespace membrane::model
