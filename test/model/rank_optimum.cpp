#include <membrane/model/rank_optimum.hpp>

#include <cmath>
#include <ctime>

#include <gtest/gtest.h>

#include <membrane/model/rank_overflow.hpp>

namespace membrane::model {
namespace {

TEST(RankOptimum, EverySizeAndRateHasAShapeThatKeepsItsPromises) {
    for (const double keys : {1.0, 2.0, 7.0, 64.0, 200.0, 201.0, 3e4, 1e9, 1e12}) {
        for (const double fpr : {0.5, 0.02, 1e-5, 1e-15}) {
            for (const double overflow : {0.5, 1e-10, 1e-300}) {
                if (overflow != 1e-10 && fpr != 0.02) continue;
                rank_requirement wanted;
                wanted.n = static_cast<std::uint64_t>(keys);
                wanted.fpr = fpr;
                wanted.overflow = overflow;
                SCOPED_TRACE(testing::Message() << keys << " keys, fpr " << fpr << ", overflow " << overflow);
                const auto found = best_rank_shape(wanted);
                ASSERT_TRUE(found.has_value());
                ASSERT_LE(found->fpr, fpr);
                ASSERT_LE(found->log_overflow, std::log(overflow));
                ASSERT_EQ(found->log_overflow, rank_overflow_bound(found->shape, wanted.n)->log_any);
                ASSERT_EQ(found->bits_per_key, *rank_bits_per_key(found->shape, wanted.n));
                // No filter is below log2(1/fpr) bits. One that keeps fingerprints of a key or two has a bit or so of
                // rounding, and small ones have buckets for the worst case.
                ASSERT_GE(found->bits_per_key, -std::log2(fpr));
            }
        }
    }
}

// A step in any direction from the optimum breaks the rate or the chance, or costs bits.
TEST(RankOptimum, NoNeighbourIsBetter) {
    for (const double fpr : {0.03, 0.002, 1e-5}) {
        rank_requirement wanted;
        wanted.n = 200000;
        wanted.fpr = fpr;
        wanted.overflow = 1e-8;
        const auto found = best_rank_shape(wanted);
        ASSERT_TRUE(found.has_value());
        for (std::uint64_t rank_shape::*member :
             {&rank_shape::buckets, &rank_shape::chains, &rank_shape::fingerprint_bits, &rank_shape::cells,
              &rank_shape::extension_cells, &rank_shape::last_cells, &rank_shape::extensions,
              &rank_shape::last_extensions}) {
            for (const std::uint64_t other : {found->shape.*member - 1, found->shape.*member + 1}) {
                rank_shape neighbour = found->shape;
                neighbour.*member = other;
                const auto bits = rank_bits_per_key(neighbour, wanted.n);
                if (!bits || *bits >= found->bits_per_key) continue;
                // A bit less of fingerprint, a bucket or a chain less show in the rate, the others in the chance.
                EXPECT_TRUE(*rank_fpr_asymptotic(neighbour, wanted.n) > fpr ||
                            rank_overflow_bound(neighbour, wanted.n)->log_any > std::log(wanted.overflow))
                    << "fpr " << fpr << ", " << other << " instead of " << found->shape.*member;
            }
        }
    }
}

TEST(RankOptimum, ValuesCostTheirBitsInUsedAndUnusedCells) {
    rank_requirement wanted;
    wanted.n = 100000;
    const double plain = best_rank_shape(wanted)->bits_per_key;
    wanted.value_bits = 16;
    const double carrying = best_rank_shape(wanted)->bits_per_key;
    EXPECT_GT(carrying, plain + 16);
    // With wider cells the best shape has fewer idle ones than the plain one has.
    rank_requirement plain_wanted = wanted;
    plain_wanted.value_bits = 0;
    rank_shape same = best_rank_shape(plain_wanted)->shape;
    same.value_bits = 16;
    EXPECT_LE(carrying, *rank_bits_per_key(same, wanted.n));
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(RankOptimum, AThousandMillionKeysArePlannedInAFifthOfASecond) {
    for (const double fpr : {0.01, 1e-3, 1e-4, 1e-9}) {
        rank_requirement wanted;
        wanted.n = 1000000000;
        wanted.fpr = fpr;
        const double before = cpu_seconds();
        ASSERT_TRUE(best_rank_shape(wanted).has_value());
        EXPECT_LT(cpu_seconds() - before, 0.2) << fpr;
    }
}
#endif

TEST(RankOptimum, ValuesOutsideTheDomainAreNamed) {
    const auto name_of = [](auto change) {
        rank_requirement wanted;
        wanted.n = 1000;
        change(wanted);
        const auto found = best_rank_shape(wanted);
        return found ? std::string_view("accepted") : found.error().what;
    };
    EXPECT_EQ(name_of([](rank_requirement& w) { w.n = 0; }), "n");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.n = max_rank_keys + 1; }), "n");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.fpr = 0; }), "fpr");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.fpr = std::nan(""); }), "fpr");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.fpr = 0.6; }), "fpr");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.overflow = 0; }), "overflow");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.overflow = 1; }), "overflow");
    EXPECT_EQ(name_of([](rank_requirement& w) { w.value_bits = 65; }), "value_bits");
    EXPECT_EQ(name_of([](rank_requirement& w) {
                  w.rule = overflow_rule::estimate;
                  w.n = 2000000;
              }),
              "n");
}

}  // namespace
}  // namespace membrane::model
