// How keys that are all at hand choose their groups together: what a kind with choices is asked for, and what it reports.
#pragma once

#include <cstdint>
#include <functional>

namespace membrane {

// `fresh` forgets what the filter holds. `present` begins with the groups that are covered now: every key must be in the
// filter already, and the keys must account for every bit that is set.
enum class rounds_start : bool { fresh, present };

struct rounds_request {
    std::uint64_t rounds = 0;  // 0: as many as the spec says
    rounds_start start = rounds_start::fresh;
    std::uint64_t seed =
        1;  // of ties and of the annealing; equal seeds give equal bits, whatever the number of threads
    unsigned threads = 1;   // 0: as many as the machine has
    double least_gain = 0;  // greedy rounds end early when one sets free less than this share of the ones
    std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct rounds_report {
    std::uint64_t rounds = 0;  // that were made
    std::uint64_t ones = 0;
};

}  // namespace membrane
