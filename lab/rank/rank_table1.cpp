// Table I of the rank-indexed paper: the share of buckets with more keys than a limit, 64 chains of 0.875 keys on average.
#include <cmath>

#include <fmt/format.h>

#include <membrane/model/tails.hpp>

#include <lab/catalog.hpp>
#include <lab/dice.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

#include "rank_filters.hpp"

namespace membrane::lab {

namespace {

// The share of buckets of real filters that have an extension.
std::optional<reading> share_extended(context& lab, std::uint64_t cells, std::uint64_t buckets,
                                      std::uint64_t mean_load) {
    const auto found = extended_buckets(
        lab, {fmt::format("rank:buckets={},chains=64,fingerprint_bits=8,cells={}", buckets, cells),
              buckets * mean_load,
              {},
              {}});
    if (!found) return std::nullopt;
    const reading mean = mean_of(*found);
    return reading{mean.value / static_cast<double>(buckets), mean.sigma / static_cast<double>(buckets)};
}

}  // namespace

report run_rank_table1(context& lab) {
    constexpr std::uint64_t buckets = 2'000;
    constexpr std::uint64_t mean_load = 56;
    struct threshold {
        std::uint64_t cells;
        printed published;
    };
    constexpr threshold thresholds[]{{64, {0.13, 0.005}}, {74, {0.01, 0.005}}, {128, {8e-17, 0, true}}};
    report made;
    made.quantity = "share of the buckets with more keys than that";
    made.picture = {
        "Buckets that need more cells than they have",
        "64 chains, 56 keys per bucket on average",
        {axes("", {"cells of a bucket", {}, {}}, {"share of the buckets above", plot::scale::log10, {}})}};
    std::vector<model::running_summary> above(std::size(thresholds));
    for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
        dice random{lab.next_seed()};
        std::vector<std::uint64_t> loads(buckets);
        for (std::uint64_t i = 0; i < buckets * mean_load; ++i) ++loads[random.below(buckets)];
        for (std::size_t i = 0; i < above.size(); ++i) {
            std::uint64_t found = 0;
            for (const std::uint64_t load : loads) found += load > thresholds[i].cells ? 1 : 0;
            above[i].add(static_cast<double>(found) / buckets);
        }
        lab.advance(trial + 1, lab.trials());
    }
    for (std::size_t i = 0; i < above.size(); ++i) {
        row each{fmt::format("load > {}", thresholds[i].cells), "buckets above",
                 static_cast<double>(thresholds[i].cells)};
        each.published = thresholds[i].published;
        each.model = must(model::poisson_tail(mean_load, thresholds[i].cells));
        each.margin = 10.0 / buckets *
                      *each.model;  // with a fixed number of keys the loads vary slightly less than Poisson
        if (*each.model > 1e-9) {
            each.simulated = mean_of(above[i]);
            each.measured = share_extended(lab, thresholds[i].cells, buckets, mean_load);
        }
        made.rows.push_back(each);
    }
    made.notes = {"load > 128: printed 8e-17, right is 5.5e-17; far too rare to simulate",
                  "the text calls 64/56 = 1.14 the share of unused cells; it is the over-provisioning, 12.5 "
                  "% are unused"};
    return made;
}

}  // namespace membrane::lab
