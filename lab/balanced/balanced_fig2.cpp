// Fig. 2 of the balanced report: the best load distribution for r = 8 keys per block without overflow.
//
// Simulates the offline optimum that the bound describes: a n accesses hit m random blocks, then keys are removed from the fullest
// blocks until n are left.
#include <numeric>

#include <fmt/format.h>

#include <membrane/model/balanced_bound.hpp>

#include <lab/catalog.hpp>
#include <lab/dice.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

namespace membrane::lab {

namespace {

constexpr std::uint64_t blocks = 20'000;
constexpr std::uint64_t keys_per_block = 8;
constexpr double least_shown = 2e-3;  // smaller shares are a handful of blocks

// Number of blocks at each load.
std::vector<std::uint64_t> simulate(double a, dice& random) {
    std::vector<std::uint64_t> loads(blocks);
    const auto accesses = static_cast<std::uint64_t>(a * blocks * keys_per_block);
    for (std::uint64_t i = 0; i < accesses; ++i) ++loads[random.below(blocks)];
    std::vector<std::uint64_t> with(128);
    for (const std::uint64_t load : loads) ++with[load];
    std::uint64_t too_many = accesses - blocks * keys_per_block;
    for (std::size_t top = with.size() - 1; too_many != 0; --top) {
        const std::uint64_t lowered = std::min(with[top], too_many);
        with[top] -= lowered;
        with[top - 1] += lowered;
        too_many -= lowered;
    }
    return with;
}

}  // namespace

report run_balanced_fig2(context& lab) {
    report made;
    made.quantity = "share of the blocks with load i";
    made.picture = {"Best load law of a block, and what balancing costs",
                    "8 keys per block, no overflow; a accesses per insertion (lower bound, theorem 1)",
                    {axes("", {"load of a block (keys)", {}, {}}, {"share of the blocks", {}, {}})}};
    std::size_t done = 0;
    for (const double a : {1.0, 1.1, 1.2}) {
        const auto bound = must(model::balanced_lower_bound(a, keys_per_block, 0));
        std::vector<model::running_summary> shares(128);
        for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
            dice random{lab.next_seed()};
            const auto with = simulate(a, random);
            for (std::size_t i = 0; i < with.size(); ++i)
                shares[i].add(static_cast<double>(with[i]) / blocks);
        }
        for (std::size_t i = 0; i < bound.loads.size(); ++i) {
            if (bound.loads[i] < least_shown) continue;
            row each{fmt::format("a = {}, load {}", a, i), fmt::format("a = {}", a), static_cast<double>(i)};
            each.model = bound.loads[i];
            each.margin = 2.0 / blocks;
            each.simulated = mean_of(shares[i]);
            made.rows.push_back(each);
        }
        lab.advance(++done, 3);
    }
    made.notes = {
        "published: a figure without numbers. measured: a bound, not a structure.",
        "the short version of the paper misprints P(k0); the form used here is the report's, summed "
        "over the upper tail"};
    return made;
}

}  // namespace membrane::lab
