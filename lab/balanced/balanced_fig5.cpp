// Fig. 5 of the balanced report: the loads of SINGLE over time (r = 2.5, h = 2, p = 0.5), in tables of 10,000 blocks as in the
// paper.
#include <fmt/format.h>

#include <membrane/model/single.hpp>

#include <lab/catalog.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

#include "placement.hpp"

namespace membrane::lab {

report run_balanced_fig5(context& lab) {
    constexpr std::uint64_t blocks = 10'000;
    constexpr std::uint64_t h = 2;
    constexpr double p = 0.5;
    constexpr double r = 2.5;
    constexpr std::size_t quarters = 4;
    constexpr std::size_t loads = h + 2;
    report made;
    made.quantity = "share of the blocks with load i; overflow as a share of the arrivals";
    made.picture = {
        "Loads under SINGLE while the table fills",
        "2.5 keys per block at the end; a block takes every key up to load 2 and one in two at load 2",
        {axes("", {"time (share of the keys that have arrived)", {}, {}}, {"share", {}, {}})}};
    std::vector<std::vector<model::running_summary>> seen(quarters,
                                                          std::vector<model::running_summary>(loads + 1));
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        dice random{lab.next_seed()};
        load_table table(blocks, h, p);
        const auto per_quarter = static_cast<std::uint64_t>(r * blocks / quarters);
        std::uint64_t refused = 0;
        for (std::size_t quarter = 0; quarter < quarters; ++quarter) {
            for (std::uint64_t i = 0; i < per_quarter; ++i)
                refused += table.offer(random.below(blocks), random) ? 0 : 1;
            for (std::size_t load = 0; load < loads; ++load) seen[quarter][load].add(table.share_with(load));
            seen[quarter][loads].add(static_cast<double>(refused) /
                                     static_cast<double>(per_quarter * (quarter + 1)));
        }
        lab.advance(trial + 1, lab.trials());
    }
    for (std::size_t load = 0; load <= loads; ++load)
        for (std::size_t quarter = 0; quarter < quarters; ++quarter) {
            const double t = static_cast<double>(quarter + 1) / quarters;
            const auto state = must(model::single(r * t, h, p));
            const std::string curve = load < loads ? fmt::format("load {}", load) : "overflow";
            row each{fmt::format("t = {:.2f}, {}", t, curve), curve, t};
            each.model = load < loads ? state.loads[load] : state.overflow;
            each.margin = 1.0 / blocks;
            each.simulated = mean_of(seen[quarter][load]);
            made.rows.push_back(each);
        }
    made.notes = {
        "published: a figure without numbers. measured: the registry's filters do not tell their loads",
        "the report's equation (1) misprints F_h as F_(h-1) for load h + 1: only a block at load h "
        "can reach h + 1"};
    return made;
}

}  // namespace membrane::lab
