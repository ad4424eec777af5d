// Header-only sizing of rank and count_min against the planner and the models.
#include <membrane/plan/kind_plans.hpp>

#include <cmath>

#include <membrane/kind/count_min/sizing.hpp>
#include <membrane/kind/rank/sizing.hpp>
#include <membrane/model/count_min.hpp>
#include <membrane/model/rank_overflow.hpp>

#include "plan/header_sizing.hpp"

namespace membrane::plan {
namespace {

namespace field = rank_field;

double bucket_bits(const filter_spec& spec) { return static_cast<double>(rank_layout::of(spec)->size_bits); }

struct rank_form_case {
    std::uint64_t mode, value_bits;
};
constexpr rank_form_case rank_cases[]{
    {rank_mode::set, 0}, {rank_mode::counting, 2}, {rank_mode::map, 8}, {rank_mode::map, 32}};

TEST(HeaderStoreSizing, RankIsAsPlanned) {
    for (const auto& [mode, value_bits] : rank_cases) {
        SCOPED_TRACE(testing::Message() << mode << ' ' << value_bits);
        const auto made = [&](std::uint64_t keys, double fpr) {
            return rank_spec_for(keys, fpr, mode, value_bits);
        };
        const auto given = given_fields_of({{field::mode, mode}, {field::value_bits, value_bits}});
        expect_as_planned({rank_plan, given, bucket_bits, 0}, {}, made);
    }
    expect_total([](std::uint64_t keys, double fpr) { return rank_spec_for(keys, fpr); }, check_rank_spec,
                 std::uint64_t{1} << 40);
    EXPECT_EQ(rank_spec_for(1000, 0.01, rank_mode::counting).value()[field::value_bits], 2u);
    EXPECT_EQ(rank_spec_for(1000, 0.01, rank_mode::map).value()[field::value_bits], 8u);
}

// By the model's own tails: a filter is full before it holds its keys with a chance of 1e-10.
TEST(HeaderStoreSizing, RankHoldsItsKeys) {
    for (const std::uint64_t keys : {8u, 100u, 300u, 700u, 1000u, 3000u, 10'000u, 1'000'000u, 1'000'000'000u})
        for (const double fpr : sized_rates)
            for (const auto& [mode, value_bits] : rank_cases) {
                const filter_spec spec = rank_spec_for(keys, fpr, mode, value_bits).value();
                model::rank_shape shape;
                shape.buckets = spec[field::buckets];
                shape.chains = spec[field::chains];
                shape.fingerprint_bits = spec[field::fingerprint_bits];
                shape.cells = spec[field::cells];
                shape.extension_cells = spec[field::extension_cells];
                shape.last_cells = spec[field::last_cells];
                shape.extensions = spec[field::extensions];
                shape.last_extensions = spec[field::last_extensions];
                shape.value_bits = value_bits;
                const auto overflow = model::rank_overflow_bound(shape, keys);
                ASSERT_TRUE(overflow);
                EXPECT_LE(overflow->log_any, std::log(1e-10) + 1e-9) << keys << " keys at " << fpr;
            }
}

TEST(HeaderStoreSizing, RankRefusesWhatDoesNotGoTogether) {
    EXPECT_EQ(rank_spec_for(10, 0.01, rank_mode::count).error().what, "mode");
    EXPECT_EQ(rank_spec_for(10, 0.01, rank_mode::set, 3).error().what, "value_bits");
    EXPECT_EQ(rank_spec_for(10, 0.01, rank_mode::map, 57).error().what, "value_bits");
    EXPECT_TRUE(rank_spec_for(10, 0.01, rank_mode::map, 56));
}

TEST(HeaderStoreSizing, CountMinIsAsPlanned) {
    for (const double error : {0.3, 0.05, 0.01, 0.001, 1e-6, 1e-10})
        for (const double confidence : {0.5, 0.9, 0.99, 0.999999}) {
            const auto made = count_min_spec_for(error, confidence);
            const auto planned = size_count_min(error, 1 - confidence, {});
            ASSERT_TRUE(made) << error << ' ' << confidence;
            ASSERT_TRUE(planned) << error << ' ' << confidence;
            EXPECT_EQ(*made, *planned) << error << ' ' << confidence;
        }
    // Where the planner would need more copies than a sketch has.
    for (const double error : {0.999, 0.9, 0.6}) {
        const auto made = count_min_spec_for(error, 1 - 1e-12);
        ASSERT_TRUE(made) << error;
        const model::count_min_size size{(*made)[count_min_field::width], (*made)[count_min_field::depth],
                                         (*made)[count_min_field::copies]};
        EXPECT_LE(model::count_min_two_hash_failure_bound(error, size), 1e-12 * (1 + 1e-3)) << error;
    }
    for (const double error : {0.0, -1.0, 1.0, std::nan("")})
        EXPECT_EQ(count_min_spec_for(error, 0.99).error().what, "error");
    // A chance of failure in place of the confidence.
    for (const double confidence : {0.01, 0.0, 1.0, std::nan("")})
        EXPECT_EQ(count_min_spec_for(0.01, confidence).error().what, "confidence");
    EXPECT_EQ(count_min_spec_for(1e-13, 0.99).error().code, errc::size_overflow);
}

}  // namespace
}  // namespace membrane::plan
