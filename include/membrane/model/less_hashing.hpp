// False positive rates of the flat Bloom filter and of its probe schemes that need only two hashes.
//
// n = keys, m = bits of the array, k = probes per key; z = fraction of ones.
// Every rate is the mean over random hash functions of the chance that a stranger passes all k probes, and a number
// in [0, 1] for every argument: n = 0 gives 0, m = 0 or k = 0 gives 1, k above max_probes counts as max_probes.
// "exact" means exact at finite size (relative error below 1e-11), "asymptotic" the textbook limit n -> infinity,
// "first order" everything of relative size k/m and larger that the scheme adds to the standard filter.
// Source: Kirsch and Mitzenmacher, "Less hashing, same performance", sections 2, 3, 5 and 6, with exact forms of our own.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

inline constexpr std::uint64_t max_probes = 64;
inline constexpr std::uint64_t max_size_bits = std::uint64_t{1} << 57;

// Fraction of ones. `exact`: a key's probes may coincide; `distinct`: for schemes where they never do.
double bloom_ones_asymptotic(std::uint64_t n, std::uint64_t m, std::uint64_t k);
double bloom_ones_exact(std::uint64_t n, std::uint64_t m, std::uint64_t k);
double bloom_ones_distinct(std::uint64_t n, std::uint64_t m, std::uint64_t k);
// Standard deviation of the fraction of ones from filter to filter (independent probes).
double bloom_ones_stddev(std::uint64_t n, std::uint64_t m, std::uint64_t k);

// The standard filter: k independent probes.
double bloom_fpr_asymptotic(std::uint64_t n, std::uint64_t m, std::uint64_t k);
double bloom_fpr_exact(std::uint64_t n, std::uint64_t m, std::uint64_t k);
// Standard deviation of the rate over filters, by the first derivative of z^k. A measurement of few filters varies by this
// much, however many probes it makes.
double bloom_fpr_stddev_between(std::uint64_t n, std::uint64_t m, std::uint64_t k);

// k sub-arrays with one independent probe each.
double partitioned_independent_fpr_exact(std::uint64_t n, double sub_array_bits, std::uint64_t k);
// k sub-arrays, probe i at (h1 + i h2) modulo the sub-array, which must be prime for this to be exact (a composite
// size is worse: +6 % at n = 1000, 1500 bits, k = 8). A real-valued size is accepted: the rate at equal total bits.
double partitioned_two_hash_fpr_exact(std::uint64_t n, double sub_array_bits, std::uint64_t k);

enum class stride_rule : std::uint8_t {
    any,      // 0 .. m-1 modulo m: the paper's scheme
    coprime,  // odd, m a multiple of 64: m/2 strides, none repeats a position within 64 probes
};
enum class growth_order : std::uint8_t {
    none,         // h1 + i h2
    quadratic,    // + i^2: shifting such a progression gives another one, so near-coincidences stay
    cubic,        // + i^3
    tetrahedral,  // + (i^3 - i) / 6
};

// The rate of double and enhanced double hashing, complete to first order in 1/m: the reference for tests of filters (arrays
// well above k^2 bits). Takes 2 ms at k = 64 with growth, below 0.1 ms otherwise or up to k = 16. Within 0.3 % of the simulated
// rates.
double progression_fpr(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                       stride_rule strides);
// What the scheme adds to z^k if n progressions are stored in an array with a fraction `ones` of ones, whatever set them: to
// first order, between 0 and 1.
double progression_excess(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                          stride_rule strides, double ones);

// The paper's shorter first-order form, accurate to 1 % (less below a rate of 1e-5): the standard rate
//   + sum over t | m, t < k of (phi(t) / m) (z^t - z^k)     strides of small order t (none when coprime or growing)
//   + (2n / (S m)) (1 + 2z / (1-z))                         a key with the same or a shifted progression; S strides
double double_hash_fpr_first_order(std::uint64_t n, std::uint64_t m, std::uint64_t k, stride_rule strides);
// The same with growth: quadratic has the last term only, the cubic ones neither.
double enhanced_fpr_first_order(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                                stride_rule strides = stride_rule::any);

// The k in 1 .. max_probes with the least asymptotic rate; 1 for a size that is not positive.
std::uint64_t best_k(double bits_per_key);

struct bloom_size {
    std::uint64_t size_bits;
    std::uint64_t k;
};

// The least array of a standard filter whose exact rate does not exceed `fpr`, with the k that needs the fewest bits (n = 0 is
// sized as n = 1). bad_field if fpr is not in (0, 1) or k not in 1 .. max_probes; size_overflow above max_size_bits.
result<bloom_size> bits_for_fpr(std::uint64_t n, double fpr);
result<bloom_size> bits_for_fpr(std::uint64_t n, double fpr, std::uint64_t k);

}  // namespace membrane::model
