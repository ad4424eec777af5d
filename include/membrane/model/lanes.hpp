// False positive rate of the blocked Bloom filter with lanes: a key sets one bit in each lane of one block.
//
// n = keys, blocks of `lanes` lanes of lane_bits bits. The lanes of a block with i keys are filled independently, each by i throws,
// so the rate of the block is exactly (1 - (1 - 1 / lane_bits)^i)^lanes; i is binomial. Every rate is in [0, 1] for every
// argument: n = 0 gives 0, no blocks, lanes or bits give 1.
#pragma once

#include <cstdint>

#include <membrane/base/result.hpp>

namespace membrane::model {

struct lanes_of_block {
    std::uint64_t lanes;
    std::uint64_t lane_bits;

    std::uint64_t block_bits() const { return lanes * lane_bits; }
};

double lanes_fpr(std::uint64_t n, std::uint64_t blocks, const lanes_of_block& shape);
double lanes_fpr_stddev_between(std::uint64_t n, std::uint64_t blocks, const lanes_of_block& shape);

// The least number of blocks whose rate does not exceed `fpr`; above 4096 blocks to one in a million (n = 0 is sized as n = 1).
// bad_field if fpr is not in (0, 1), the block has not 8 .. 65536 bits, or the rate needs more than max_blocked_bits_per_key.
result<std::uint64_t> lanes_blocks_for_fpr(std::uint64_t n, double fpr, const lanes_of_block& shape);

}  // namespace membrane::model
