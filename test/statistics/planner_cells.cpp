// The planner against reality, cell by cell (kind, keys, rate): the filter is built as planned, several times with hash keys
// of their own; its rate lies inside five sigma of the prediction, its file is as large as predicted, and the lines that its
// lookups read, counted one by one, are within one percent of the predicted ones, beside the scatter between filters (where
// a last table has three blocks, luck decides whether they refuse).
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/runtime/planner.hpp>

#include "statistics/rates.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

struct cell {
    std::uint64_t keys;
    double fpr;
    std::uint64_t filters;
};

// More filters where they are small, so that their own luck does not decide.
std::vector<cell> cells(const std::vector<std::uint64_t>& keys, const std::vector<double>& rates,
                        double keys_in_all) {
    std::vector<cell> made;
    for (const std::uint64_t n : keys)
        for (const double rate : rates)
            made.push_back({n, rate,
                            std::max<std::uint64_t>(
                                4, static_cast<std::uint64_t>(keys_in_all / static_cast<double>(n)))});
    return made;
}

struct measured {
    model::running_summary rates;
    model::running_summary negative_lines;  // one mean for each filter
    model::running_summary positive_lines;
};

class PlannerCells : public kind_test {
protected:
    measured measure(const filter_spec& spec, const cell& at, std::uint64_t probes,
                     std::uint64_t traced) const {
        measured found;
        any_filter filter = make(spec);
        const bool is_traced = entry().ops_for(spec).lookup_lines != nullptr;
        for (std::uint64_t i = 0; i < at.filters; ++i) {
            const hasher hash = numbered_hasher(7000 + i);
            filter.clear();
            insert_integers(filter, hash, 0, at.keys);
            found.rates.add(static_cast<double>(false_positives(filter, hash, probes)) /
                            static_cast<double>(probes));
            if (!is_traced) continue;
            std::uint64_t negative = 0, positive = 0;
            for (std::uint64_t j = 0; j < traced; ++j) {
                negative += value_of(filter.lookup_lines(hash((std::uint64_t{1} << 41) + j)));
                // Evenly from first to last: a key's reads may depend on when it came.
                positive += value_of(filter.lookup_lines(hash(j * at.keys / traced)));
            }
            found.negative_lines.add(static_cast<double>(negative) / static_cast<double>(traced));
            found.positive_lines.add(static_cast<double>(positive) / static_cast<double>(traced));
        }
        return found;
    }

    static void expect_within_one_percent(const char* what, double predicted,
                                          const model::running_summary& counted) {
        EXPECT_NEAR(counted.mean(), predicted, 0.01 * predicted + 5 * counted.standard_error())
            << what << ": counted " << counted.mean() << " +- " << counted.standard_error() << ", predicted "
            << predicted;
    }

    void expect_as_planned(const cell& at, double false_positives_wanted, double traced_wanted) const {
        SCOPED_TRACE(std::to_string(at.keys) + " keys at " + std::to_string(at.fpr));
        const auto planned =
            value_of(plan::size_kind(plan_row(entry()), {.keys = at.keys, .fpr = at.fpr}, {}));
        EXPECT_LE(planned.fpr, at.fpr * (1 + 1e-9));
        const double filters = static_cast<double>(at.filters);
        // The smallest filters may be far better than was asked for.
        const double most_probes = 20 * false_positives_wanted / at.fpr;
        const auto probes = static_cast<std::uint64_t>(
            std::ceil(std::min(most_probes, false_positives_wanted / planned.fpr) / filters));
        const auto traced = static_cast<std::uint64_t>(std::ceil(traced_wanted / filters));
        const measured found = measure(planned.spec, at, probes, traced);

        const auto accepted = model::five_sigma(planned.fpr, probes, at.filters,
                                                entry().plan.fpr_stddev_between(planned.spec, at.keys));
        EXPECT_TRUE(accepted.contains(found.rates.mean()))
            << "rate: measured " << found.rates.mean() << " +- " << found.rates.standard_error()
            << ", predicted " << planned.fpr << ", accepted " << accepted.low << " to " << accepted.high;
        const double file_bits = 8 * static_cast<double>(file_of(make(planned.spec)).size());
        EXPECT_DOUBLE_EQ(planned.bits_per_key, file_bits / static_cast<double>(at.keys));
        if (!planned.has_reads || found.negative_lines.count() == 0) return;
        expect_within_one_percent("negative lookup", planned.reads.negative.average, found.negative_lines);
        expect_within_one_percent("positive lookup", planned.reads.positive.average, found.positive_lines);
    }
};

TEST_P(PlannerCells, AreMeasuredAsPredicted) {
    for (const cell& at : cells({12, 250, 3000, 20000, 150000}, {0.1, 0.01, 0.001}, 3e5))
        expect_as_planned(at, 2500, 200'000);
}

class LongPlannerCells : public PlannerCells {};

TEST_P(LongPlannerCells, AreMeasuredAsPredicted) {
    for (const cell& at : cells({1, 5, 30, 100, 600, 2000, 8000, 40000, 250000, 3'000'000},
                                {0.3, 0.03, 0.005, 1e-3, 1e-5}, 2e6))
        expect_as_planned(at, 2500, 200'000);
}

MEMBRANE_FOR_EVERY_KIND(PlannerCells);
MEMBRANE_FOR_EVERY_KIND(LongPlannerCells);

}  // namespace
}  // namespace membrane::test
