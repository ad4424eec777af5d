#include <membrane/model/d_left.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace membrane::model {
namespace {

TEST(DLeft, SizesAreOrderedAndFallWithTheRate) {
    double before = 1e9;
    for (double fpr = 1e-18; fpr < 0.3; fpr *= 10) {
        const double plain = *d_left_bits_per_key(fpr);
        EXPECT_LT(plain, before);
        before = plain;
        EXPECT_DOUBLE_EQ(*d_left_counting_bits_per_key(fpr), plain + 8.0 / 3);
        EXPECT_DOUBLE_EQ(*d_left_trimmed_bits_per_key(fpr), plain * 0.75 + 0.5);
        EXPECT_DOUBLE_EQ(*standard_counting_bloom_bits_per_key(fpr), 4 * *standard_bloom_bits_per_key(fpr));
        EXPECT_GT(*standard_bloom_bits_per_key(fpr), -std::log2(fpr));
    }
}

// 8 fingerprints of 13 bits meet a stranger's in 8 / 2^13 of the lookups, and 95 of 100 cells hold one.
TEST(DLeft, ACuckooFilterPaysForTheFingerprintsThatItMeets) {
    EXPECT_DOUBLE_EQ(*cuckoo_bits_per_key(8.0 / 8192), 13 / 0.95);
    EXPECT_DOUBLE_EQ(*cuckoo_bits_per_key(8.0 / 256), 8 / 0.95);
    EXPECT_LT(*cuckoo_bits_per_key(1e-3), *d_left_bits_per_key(1e-3));
}

TEST(DLeft, ACompressedFilterGoesFromTheStandardSizeTowardsTheLimit) {
    for (double fpr = 1e-18; fpr < 0.3; fpr *= 100) {
        const double standard = *standard_bloom_bits_per_key(fpr);
        double before = standard * (1 + 1e-9);
        for (double larger = 1; larger < 1e6; larger *= 4) {
            SCOPED_TRACE(testing::Message() << "fpr " << fpr << " times " << larger);
            const auto found = compressed_bloom_at(standard * larger, fpr);
            ASSERT_TRUE(found.has_value());
            EXPECT_LE(found->coded_bits_per_key, before);
            EXPECT_GT(found->coded_bits_per_key, -std::log2(fpr));
            before = found->coded_bits_per_key;
            const auto back = compressed_bloom_uncompressed_bits_per_key(found->coded_bits_per_key, fpr);
            // At the standard size the code is flat in the size: half of the digits.
            if (larger > 1) {
                EXPECT_NEAR(*back, standard * larger, standard * larger * 1e-7);
            }
        }
    }
}

TEST(DLeft, ValuesOutsideTheDomainAreNamed) {
    for (const double fpr : {0.0, 1.0, 1e-19, -1.0, std::nan("")}) {
        EXPECT_EQ(d_left_bits_per_key(fpr).error().what, "fpr");
        EXPECT_EQ(d_left_counting_bits_per_key(fpr).error().what, "fpr");
        EXPECT_EQ(d_left_trimmed_bits_per_key(fpr).error().what, "fpr");
        EXPECT_EQ(cuckoo_bits_per_key(fpr).error().what, "fpr");
        EXPECT_EQ(standard_bloom_bits_per_key(fpr).error().what, "fpr");
        EXPECT_EQ(compressed_bloom_at(20, fpr).error().what, "fpr");
    }
    EXPECT_EQ(compressed_bloom_at(9, 0.01).error().what, "bits_per_key");
    EXPECT_EQ(compressed_bloom_at(std::nan(""), 0.01).error().what, "bits_per_key");
    // Table V leaves d-left at 1 % out: its trimmed size is above the standard filter's.
    EXPECT_EQ(compressed_bloom_uncompressed_bits_per_key(11.7, 0.01).error().what, "coded_bits_per_key");
    EXPECT_EQ(compressed_bloom_uncompressed_bits_per_key(-std::log2(0.01), 0.01).error().code,
              errc::bad_field);
}

}  // namespace
}  // namespace membrane::model
