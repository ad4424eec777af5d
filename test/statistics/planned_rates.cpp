// What the planner promises is what a filter does: for every kind and every combination of its enumerated fields, the
// measured rate lies inside five sigma of the kind's own model, the scatter between filters counted.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <membrane/model/tails.hpp>

#include "statistics/rates.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class PlannedRates : public kind_test {
protected:
    void expect_predicted(const named_spec& each, std::uint64_t keys, std::uint64_t filters,
                          double false_positives_wanted) const {
        const double predicted = entry().plan.predicted_fpr(each.spec, keys);
        const auto probes = static_cast<std::uint64_t>(
            std::ceil(false_positives_wanted / predicted / static_cast<double>(filters)));
        const auto accepted =
            model::five_sigma(predicted, probes, filters, entry().plan.fpr_stddev_between(each.spec, keys));
        const auto found = measured_rates({each.spec, keys, filters, probes, 100});
        EXPECT_TRUE(accepted.contains(found.mean()))
            << each.name << ", " << keys << " keys: measured " << found.mean() << " +- "
            << found.standard_error() << ", predicted " << predicted << ", accepted " << accepted.low
            << " to " << accepted.high;
    }

    // What two hashes add to the rate of independent ones in an array of the same fill, which tells nothing of it.
    double added_by_less_hashing(const filter_spec& spec, std::uint64_t keys) const {
        for (std::size_t field = 0; field < entry().rules.fields.size(); ++field) {
            const auto choices = entry().rules.fields[field].choices;
            // In a block the bits are independent.
            if (spec[field] < choices.size() && choices[spec[field]] == "blocked") return 0;
            for (std::uint64_t i = 0; i < choices.size(); ++i) {
                if (choices[i] != "independent" && choices[i] != "classic") continue;
                filter_spec independent = spec;
                independent[field] = i;
                return entry().plan.predicted_fpr(spec, keys) - entry().plan.predicted_fpr(independent, keys);
            }
        }
        return 0;
    }
};

TEST_P(PlannedRates, OfEveryVariantAreMeasured) {
    for (const named_spec& each : planned_specs(entry(), {.keys = 3000, .fpr = 0.01, .bits_per_key = {}}))
        expect_predicted(each, 3000, 20, 10000);
}

TEST_P(PlannedRates, OfThePlannersOwnChoiceAreMeasuredFromSmallToLarge) {
    struct cell {
        std::uint64_t keys, filters;
        double fpr;
    };
    for (const cell each : {cell{10, 3000, 0.1}, cell{100, 1000, 0.02}, cell{1000, 200, 0.3},
                            cell{1000, 200, 1e-3}, cell{20000, 20, 1e-4}, cell{200000, 2, 0.01}}) {
        const auto spec =
            value_of(entry().plan.size({.keys = each.keys, .fpr = each.fpr, .bits_per_key = {}}, {}));
        expect_predicted({"planned for " + std::to_string(each.fpr), spec, &entry()}, each.keys, each.filters,
                         10000);
    }
}

TEST_P(PlannedRates, HoldWhenTheFilterIsHalfOrTwiceAsFull) {
    const auto spec = value_of(entry().plan.size({.keys = 4000, .fpr = 0.02, .bits_per_key = {}}, {}));
    expect_predicted({"half full", spec, &entry()}, 2000, 30, 10000);
    if (has_room(spec, 8000)) expect_predicted({"over-full", spec, &entry()}, 8000, 30, 10000);
}

TEST_P(PlannedRates, HoldAfterFolding) {
    if (!able().fold) return;
    for (const named_spec& each : planned_specs(entry(), {.keys = 6400, .fpr = 0.001, .bits_per_key = {}})) {
        named_spec folded = each;
        folded.spec[entry().ops_for(each.spec).folds->field] = 2;
        ASSERT_TRUE(entry().rules.check_spec(folded.spec));
        folded.name += ", folded twice";
        expect_predicted(folded, 1600, 30, 3000);
    }
}

TEST_P(PlannedRates, AreEstimatedFromTheFillOfEachFilter) {
    // The estimate knows this filter's own fill, so only the strangers scatter around it.
    for (const named_spec& each : planned_specs(entry(), {.keys = 20000, .fpr = 0.02, .bits_per_key = {}})) {
        SCOPED_TRACE(each.name);
        const std::uint64_t probes = 400'000;
        for (const std::uint64_t keys : {5000u, 20000u, 40000u}) {
            if (!has_room(each.spec, keys)) continue;
            const hasher hash = numbered_hasher(keys);
            any_filter filter = make(each.spec);
            insert_integers(filter, hash, 0, keys);
            const std::uint64_t hits = false_positives(filter, hash, probes);
            const double measured = static_cast<double>(hits) / static_cast<double>(probes);
            const double estimated = filter.estimated_fpr_now();
            const double expected = estimated + added_by_less_hashing(each.spec, keys);
            const double wanted_hits = expected * static_cast<double>(probes);
            SCOPED_TRACE(std::to_string(keys) + " keys, estimated " + std::to_string(estimated));
            if (wanted_hits < 25) {
                // So few hits follow a Poisson law, not a normal one: as unlikely as five sigma of that.
                EXPECT_TRUE(hits == 0 || model::poisson_tail(wanted_hits, hits - 1).value() > 2.9e-7)
                    << hits << " hits, expected " << wanted_hits;
            } else {
                const double sigma = std::sqrt(expected * (1 - expected) / static_cast<double>(probes));
                EXPECT_NEAR(measured, expected, 5 * sigma);
            }
        }
    }
}

MEMBRANE_FOR_EVERY_KIND(PlannedRates);

}  // namespace
}  // namespace membrane::test
