// False-positive rate of the blocked Bloom filter: a key chooses one block, then k independent bits inside it.
//
// n = keys, blocks of block_bits bits, k = probes per key. The load of a block is binomial; inside a block of given
// load the number of ones follows the exact occupancy law, not (1 - e^(-k load / block_bits))^k, which is 2.5 % (8 bits
// per key) to 33 % (32 bits per key) too low for blocks of 256 bits.
// Every rate is in [0, 1] for every argument: n = 0 gives 0, no blocks, no bits or k = 0 give 1; k above max_probes
// counts as max_probes. Source: the baseline of the balanced Bloom filter report, section IX.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

double blocked_bloom_fpr(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t k);

// Standard deviation of the rate over filters. Loads are taken as independent given their sum, which is exact to first order in
// 1 / blocks.
double blocked_bloom_fpr_stddev_between(std::uint64_t n, std::uint64_t blocks, std::uint64_t block_bits,
                                        std::uint64_t k);

// The k with the least rate in a filter of very many blocks. It is below the flat filter's k, and the difference grows with the
// bits per key. 1 for a size that is not positive.
std::uint64_t blocked_best_k(double bits_per_key, std::uint64_t block_bits);

struct blocked_size {
    std::uint64_t blocks;
    std::uint64_t k;
};

inline constexpr double max_blocked_bits_per_key = 128;

// The least number of blocks, with its best k, whose rate does not exceed `fpr` (n = 0 is sized as n = 1).
// bad_field if fpr is not in (0, 1), block_bits is not in 8 .. 65536, or the rate needs more than
// max_blocked_bits_per_key: the variance of the loads, not the bits, is then what limits the rate.
result<blocked_size> blocks_for_fpr(std::uint64_t n, double fpr, std::uint64_t block_bits);

}  // namespace membrane::model
