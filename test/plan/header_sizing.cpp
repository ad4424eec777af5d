// Header-only sizing of the Bloom kinds against the planner.
#include <membrane/plan/kind_plans.hpp>

#include <cmath>

#include <membrane/kind/blocked_bloom/sizing.hpp>
#include <membrane/kind/counting_bloom/spec.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/lanes.hpp>
#include <membrane/model/less_hashing.hpp>

#include "plan/header_sizing.hpp"

namespace membrane::plan {
namespace {

double flat_cells(const filter_spec& spec) { return static_cast<double>(spec[flat_field::size]); }
double block_bits(const filter_spec& spec) {
    return static_cast<double>(spec[blocked_field::blocks] * spec[blocked_field::block_bits]);
}

TEST(HeaderSizing, BloomIsAsPlanned) {
    const auto check = [](const filter_spec& spec) { return check_flat_spec(spec, bloom_fields); };
    for (const std::uint64_t probes : {cheapest_probes, std::uint64_t{probes::independent}}) {
        given_fields given;
        if (probes != cheapest_probes) given = given_fields_of({{flat_field::probes, probes}});
        const auto made = [&](std::uint64_t keys, double fpr) { return bloom_spec_for(keys, fpr, probes); };
        expect_as_planned({bloom_plan, given, flat_cells, 64}, {}, made);
        expect_total(made, check);
    }
}

// Where keys share progressions, in small arrays, the planner knows their chance exactly; here it is an upper bound.
TEST(HeaderSizing, BloomWithTwoHashesIsNearlyAsPlanned) {
    for (const std::uint64_t probes : {probes::two_hash, probes::enhanced}) {
        const header_case kind{bloom_plan, given_fields_of({{flat_field::probes, probes}}), flat_cells, 64,
                               1.03};
        expect_as_planned(kind, {},
                          [&](std::uint64_t keys, double fpr) { return bloom_spec_for(keys, fpr, probes); });
    }
}

TEST(HeaderSizing, CountingBloomIsAsPlanned) {
    const auto made = [](std::uint64_t keys, double fpr) { return counting_bloom_spec_for(keys, fpr); };
    expect_as_planned({counting_bloom_plan, {}, flat_cells, 64}, {}, made);
    expect_total(made, [](const filter_spec& spec) { return check_flat_spec(spec, counting_bloom_fields); });
}

TEST(HeaderSizing, BlockedBloomIsAsPlanned) {
    const auto lanes = [](std::uint64_t keys, double fpr) { return blocked_bloom_spec_for(keys, fpr); };
    const auto anywhere = [](std::uint64_t keys, double fpr) {
        return blocked_bloom_anywhere_spec_for(keys, fpr);
    };
    const auto given = [](std::uint64_t layout) {
        return given_fields_of({{blocked_field::lanes, layout}, {blocked_field::block_bits, 512}});
    };
    expect_as_planned({blocked_bloom_plan, given(block_lanes::of_64_bits), block_bits, 0}, {}, lanes);
    expect_as_planned({blocked_bloom_plan, given(block_lanes::none), block_bits, 0}, {}, anywhere);
    expect_total(lanes, check_blocked_bloom_spec);
    expect_total(anywhere, check_blocked_bloom_spec);
}

// Left to choose, the planner takes other layouts than blocked_bloom_filter's, which saves no more than this.
TEST(HeaderSizing, LanesOf64BitsAreNearTheBestBlocks) {
    struct {
        double fpr, most;
    } constexpr cases[]{{0.1, 1.2}, {0.03, 1.1}, {0.01, 1.001}, {0.001, 1.001}, {1e-4, 1.07}, {1e-6, 1.45}};
    for (const auto& [fpr, most] : cases) {
        const auto planned = blocked_bloom_plan.size({.keys = 1'000'000, .fpr = fpr}, {});
        EXPECT_LE(block_bits(*blocked_bloom_spec_for(1'000'000, fpr)), most * block_bits(*planned)) << fpr;
    }
}

TEST(HeaderSizing, RatesAreThoseOfTheModels) {
    for (const double bits : {6.0, 10.0, 16.0, 30.0})
        for (const std::uint64_t blocks : {2u, 100u, 1'000'000u}) {
            const auto keys = static_cast<std::uint64_t>(512.0 / bits * static_cast<double>(blocks));
            const double n = static_cast<double>(keys), all = static_cast<double>(blocks);
            const double lanes = model::lanes_fpr(keys, blocks, {8, 64});
            EXPECT_NEAR(blocked_sizing::rate_of_lanes(n, all) / lanes, 1, 1e-6) << bits << ' ' << blocks;
            for (const unsigned k : {1u, 4u, 8u, 14u}) {
                const double exact = model::blocked_bloom_fpr(keys, blocks, 512, k);
                EXPECT_NEAR(blocked_sizing::rate_anywhere(n, all, k) / exact, 1, 0.001)
                    << bits << ' ' << blocks << ' ' << k;
            }
        }
    for (const std::uint64_t cells : {512u, 4096u, 1u << 20})
        for (const unsigned k : {1u, 3u, 7u, 14u}) {
            const auto keys = static_cast<std::uint64_t>(0.69 * static_cast<double>(cells) / k);
            EXPECT_NEAR(rate_of_cells(static_cast<double>(keys) * k, static_cast<double>(cells), k) /
                            model::bloom_fpr_exact(keys, cells, k),
                        1, 5e-4)
                << cells << ' ' << k;
        }
}

// What sizing costs: a rate in blocks takes a few microseconds.
TEST(HeaderSizing, FewRatesAreComputed) {
    for (const double fpr : sized_rates)
        for (const double guess : {0.9, 1.0, 1.05}) {
            const double n = 1e9, found = static_cast<double>(
                                      (*blocked_bloom_spec_for(1'000'000'000, fpr))[blocked_field::blocks]);
            int rates = 0, loads = 0;
            const double blocks = least_units(guess * found, 1e12, fpr, [&](double tried) {
                ++rates;
                return mean_over_loads(n, tried, [&](double load) {
                    ++loads;
                    return blocked_sizing::rate_in_lanes(load);
                });
            });
            EXPECT_NEAR(blocks / found, 1, 2e-4);
            EXPECT_LE(rates, guess == 0.9 ? 12 : 9) << fpr << ' ' << guess;
            EXPECT_LE(loads, 75 * rates) << fpr;
        }
}

TEST(HeaderSizing, TakesBitsPerKey) {
    for (const std::uint64_t keys : {std::uint64_t{100}, std::uint64_t{100'000}})
        for (const double bits : {4.0, 9.5, 16.0, 24.0}) {
            SCOPED_TRACE(testing::Message() << keys << " keys of " << bits);
            const double most = bits * static_cast<double>(keys);
            const auto bloom = bloom_spec_for(keys, bits_per_key{bits});
            EXPECT_LE(flat_cells(*bloom), most + 64);
            EXPECT_NEAR(bloom_plan.predicted_fpr(*bloom, keys) / bloom->planned_fpr, 1, 0.03);
            const auto counting = counting_bloom_spec_for(keys, bits_per_key{bits});
            EXPECT_LE(4 * flat_cells(*counting), most + 256);
            EXPECT_NEAR(counting_bloom_plan.predicted_fpr(*counting, keys) / counting->planned_fpr, 1, 0.03);
            for (const auto& blocked : {blocked_bloom_spec_for(keys, bits_per_key{bits}),
                                        blocked_bloom_anywhere_spec_for(keys, bits_per_key{bits})}) {
                EXPECT_LE(block_bits(*blocked), most + 512);
                EXPECT_NEAR(blocked_bloom_plan.predicted_fpr(*blocked, keys) / blocked->planned_fpr, 1,
                            0.001);
            }
        }
    for (const double bits : {0.0, -3.0, 1e7, HUGE_VAL, std::nan("")}) {
        EXPECT_EQ(bloom_spec_for(10, bits_per_key{bits}).error().what, "bits_per_key");
        EXPECT_EQ(counting_bloom_spec_for(10, bits_per_key{bits}).error().what, "bits_per_key");
        EXPECT_EQ(blocked_bloom_spec_for(10, bits_per_key{bits}).error().what, "bits_per_key");
        EXPECT_EQ(blocked_bloom_anywhere_spec_for(10, bits_per_key{bits}).error().what, "bits_per_key");
    }
    EXPECT_FALSE(bloom_spec_for(UINT64_MAX, bits_per_key{12}));
    EXPECT_FALSE(blocked_bloom_spec_for(UINT64_MAX, bits_per_key{12}));
}

}  // namespace
}  // namespace membrane::plan
