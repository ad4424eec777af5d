// The blocked Bloom filter with choices: one hash chooses a block, then the key sets that one of its c groups of k independent
// bits of the block that needs the fewest new bits.
//
// Online, the number of ones of a block is a Markov chain over its keys, computed exactly; c = 1 is the blocked filter. Offline
// construction (rounds > 1) leaves a share of those ones: the table of model/choice_offline.hpp, which was measured with large
// arrays, corrected because fewer keys per block gain less. Within 3 % of the measured rates where tested.
// Source: two choices, section 5 (dependent groups); the chain is our own.
#pragma once

#include <cstdint>
#include <vector>

#include <membrane/model/choice_law.hpp>
#include <membrane/model/choice_offline.hpp>

namespace membrane::model {

struct choosing_in_blocks {
    std::uint64_t choices = 2;  // 1 .. 4
    std::uint64_t k = 8;        // 1 .. 64
    std::uint64_t rounds = 1;
    round_search how = round_search::annealed;
};

// The rate of one block of 512 bits at each load, computed on demand.
class blocked_choice {
public:
    static constexpr std::uint64_t block_bits = 512;

    explicit blocked_choice(const choosing_in_blocks& way);

    // The rate of filters of n keys; no keys give 0, no blocks 1.
    mean_and_scatter filter(std::uint64_t n, std::uint64_t blocks);
    // For filters of very many blocks.
    double rate(double bits_per_key);

private:
    void extend_to(std::uint64_t load);
    void add_key();
    void note_rate();

    choosing_in_blocks way_;
    std::vector<double>
        new_bits_;              // [x (k + 1) + j]: probability that a key adds j bits to a block with x ones
    std::vector<double> ones_;  // ones_[x]: probability of x ones at the present load
    std::uint64_t fewest_ = 0, most_ = 0;
    std::vector<double> rates_, squares_;  // by load
};

}  // namespace membrane::model
