// Reports about a file (`membrane info`, INFO of the Redis module, the C interface) take time in proportion to the file, whatever its
// header says: every field at its limits, and any number of keys.
#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "small_files.hpp"
#include "support/instrumented.hpp"
#include "support/keys.hpp"
#include "support/kinds.hpp"

namespace membrane::corrupt {
namespace {

constexpr std::uint64_t most_reported_bytes = 1 << 18;

// What a report may take: a small constant, and a time for each byte of the file.
double most_seconds(std::size_t file_bytes) { return 0.05 + 1e-6 * static_cast<double>(file_bytes); }

// Processor time, so that other work on the machine does not count; the least of three times if the first was too long.
double seconds_of(double enough, const auto& work) {
    double least = std::numeric_limits<double>::infinity();
    for (int time = 0; time < 3 && least > enough; ++time) {
        const std::clock_t start = std::clock();
        work();
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

// A value that lies at a border of its field, or anywhere in it.
std::uint64_t border_value(const field_rule& rule, test::random_numbers& random) {
    const std::uint64_t values[]{rule.least,
                                 rule.most,
                                 rule.initial,
                                 rule.least + 1,
                                 rule.most - rule.most / 2,
                                 std::uint64_t{1} << random.below(57),
                                 (std::uint64_t{1} << random.below(40)) * 512,
                                 random.below(rule.most) + 1,
                                 random.below(64) + 1};
    return std::clamp(values[random.below(std::size(values))], rule.least, rule.most);
}

// Specs that are legal, small enough and extreme: the largest value of each field that goes with some others among them.
std::vector<filter_spec> extreme_specs(const kind_entry& kind, std::size_t count) {
    test::random_numbers random(5);
    std::vector<filter_spec> specs;
    for (int tried = 0; tried < 200'000 && specs.size() < count; ++tried) {
        filter_spec spec = initial_spec(kind.rules.id, kind.rules.fields);
        for (std::size_t field = 0; field < kind.rules.fields.size(); ++field)
            spec[field] = border_value(kind.rules.fields[field], random);
        if (fits(kind, spec, most_reported_bytes)) specs.push_back(spec);
    }
    return specs;
}

void expect_rate(double rate, const char* what) {
    EXPECT_TRUE(rate >= 0 && rate <= 1) << what << ": " << rate;
}

void report_all(const any_view& filter) {
    expect_rate(filter.fill(), "fill");
    expect_rate(filter.estimated_fpr_now(), "estimated rate");
    EXPECT_GE(filter.estimated_size(), 0);
    EXPECT_LE(filter.top().size(), filter.size_bytes());
    const plan::kind_plan& plan = filter.kind().plan;
    expect_rate(plan.predicted_fpr(filter.spec(), filter.keys()), "predicted rate");
    if (plan.predicted_costs != nullptr) {
        EXPECT_GE(plan.predicted_costs(filter.spec(), filter.keys()).negative.average, 0);
    }
    for (const key_hash& hash : some_hashes(filter.hash())) static_cast<void>(filter.lookup_lines(hash));
}

class Reports : public test::kind_test {};

TEST_P(Reports, TakeTimeInProportionToTheFile) {
    const kind_entry& kind = entry();
    double longest = 0;
    for (const filter_spec& spec : extreme_specs(kind, 150)) {
        file_bytes file = file_of(spec, 300);
        for (const std::uint64_t keys :
             {std::uint64_t{0}, std::uint64_t{300}, std::uint64_t{1} << 40, UINT64_MAX}) {
            store_le(file.data() + layout::keys_at, keys);
            repair_checksums(file);
            const auto view = any_view::open(file);
            ASSERT_TRUE(view) << describe(view.error());
            std::string fields;
            for (std::size_t field = 0; field < kind.rules.fields.size(); ++field)
                fields +=
                    std::string(kind.rules.fields[field].name) + "=" + std::to_string(spec[field]) + " ";
            SCOPED_TRACE(std::to_string(file.size()) + " bytes, " + std::to_string(keys) + " keys, " +
                         fields);
            const double most = most_seconds(file.size());
            const double seconds = seconds_of(most, [&] { report_all(*view); });
#if !defined(MEMBRANE_TEST_IS_INSTRUMENTED)
            EXPECT_LT(seconds, most);
#endif
            longest = std::max(longest, seconds);
        }
    }
    RecordProperty("longest_ms", static_cast<int>(1000 * longest));
}

MEMBRANE_FOR_EVERY_KIND(Reports);

}  // namespace
}  // namespace membrane::corrupt
