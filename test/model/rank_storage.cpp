#include <membrane/model/rank_storage.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>

namespace membrane::model {
namespace {

rank_shape small_shape() {
    rank_shape shape;
    shape.buckets = 10;
    shape.chains = 8;
    shape.fingerprint_bits = 5;
    shape.cells = 12;
    shape.extension_cells = 4;
    shape.last_cells = 9;
    shape.extensions = 5;
    shape.last_extensions = 1;
    return shape;
}

TEST(RankStorage, PartsAreCountedByHand) {
    const auto storage = rank_storage_of(small_shape());
    ASSERT_TRUE(storage.has_value());
    EXPECT_EQ(storage->bucket_bits, 8u + 12 + 60 + 1 + 3);
    EXPECT_EQ(storage->extension_bits, 1u + 4 + 20 + 1 + 0);
    EXPECT_EQ(storage->last_extension_bits, 1u + 9 + 45);
    EXPECT_EQ(storage->size_bits, 840u + 130 + 55);
    EXPECT_DOUBLE_EQ(*rank_bits_per_key(small_shape(), 100), 10.25);
}

TEST(RankStorage, AValueAddsItsBitsToEveryCellAndToEveryTrimmedKey) {
    rank_shape with_value = small_shape();
    with_value.value_bits = 7;
    const std::uint64_t cells = 10 * 12 + 5 * 4 + 1 * 9;
    EXPECT_EQ(rank_storage_of(with_value)->size_bits, rank_storage_of(small_shape())->size_bits + 7 * cells);
    EXPECT_DOUBLE_EQ(*rank_trimmed_bits_per_key(small_shape(), 100), 80.0 / 100 + 6);
    EXPECT_DOUBLE_EQ(*rank_trimmed_bits_per_key(with_value, 100), 80.0 / 100 + 13);
}

// The rate of one simulated filter is known without asking it: its distinct (bucket, chain, fingerprint) places.
TEST(RankStorage, SimulatedFiltersHaveThePredictedRateAndScatter) {
    rank_shape shape = small_shape();
    shape.buckets = 20;
    const std::uint64_t places = 20 * 8 * 32;
    const std::uint64_t n = 1500;
    const int filters = 4000;
    std::mt19937_64 random(20261115);
    const double expected = *rank_fpr_exact(shape, n);
    const double scatter = *rank_fpr_stddev_between(shape, n);
    running_summary rates;
    running_summary squares;
    for (int filter = 0; filter < filters; ++filter) {
        std::vector<bool> taken(places);
        for (std::uint64_t key = 0; key < n; ++key) taken[random() % places] = true;
        const auto occupied = std::count(taken.begin(), taken.end(), true);
        const double rate = static_cast<double>(occupied) / static_cast<double>(places);
        rates.add(rate);
        squares.add((rate - expected) * (rate - expected));
    }
    EXPECT_TRUE(around(expected, scatter / std::sqrt(filters), 5).contains(rates.mean()))
        << rates.mean() << ' ' << expected;
    // The variance is the one of many places: relative error of order 1 / places.
    EXPECT_NEAR(squares.mean(), scatter * scatter,
                5 * squares.standard_error() + scatter * scatter * 2 / static_cast<double>(places));
}

TEST(RankStorage, EveryNumberIsFiniteUpToTheLargestSizes) {
    for (double keys = 1; keys <= 1e12; keys *= 1000) {
        for (const std::uint64_t chains : {1u, 17u, 64u}) {
            for (const std::uint64_t bits : {1u, 8u, 30u, 56u}) {
                const auto n = static_cast<std::uint64_t>(keys);
                rank_shape shape;
                shape.buckets = std::max<std::uint64_t>(1, n / chains);
                shape.chains = chains;
                shape.fingerprint_bits = bits;
                shape.cells = 80;
                const double exact = *rank_fpr_exact(shape, n);
                const double limit = *rank_fpr_asymptotic(shape, n);
                ASSERT_TRUE(exact > 0 && exact < 1) << n;
                ASSERT_LE(exact, limit * (1 + 1e-12));
                // 1 - e^-x is within x / 2 of x.
                ASSERT_GE(exact, limit * (1 - limit) * (1 - 1e-12));
                const double scatter = *rank_fpr_stddev_between(shape, n);
                ASSERT_TRUE(scatter >= 0 && scatter < 1);
                ASSERT_TRUE(*rank_bits_per_key(shape, n) > 1);
                ASSERT_GT(*rank_trimmed_bits_per_key(shape, n), 1 + static_cast<double>(bits));
            }
        }
    }
}

TEST(RankStorage, ValuesOutsideTheDomainAreNamed) {
    const auto name_of = [](auto change) {
        rank_shape shape = small_shape();
        change(shape);
        const auto storage = rank_storage_of(shape);
        return storage ? std::string_view("accepted") : storage.error().what;
    };
    EXPECT_EQ(name_of([](rank_shape& s) { s.buckets = 0; }), "buckets");
    EXPECT_EQ(name_of([](rank_shape& s) { s.chains = 65; }), "chains");
    EXPECT_EQ(name_of([](rank_shape& s) { s.fingerprint_bits = 57; }), "fingerprint_bits");
    EXPECT_EQ(name_of([](rank_shape& s) { s.cells = 0; }), "cells");
    EXPECT_EQ(name_of([](rank_shape& s) { s.extension_cells = max_rank_cells + 1; }), "extension_cells");
    EXPECT_EQ(name_of([](rank_shape& s) { s.last_cells = max_rank_cells + 1; }), "last_cells");
    EXPECT_EQ(name_of([](rank_shape& s) { s.extensions = 11; }), "extensions");
    EXPECT_EQ(name_of([](rank_shape& s) { s.last_extensions = 11; }), "last_extensions");
    EXPECT_EQ(name_of([](rank_shape& s) { s.value_bits = 65; }), "value_bits");
    rank_shape huge = small_shape();
    huge.buckets = huge.extensions = max_rank_keys;
    huge.cells = huge.extension_cells = max_rank_cells;
    huge.fingerprint_bits = max_rank_fingerprint_bits;
    huge.value_bits = max_rank_value_bits;
    EXPECT_EQ(rank_storage_of(huge).error().code, errc::size_overflow);
    EXPECT_EQ(rank_bits_per_key(huge, 1).error().code, errc::size_overflow);
    EXPECT_EQ(rank_fpr_exact(small_shape(), 0).error().what, "n");
    EXPECT_EQ(rank_bits_per_key(small_shape(), max_rank_keys + 1).error().code, errc::bad_field);
}

}  // namespace
}  // namespace membrane::model
