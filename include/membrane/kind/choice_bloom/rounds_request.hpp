// Parameters and report of an offline construction of a filter with choices (kind/choice_bloom/rounds.hpp).
#pragma once

#include <cstdint>
#include <functional>

namespace membrane {

// `fresh` discards the contents. `present` starts from the groups that are covered now: the keys must be exactly those that the
// filter was built from.
enum class rounds_start : bool { fresh, present };

struct rounds_request {
    std::uint64_t rounds = 0;  // 0: the number in the spec
    rounds_start start = rounds_start::fresh;
    std::uint64_t seed =
        1;  // for ties and for annealing; the same seed gives the same bits, independent of the number of threads
    unsigned threads = 1;   // 0: one per hardware thread
    double least_gain = 0;  // greedy rounds stop early when a round clears less than this share of the ones
    std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct rounds_report {
    std::uint64_t rounds = 0;  // rounds that were run
    std::uint64_t ones = 0;
};

}  // namespace membrane
