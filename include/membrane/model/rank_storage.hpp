// Storage and false-positive rate of rank-indexed hashing.
//
// n keys in B buckets of L chains, fingerprints of R bits; lambda = n / (B L) keys per chain. A bucket has Z1 cells; one that
// needs more takes one of J2 extensions of Z2 cells, and then one of J3 last extensions of Z3 cells. Bits of
//   a bucket            L + Z1 + Z1 R + (1 + ceil log2 J2)       chain bits, higher index, cells, flag and pointer
//   a first extension   1 + Z2 + Z2 R + (1 + ceil log2 J3)       a "taken" bit instead of the chain bits
//   a second one        1 + Z3 + Z3 R
// with R + value_bits in place of R for the cells: 2 for the counters of Table IV, any number for a value per key, 0 for
// sets (equal fingerprints are separate entries and need no counter).
// Source: Hua, Zhao, Lin and Xu, "Rank-indexed hashing", sections III and V.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t max_rank_keys = 1'000'000'000'000;
inline constexpr std::uint64_t max_rank_chains = 64;
inline constexpr std::uint64_t max_rank_fingerprint_bits = 56;
inline constexpr std::uint64_t max_rank_value_bits = 64;
inline constexpr std::uint64_t max_rank_cells = 1 << 16;

struct rank_shape {
    std::uint64_t buckets = 1;           // B
    std::uint64_t chains = 64;           // L
    std::uint64_t fingerprint_bits = 1;  // R
    std::uint64_t cells = 1;             // Z1
    std::uint64_t extension_cells = 0;   // Z2
    std::uint64_t last_cells = 0;        // Z3
    std::uint64_t extensions = 0;        // J2
    std::uint64_t last_extensions = 0;   // J3
    std::uint64_t value_bits = 0;
};

struct rank_storage {
    std::uint64_t bucket_bits = 0;
    std::uint64_t extension_bits = 0;
    std::uint64_t last_extension_bits = 0;
    std::uint64_t size_bits = 0;  // of all of them together
};

// bad_field with the name of a member of the shape that is out of range; size_overflow.
result<rank_storage> rank_storage_of(const rank_shape& shape);
result<double> rank_bits_per_key(const rank_shape& shape, std::uint64_t n);

// Size for transfer without the empty cells: L bits per bucket, R + value_bits + 1 bits per key. bad_field unless n > 0.
result<double> rank_trimmed_bits_per_key(const rank_shape& shape, std::uint64_t n);

// keys per chain, lambda.
result<double> rank_keys_per_chain(const rank_shape& shape, std::uint64_t n);

// The limit lambda 2^-R, the exact rate 1 - (1 - 1 / (B L 2^R))^n over random hash functions, and its standard deviation over
// filters (keys that agree in bucket, chain and fingerprint count once).
result<double> rank_fpr_asymptotic(const rank_shape& shape, std::uint64_t n);
result<double> rank_fpr_exact(const rank_shape& shape, std::uint64_t n);
result<double> rank_fpr_stddev_between(const rank_shape& shape, std::uint64_t n);

}  // namespace membrane::model
