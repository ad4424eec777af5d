#include <membrane/model/lanes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/blocked.hpp>
#include <membrane/model/interval.hpp>

namespace membrane::model {
namespace {

// Every way in which two keys can choose block and bits, counted.
TEST(Lanes, AgreesWithEveryOutcomeOfTwoKeysCounted) {
    const lanes_of_block shape{2, 3};
    const unsigned blocks = 2, outcomes = blocks * 3 * 3;
    unsigned yes = 0;
    for (unsigned first = 0; first < outcomes; ++first)
        for (unsigned second = 0; second < outcomes; ++second)
            for (unsigned asked = 0; asked < outcomes; ++asked) {
                bool all = true;
                for (const unsigned lane : {3u, 1u}) {
                    const auto is_like = [&](unsigned key) {
                        return key % blocks == asked % blocks &&
                               key / blocks / lane % 3 == asked / blocks / lane % 3;
                    };
                    all = all && (is_like(first) || is_like(second));
                }
                yes += all ? 1 : 0;
            }
    EXPECT_NEAR(lanes_fpr(2, blocks, shape), static_cast<double>(yes) / (outcomes * outcomes * outcomes),
                1e-12);
}

// One lane is a block whose keys have one bit anywhere.
TEST(Lanes, OneLaneIsABlockedFilterOfOneBit) {
    for (const std::uint64_t n : {1u, 100u, 5000u}) {
        EXPECT_NEAR(lanes_fpr(n, 40, {1, 256}), blocked_bloom_fpr(n, 40, 256, 1), 1e-12);
        EXPECT_NEAR(lanes_fpr_stddev_between(n, 40, {1, 256}),
                    blocked_bloom_fpr_stddev_between(n, 40, 256, 1), 1e-12);
    }
}

TEST(Lanes, SimulatedFiltersHaveThePredictedMeanAndScatter) {
    struct setting {
        std::uint64_t n, blocks;
        lanes_of_block shape;
    };
    std::mt19937_64 random(20240611);
    for (const auto& [n, blocks, shape] :
         {setting{2500, 100, {8, 32}}, setting{2000, 50, {8, 64}}, setting{1500, 60, {16, 32}}}) {
        SCOPED_TRACE(testing::Message() << shape.lanes << " lanes of " << shape.lane_bits);
        const int filters = 2000;
        running_summary rates, squares;
        const double expected = lanes_fpr(n, blocks, shape);
        std::vector<std::uint64_t> lanes(blocks * shape.lanes);
        for (int filter = 0; filter < filters; ++filter) {
            std::fill(lanes.begin(), lanes.end(), 0);
            for (std::uint64_t key = 0; key < n; ++key) {
                const std::uint64_t block = random() % blocks;
                for (std::uint64_t i = 0; i < shape.lanes; ++i)
                    lanes[block * shape.lanes + i] |= std::uint64_t{1} << random() % shape.lane_bits;
            }
            double sum = 0;
            for (std::uint64_t block = 0; block < blocks; ++block) {
                double rate = 1;
                for (std::uint64_t i = 0; i < shape.lanes; ++i)
                    rate *=
                        std::popcount(lanes[block * shape.lanes + i]) / static_cast<double>(shape.lane_bits);
                sum += rate;
            }
            const double rate = sum / static_cast<double>(blocks);
            rates.add(rate);
            squares.add((rate - expected) * (rate - expected));
        }
        const double scatter = lanes_fpr_stddev_between(n, blocks, shape);
        EXPECT_TRUE(around(expected, scatter / std::sqrt(filters), 5).contains(rates.mean()))
            << rates.mean() << ' ' << expected;
        // As for blocks without lanes: the prediction is one of first order in 1 / blocks.
        EXPECT_NEAR(squares.mean(), scatter * scatter,
                    5 * squares.standard_error() + scatter * scatter / static_cast<double>(blocks));
    }
}

TEST(Lanes, SizesAreTheLeastThatHaveTheRate) {
    for (const lanes_of_block shape : {lanes_of_block{4, 64}, {8, 32}, {8, 64}, {16, 32}})
        for (const double fpr : {0.1, 0.01, 0.001})
            for (const std::uint64_t n : {1u, 100u, 20000u}) {
                const std::uint64_t blocks = lanes_blocks_for_fpr(n, fpr, shape).value();
                EXPECT_LE(lanes_fpr(n, blocks, shape), fpr);
                if (blocks > 1) {
                    EXPECT_GT(lanes_fpr(n, blocks - 1, shape), fpr) << n << ' ' << fpr;
                }
            }
}

TEST(Lanes, BorderCasesHaveAnAnswer) {
    EXPECT_EQ(lanes_fpr(0, 10, {8, 64}), 0);
    EXPECT_EQ(lanes_fpr(10, 0, {8, 64}), 1);
    EXPECT_EQ(lanes_fpr(10, 10, {0, 64}), 1);
    EXPECT_EQ(lanes_fpr(10, 10, {8, 0}), 1);
    EXPECT_EQ(lanes_fpr(1000000000000, 1, {8, 64}), 1);
    EXPECT_EQ(lanes_fpr_stddev_between(1000000000000, 1, {8, 64}), 0);
    EXPECT_EQ(lanes_fpr_stddev_between(0, 1, {8, 64}), 0);
    EXPECT_EQ(lanes_blocks_for_fpr(10, 0, {8, 64}).error().code, errc::bad_field);
    EXPECT_EQ(lanes_blocks_for_fpr(10, 0.01, {8, 0}).error().code, errc::bad_field);
    EXPECT_EQ(lanes_blocks_for_fpr(10, 1e-15, {4, 64}).error().code, errc::bad_field);
}

}  // namespace
}  // namespace membrane::model
