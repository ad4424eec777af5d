// Table II of the rank-indexed paper: checks the rate, the overflow probability and the number of extended buckets of its shapes.
//
// The simulation assigns n keys to random (bucket, chain, fingerprint) triples; the rate of a filter is the share of the triples
// that are taken.
#include <algorithm>

#include <fmt/format.h>

#include <membrane/model/rank_overflow.hpp>

#include <lab/catalog.hpp>
#include <lab/dice.hpp>
#include <lab/measure.hpp>
#include <lab/picture.hpp>
#include <lab/sample.hpp>

#include "rank_filters.hpp"
#include "rank_settings.hpp"

namespace membrane::lab {

namespace {

struct seen_in_trials {
    model::running_summary rate;
    model::running_summary extended;  // buckets above Z1
    double most_extended = 0;
};

void throw_keys(const model::rank_shape& shape, dice& random, seen_in_trials& seen) {
    const std::uint64_t chains = shape.buckets * shape.chains;
    std::vector<std::uint64_t> ids(rank_keys);
    std::vector<std::uint64_t> loads(shape.buckets);
    for (std::uint64_t& id : ids) {
        const std::uint64_t chain = random.below(chains);
        id = (chain << shape.fingerprint_bits) | (random.next() >> (64 - shape.fingerprint_bits));
        ++loads[chain / shape.chains];
    }
    std::sort(ids.begin(), ids.end());
    const auto different = static_cast<double>(std::unique(ids.begin(), ids.end()) - ids.begin());
    const auto all = static_cast<double>(chains << shape.fingerprint_bits);
    const auto extended = static_cast<double>(
        std::count_if(loads.begin(), loads.end(), [&](std::uint64_t load) { return load > shape.cells; }));
    seen.rate.add(different / all);
    seen.extended.add(extended);
    seen.most_extended = std::max(seen.most_extended, extended);
}

}  // namespace

report run_rank_table2(context& lab) {
    report made;
    made.quantity = "false positive rate; chance of overflow; number of buckets";
    made.picture = {"Rates of the shapes of Table II",
                    "100,000 keys",
                    {axes("", {"rate aimed at", plot::scale::log10, {}},
                          {"false positive rate", plot::scale::log10, {}})}};
    std::size_t done = 0;
    for (const rank_setting& at : rank_settings) {
        const model::rank_shape shape = at.shape();
        seen_in_trials seen;
        for (std::uint64_t trial = 0; trial < lab.trials(); ++trial) {
            dice random{lab.next_seed()};
            throw_keys(shape, random, seen);
        }
        const bool is_above_target = at.rate() > at.target * 1.01;
        row rate{fmt::format("{}: rate", at.name), "rank-indexed", at.target};
        rate.published = printed{at.target, 0, is_above_target, true};
        rate.model = must(model::rank_fpr_exact(shape, rank_keys));
        rate.simulated = mean_of(seen.rate, must(model::rank_fpr_stddev_between(shape, rank_keys)) /
                                                std::sqrt(static_cast<double>(lab.trials())));
        rate.measured = measured_rate(lab, {rank_filter_text(shape), rank_keys, {}, {}}, 100'000);
        row overflow{fmt::format("{}: chance of overflow, by the bound", at.name)};
        overflow.published = printed{1e-10, 0, false, true};
        overflow.model = std::exp(must(model::rank_overflow_bound(shape, rank_keys)).log_any);
        row extended{fmt::format("{}: buckets that need an extension", at.name)};
        extended.model = must(model::rank_overflow_scatter(rank_keys, shape.buckets, shape.cells)).mean;
        extended.margin = 2e-3 * *extended.model;
        extended.simulated = mean_of(seen.extended);
        const auto filters = extended_buckets(lab, {rank_filter_text(shape), rank_keys, {}, {}});
        if (filters) extended.measured = mean_of(*filters);
        row most{fmt::format("{}: the same, most in any trial (model: J2)", at.name)};
        most.model = static_cast<double>(shape.extensions);
        most.is_bound = true;
        most.simulated = reading{seen.most_extended, 0};
        for (row* each : {&rate, &overflow, &extended, &most}) made.rows.push_back(std::move(*each));
        lab.advance(++done, std::size(rank_settings));
    }
    made.notes = {
        "0.01 %: the printed lambda = 0.86 and R = 13 give 1.05e-4, above the target; with R = 13 lambda may "
        "be 0.8192 "
        "at most",
        "published numbers here are limits. The bound leaves two digits of 1e-10 unused: the J of the table "
        "are "
        "larger than needed"};
    return made;
}

}  // namespace membrane::lab
