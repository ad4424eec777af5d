// The blocked Bloom filter with choices: a key's block by one hash, then c groups of k independent bits of that block, of
// which it sets the one that needs the fewest new bits.
//
// One by one the ones of a block are a Markov chain over its keys, carried exactly; c = 1 is the blocked filter. Keys that
// choose together (rounds > 1) leave a share of those ones: the table of model/choice_offline.hpp, which was made with large
// arrays, and less of its gain the fewer keys a block has. Good to 3 % of the rate where tested.
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

// The rate of one block of 512 bits at each load, made as far as it is asked for.
class blocked_choice {
public:
    static constexpr std::uint64_t block_bits = 512;

    explicit blocked_choice(const choosing_in_blocks& way);

    // The rate of filters of n keys; no keys give 0, no blocks 1.
    mean_and_scatter filter(std::uint64_t n, std::uint64_t blocks);
    // Of filters of very many blocks.
    double rate(double bits_per_key);

private:
    void extend_to(std::uint64_t load);
    void add_key();
    void note_rate();

    choosing_in_blocks way_;
    std::vector<double> new_bits_;  // at x (k + 1) + j: the chance that a key brings j new bits to x ones
    std::vector<double> ones_;      // ones_[x]: the chance of x ones now
    std::uint64_t fewest_ = 0, most_ = 0;
    std::vector<double> rates_, squares_;  // by load
};

}  // namespace membrane::model
