// The deviation of a filter's own rate from filter to filter, against many simulated filters whose rates are known
// exactly from their bits and loads.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/two_choice.hpp>

#include "model/balanced_filter.hpp"

namespace membrane::model {
namespace {

// Mean and deviation of a sample of rates against the model. A sample variance of N values scatters by sqrt(2 / N) of
// itself, and more if the values have heavy tails; `kurtosis` is the sample's own.
void expect_scatter(const std::vector<double>& sample, double mean, double stddev) {
    const auto count = static_cast<double>(sample.size());
    running_summary summary;
    for (const double value : sample) summary.add(value);
    EXPECT_NEAR(summary.mean(), mean, 5 * stddev / std::sqrt(count) + 2e-3 * mean);
    double fourth = 0;
    for (const double value : sample) fourth += std::pow(value - summary.mean(), 4) / count;
    const double kurtosis = fourth / (summary.variance() * summary.variance());
    const double relative_error = std::sqrt((kurtosis - 1) / count) / 2;
    EXPECT_NEAR(std::sqrt(summary.variance()) / stddev, 1, 5 * relative_error + 0.02);
}

TEST(Scatter, BalancedRatesOfSimulatedFilters) {
    struct setting {
        double bits_per_key, a;
        std::uint64_t d, block_bits, k;
        query_rule rule;
    };
    for (const setting& each :
         {setting{8, 1.1, 2, 256, 5, query_rule::flag_coin}, setting{10, 1.2, 3, 256, 6, query_rule::load},
          setting{12, 1, 1, 128, 5, query_rule::coin}, setting{12, 1.3, 2, 128, 6, query_rule::flag}}) {
        SCOPED_TRACE(testing::Message() << each.bits_per_key << ' ' << each.a << ' ' << each.d);
        const balanced_bloom_spec spec{each.block_bits, each.k, each.rule, block_law::exact};
        const double r = static_cast<double>(each.block_bits) / each.bits_per_key;
        const auto design = multi_level(each.a, each.d, r);
        ASSERT_TRUE(design.has_value());
        const auto tables = tables_of(*design);
        const std::uint64_t blocks = 600;
        const auto keys = static_cast<std::uint64_t>(std::lround(static_cast<double>(blocks) * r));
        std::vector<double> rates;
        for (std::uint64_t filter = 0; filter < 1500; ++filter) {
            simulated_filter made(blocks, tables, spec, 1000 * each.d + filter);
            for (std::uint64_t key = 0; key < keys; ++key) made.insert(key);
            rates.push_back(made.own_rate());
        }
        expect_scatter(rates, balanced_bloom(r, 1, tables, spec)->fpr,
                       balanced_bloom_fpr_stddev_between(r, 1, tables, spec, keys).value());
    }
}

TEST(Scatter, OneTableThatRefusesNobodyIsABlockedFilter) {
    const sub_table table{1, 200, 0};
    const balanced_bloom_spec spec{520, 8, query_rule::load, block_law::exact};
    const double stddev = balanced_bloom_fpr_stddev_between(32, 1, std::span(&table, 1), spec, 32000).value();
    EXPECT_NEAR(stddev / blocked_bloom_fpr_stddev_between(32000, 1000, 512, 8), 1, 2e-3);
}

TEST(Scatter, OneChoiceIsTheFlatFilter) {
    for (const double bits_per_key : {2.0, 8.0, 16.0}) {
        const std::uint64_t n = 1000000, k = 5;
        const auto m = static_cast<std::uint64_t>(bits_per_key * 1e6);
        EXPECT_NEAR(choice_bloom_ones_stddev(bits_per_key, 1, k, n).value() / bloom_ones_stddev(n, m, k), 1,
                    1e-3);
        EXPECT_NEAR(choice_bloom_fpr_stddev_between(bits_per_key, 1, k, n).value() /
                        bloom_fpr_stddev_between(n, m, k),
                    1, 1e-3);
    }
}

TEST(Scatter, OnesOfSimulatedChoices) {
    std::mt19937_64 random(3);
    for (const std::uint64_t choices : {2u, 3u}) {
        const std::uint64_t n = 2000, m = 16000, k = 6;
        std::vector<double> ones, rates;
        for (int filter = 0; filter < 1600; ++filter) {
            std::vector<std::uint8_t> bits(m);
            std::uint64_t set = 0;
            for (std::uint64_t key = 0; key < n; ++key) {
                std::vector<std::uint64_t> best;
                std::uint64_t least = k + 1;
                for (std::uint64_t group = 0; group < choices; ++group) {
                    std::vector<std::uint64_t> places(k);
                    std::uint64_t unset = 0;
                    for (auto& place : places) unset += bits[place = random() % m] == 0 ? 1 : 0;
                    if (unset < least) {
                        least = unset;
                        best = places;
                    }
                }
                for (const std::uint64_t place : best) {
                    set += bits[place] == 0 ? 1 : 0;
                    bits[place] = 1;
                }
            }
            ones.push_back(static_cast<double>(set) / static_cast<double>(m));
            rates.push_back(choice_bloom_fpr_from_ones(ones.back(), choices, k).value());
        }
        SCOPED_TRACE(choices);
        expect_scatter(ones, choice_bloom_ones(8, choices, k).value(),
                       choice_bloom_ones_stddev(8, choices, k, n).value());
        expect_scatter(rates, choice_bloom_fpr(8, choices, k).value(),
                       choice_bloom_fpr_stddev_between(8, choices, k, n).value());
    }
}

}  // namespace
}  // namespace membrane::model
