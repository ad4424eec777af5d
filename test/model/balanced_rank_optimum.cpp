#include <membrane/model/balanced_rank_optimum.hpp>

#include <cmath>
#include <ctime>
#include <vector>

#include <gtest/gtest.h>

namespace membrane::model {
namespace {

struct known_optimum {
    double fpr, bits_per_key;
    rank_line line;
};

// Found on a coarse grid before there was a search.
TEST(BalancedRankOptimum, InsertOnlyOptimaAreAtOrBelowTheKnownOnes) {
    for (const auto& [fpr, bits_per_key, line] :
         {known_optimum{0.01, 9.37, {7, 55, 57}}, known_optimum{0.004, 10.72, {8, 61, 50}},
          known_optimum{0.001, 12.89, {10, 49, 42}}, known_optimum{0.00025, 15.06, {12, 43, 36}},
          known_optimum{0.0001, 16.48, {13, 49, 33}}}) {
        SCOPED_TRACE(fpr);
        const auto found = best_balanced_rank_for_fpr(fpr);
        ASSERT_TRUE(found.has_value());
        EXPECT_LE(found->numbers.bits_per_key, bits_per_key);
        EXPECT_GT(found->numbers.bits_per_key, bits_per_key - 0.1);
        EXPECT_LE(found->numbers.fpr, fpr * (1 + 1e-9));
        EXPECT_EQ(found->shape.first.fingerprint_bits, line.fingerprint_bits);
        EXPECT_EQ(found->shape.first.chains, line.chains);
        EXPECT_EQ(found->shape.first.cells, line.cells);
    }
}

TEST(BalancedRankOptimum, ErasableOptimaAreAtOrBelowTheKnownOnes) {
    balanced_rank_requirement wanted;
    wanted.form = rank_model_form::erasable;
    for (const auto& [fpr, bits_per_key] :
         {std::pair{0.01, 9.7}, {0.004, 11.0}, {0.001, 13.4}, {0.00025, 15.8}, {0.0001, 17.2}}) {
        const auto found = best_balanced_rank_for_fpr(fpr, wanted);
        ASSERT_TRUE(found.has_value());
        // They were given to one decimal.
        EXPECT_LE(found->numbers.bits_per_key, bits_per_key + 0.05) << fpr;
        EXPECT_LE(found->numbers.fpr, fpr * (1 + 1e-9));
        EXPECT_GT(found->numbers.bits_per_key, best_balanced_rank_for_fpr(fpr)->numbers.bits_per_key)
            << "erasing has its price";
    }
}

TEST(BalancedRankOptimum, BothDirectionsMeetAndReadsAreKept) {
    for (const auto form : {rank_model_form::fixed, rank_model_form::erasable}) {
        for (const double reads : {1.02, 1.06, 2.0}) {
            for (const double fpr : {0.1, 0.003, 1e-5, 1e-9}) {
                balanced_rank_requirement wanted;
                wanted.form = form;
                wanted.negative_reads = reads;
                SCOPED_TRACE(testing::Message()
                             << "fpr " << fpr << " reads " << reads << " form " << int(form));
                const auto smallest = best_balanced_rank_for_fpr(fpr, wanted);
                ASSERT_TRUE(smallest.has_value());
                EXPECT_LE(smallest->numbers.fpr, fpr * (1 + 1e-9));
                EXPECT_LE(smallest->numbers.negative_reads, reads + 1e-9);
                EXPECT_GE(smallest->numbers.bits_per_key, -std::log2(fpr));
                // A hundredth of a bit more than is needed must do.
                const double bits = smallest->numbers.bits_per_key + 0.01;
                const auto best = best_balanced_rank_for_bits(bits, wanted);
                ASSERT_TRUE(best.has_value()) << bits;
                EXPECT_LE(best->numbers.bits_per_key, bits * (1 + 1e-9));
                EXPECT_LE(best->numbers.fpr, fpr * 1.0005);
                EXPECT_LE(best->numbers.negative_reads, reads + 1e-9);
            }
        }
    }
}

TEST(BalancedRankOptimum, TheEndsOfTheDomainHaveAnswers) {
    for (const auto form : {rank_model_form::fixed, rank_model_form::erasable}) {
        for (const std::uint64_t entry_bits : {1u, 1024u}) {
            for (const double reads : {1.0011, 50.0}) {
                for (const double fpr : {0.1, 1e-9}) {
                    SCOPED_TRACE(testing::Message()
                                 << fpr << ' ' << reads << ' ' << entry_bits << ' ' << int(form));
                    const auto found = best_balanced_rank_for_fpr(fpr, {form, reads, entry_bits});
                    ASSERT_TRUE(found.has_value()) << describe(found.error());
                    EXPECT_LE(found->numbers.fpr, fpr * (1 + 1e-9));
                    EXPECT_LE(found->numbers.negative_reads, reads);
                    EXPECT_TRUE(std::isfinite(found->numbers.bits_per_key));
                }
            }
        }
    }
}

TEST(BalancedRankOptimum, FewerReadsCostBits) {
    double before = 0;
    for (const double reads : {2.0, 1.1, 1.06, 1.03, 1.01}) {
        balanced_rank_requirement wanted;
        wanted.negative_reads = reads;
        const auto found = best_balanced_rank_for_fpr(0.004, wanted);
        ASSERT_TRUE(found.has_value());
        EXPECT_GE(found->numbers.bits_per_key, before - 1e-3);
        before = found->numbers.bits_per_key;
    }
    EXPECT_GT(before, 11);
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
// Whatever a second line is worth, no design that is best for another worth is better.
TEST(BalancedRankOptimum, ASecondLineIsWorthWhatIsSaid) {
    constexpr double search_bits = 0.01;  // how near the search comes, by a dense grid of loads
    for (const auto form : {rank_model_form::fixed, rank_model_form::erasable})
        for (const double fpr : {0.01, 0.004, 0.001, 0.0001}) {
            SCOPED_TRACE(fpr);
            struct design {
                double worth, bits, reads;
            };
            std::vector<design> best;
            for (const double worth : {0.0, 1.0, 4.0, 12.0}) {
                const auto found = best_balanced_rank_for_fpr(
                    fpr, {.form = form, .list_entry_bits = 80, .second_line_bits = worth});
                ASSERT_TRUE(found.has_value());
                EXPECT_LE(found->numbers.fpr, fpr * (1 + 1e-9));
                best.push_back({worth, found->numbers.bits_per_key, found->numbers.negative_reads});
            }
            for (const design& own : best)
                for (const design& other : best)
                    EXPECT_LE(own.bits + own.worth * own.reads,
                              other.bits + own.worth * other.reads + search_bits)
                        << own.worth << " bits, beside the best for " << other.worth;
            EXPECT_LT(best.back().reads, best.front().reads);
        }
}

TEST(BalancedRankOptimum, APlanTakesAFifthOfASecond) {
    for (const auto form : {rank_model_form::fixed, rank_model_form::erasable}) {
        balanced_rank_requirement wanted;
        wanted.form = form;
        for (const double fpr : {0.01, 1e-4}) {
            const auto start = std::clock();
            const auto found = best_balanced_rank_for_fpr(fpr, wanted);
            const auto middle = std::clock();
            ASSERT_TRUE(best_balanced_rank_for_bits(found->numbers.bits_per_key + 0.01, wanted).has_value());
            const auto end = std::clock();
            EXPECT_LT(static_cast<double>(middle - start) / CLOCKS_PER_SEC, 0.2);
            EXPECT_LT(static_cast<double>(end - middle) / CLOCKS_PER_SEC, 0.2);
        }
    }
}
#endif

TEST(BalancedRankOptimum, ValuesOutsideTheDomainAreNamed) {
    for (const double fpr : {0.0, 0.2, 1e-10, std::nan("")})
        EXPECT_EQ(best_balanced_rank_for_fpr(fpr).error().what, "fpr");
    for (const double bits : {0.0, 4.0, 57.0, std::nan("")})
        EXPECT_EQ(best_balanced_rank_for_bits(bits).error().what, "bits_per_key");
    balanced_rank_requirement wanted;
    wanted.negative_reads = 1;
    EXPECT_EQ(best_balanced_rank_for_fpr(0.01, wanted).error().what, "negative_reads");
    wanted.negative_reads = 2;
    wanted.list_entry_bits = 0;
    EXPECT_EQ(best_balanced_rank_for_bits(10, wanted).error().what, "list_entry_bits");
}

}  // namespace
}  // namespace membrane::model
