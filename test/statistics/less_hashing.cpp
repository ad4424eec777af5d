// The paper's comparison of probe schemes (less hashing, figure 1) with the filters themselves, against the simulated
// values of test/data/numbers.json: an independent program, which knows the formulas and not this code.
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/bloom/spec.hpp>
#include <membrane/model/less_hashing.hpp>

#include "model/reference_numbers.hpp"
#include "statistics/rates.hpp"

namespace membrane::test {
namespace {

struct scheme {
    std::string name;  // in numbers.json
    std::uint64_t probes;
    std::uint64_t growth = growth::tetrahedral;
};

// m = c n exactly; the paper's strides.
filter_spec paper_spec(const scheme& chosen, std::uint64_t size_bits, std::uint64_t k) {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size_bits;
    spec[flat_field::k] = k;
    spec[flat_field::probes] = chosen.probes;
    spec[flat_field::growth] = chosen.growth;
    spec[flat_field::strides] = strides::any;
    if (chosen.probes == probes::partitioned) spec[flat_field::sub_array] = size_bits / k;
    return spec;
}

// About 40000 false positives in all, so that our own error is half a percent.
experiment sized(const filter_spec& spec, std::uint64_t keys, std::uint64_t filters, double rate) {
    return {spec, keys, filters, static_cast<std::uint64_t>(40000 / rate / static_cast<double>(filters)), 1};
}

void expect_near(const model::running_summary& found, double wanted, double wanted_stderr) {
    const double sigma = std::hypot(found.standard_error(), wanted_stderr);
    std::cout << "measured " << found.mean() << " +- " << found.standard_error() << ", wanted " << wanted
              << ": " << (found.mean() - wanted) / sigma << " sigma\n";
    EXPECT_LE(std::abs(found.mean() - wanted), 5 * sigma) << "wanted " << wanted << " +- " << wanted_stderr;
}

class LessHashing : public ::testing::TestWithParam<scheme> {};

TEST_P(LessHashing, HasTheSimulatedRateForEverySizeOfThePaper) {
    struct column {
        std::uint64_t bits_per_key, k;
    };
    for (const std::uint64_t n : {1000u, 10000u}) {
        for (const column c : {column{4, 3}, column{8, 6}, column{12, 8}, column{16, 11}}) {
            const std::string id = "C.fig1.c=" + std::to_string(c.bits_per_key) + ".n=" + std::to_string(n);
            SCOPED_TRACE(id);
            const auto& simulated = model::reference_entry(id).at("simulated");
            const double rate = simulated.at(GetParam().name).get<double>();
            const auto found = measured_rates(
                sized(paper_spec(GetParam(), c.bits_per_key * n, c.k), n, n == 1000 ? 400 : 80, rate));
            expect_near(found, rate, simulated.at("stderr").get<double>());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes, LessHashing,
                         ::testing::Values(scheme{"standard", probes::independent},
                                           scheme{"partition", probes::partitioned},
                                           scheme{"double", probes::two_hash},
                                           scheme{"i2", probes::enhanced, growth::square},
                                           scheme{"i3", probes::enhanced, growth::cube}),
                         [](const auto& tested) { return tested.param.name; });

TEST(ExactRate, OfIndependentProbesIsMeasured) {
    for (const auto& [n, m, k] :
         {std::array<std::uint64_t, 3>{10, 100, 7}, {100, 1000, 5}, {1000, 16000, 11}, {1000, 4000, 3}}) {
        const double exact = model::bloom_fpr_exact(n, m, k);
        SCOPED_TRACE(exact);
        // More filters where they are small: the scatter between them is most of the error.
        expect_near(measured_rates(sized(paper_spec({"standard", probes::independent}, m, k), n,
                                         40'000'000 / (n * 100), exact)),
                    exact, 0);
    }
}

TEST(ExactRate, OfPrimeSubArraysIsMeasured) {
    filter_spec spec = paper_spec({"partition", probes::partitioned}, 16049, 11);
    ASSERT_EQ(spec[flat_field::sub_array], 1459u);
    const double exact = model::partitioned_two_hash_fpr_exact(1000, 1459, 11);
    EXPECT_NEAR(exact, 9.0457e-4, 1e-8);
    expect_near(measured_rates(sized(spec, 1000, 1000, exact)), exact, 0);
}

filter_spec coprime_spec(std::uint64_t size_bits, std::uint64_t k) {
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size_bits;
    spec[flat_field::k] = k;
    spec[flat_field::probes] = probes::two_hash;
    return spec;
}

TEST(CoprimeStrides, HaveTheRateOfOddStrides) {
    const auto found = measured_rates(sized(coprime_spec(16000, 11), 1000, 1000, 5e-4));
    expect_near(found, 5.044e-4, 2.7e-6);  // simulated with odd strides
    expect_near(
        found,
        model::progression_fpr(1000, 16000, 11, model::growth_order::none, model::stride_rule::coprime), 0);
    expect_near(found, model::double_hash_fpr_first_order(1000, 16000, 11, model::stride_rule::coprime), 0);
}

TEST(LongCoprimeStrides, HaveTheRateOfOddStridesAlsoFarBelowOneInAMillion) {
    // 32 bits per key: the standard filter has 2.1e-7, odd strides 1.37e-6 by the formula and 1.40e-6 simulated.
    const experiment made{coprime_spec(320000, 22), 10000, 200, 10'000'000, 1};
    const auto found = measured_rates(made);
    expect_near(
        found,
        model::progression_fpr(10000, 320000, 22, model::growth_order::none, model::stride_rule::coprime), 0);
    expect_near(found, 1.37e-6, 0);
}

}  // namespace
}  // namespace membrane::test
