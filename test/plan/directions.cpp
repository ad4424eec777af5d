// The four directions of a sizing question, for every kind: whatever is asked for comes out as promised, and more of one
// thing never makes another worse.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <membrane/runtime/planner.hpp>

#include "support/filters.hpp"
#include "support/given.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class Directions : public kind_test {
protected:
    result<plan::sized_filter> sized(const plan::requirement& wanted,
                                     const plan::given_fields& given = {}) const {
        return plan::size_kind(plan_row(entry()), wanted, given);
    }
};

TEST_P(Directions, KeysAndRateGiveBytes) {
    for (const std::uint64_t keys : {1u, 50u, 4000u, 3'000'000u})
        for (const double fpr : {0.3, 0.01, 1e-4}) {
            const auto made = value_of(sized({.keys = keys, .fpr = fpr}));
            EXPECT_LE(made.fpr, fpr * (1 + 1e-9)) << keys;
            EXPECT_EQ(made.keys, keys);
            EXPECT_EQ(made.size_bytes, make(made.spec).size_bytes());
            EXPECT_EQ(made.file_bytes, make(made.spec).file_bytes());
        }
}

TEST_P(Directions, KeysAndBytesGiveTheRate) {
    for (const std::uint64_t keys : {1000u, 100'000u})
        for (const double bits_per_key : {60.0, 200.0, 1000.0}) {
            const auto bytes = static_cast<std::uint64_t>(bits_per_key / 8 * static_cast<double>(keys));
            const auto made = sized({.keys = keys, .max_bytes = bytes});
            ASSERT_TRUE(made) << bits_per_key << " bits per key: " << describe(made.error());
            EXPECT_LE(made->file_bytes, bytes);
            // A filter that grows tells 2^54 numbers apart at the most, whatever its size.
            if (made->can.grow && made->fpr < std::ldexp(static_cast<double>(keys), -53)) continue;
            // What is left over is less than a line and a bit of each key's fingerprint, of which 60 are the fewest here.
            EXPECT_GE(static_cast<double>(made->file_bytes), (1 - 1 / 60.0) * static_cast<double>(bytes) - 64)
                << bits_per_key;
        }
}

TEST_P(Directions, BytesAndRateGiveTheMostKeys) {
    for (const std::uint64_t bytes : {20'000u, 1'000'000u, 1'000'000'000u}) {
        const auto most = value_of(sized({.fpr = 0.01, .max_bytes = bytes}));
        EXPECT_LE(most.file_bytes, bytes);
        EXPECT_LE(most.fpr, 0.01 * (1 + 1e-9));
        const auto more = value_of(sized({.keys = most.keys + 2 + most.keys / 1000, .fpr = 0.01}));
        EXPECT_GT(more.file_bytes, bytes) << most.keys << " keys";
    }
}

TEST_P(Directions, BytesAndBitsPerKeyGiveKeys) {
    const auto most = value_of(sized({.bits_per_key = 40, .max_bytes = 400'000}));
    EXPECT_LE(most.file_bytes, 400'000u);
    EXPECT_NEAR(static_cast<double>(most.keys), 80000, 0.02 * 80000);
}

TEST_P(Directions, AFixedNumberOfProbesIsKept) {
    std::size_t k = 0;
    while (k < entry().rules.fields.size() && entry().rules.fields[k].name != "k") ++k;
    if (k == entry().rules.fields.size()) return;
    const plan::given_fields given = giving(entry().rules.id, k, 5);
    const auto by_rate = value_of(sized({.keys = 10000, .fpr = 0.01}, given));
    EXPECT_EQ(by_rate.spec[k], 5u);
    EXPECT_LE(by_rate.fpr, 0.01 * (1 + 1e-9));
    EXPECT_EQ(value_of(sized({.keys = 10000, .bits_per_key = 64}, given)).spec[k], 5u);
    EXPECT_EQ(value_of(sized({.fpr = 0.01, .max_bytes = 100'000}, given)).spec[k], 5u);
}

TEST_P(Directions, MoreBitsAreNeverALargerRate) {
    for (const std::uint64_t keys : {100u, 20'000u}) {
        double last = 1;
        for (double bits = 4; bits < 1500; bits *= 1.15) {
            const auto made = sized({.keys = keys, .bits_per_key = bits});
            if (!made) continue;
            EXPECT_LE(made->fpr, last) << bits << " bits per key, " << keys << " keys";
            last = made->fpr;
        }
        EXPECT_LT(last, 0.01);
    }
}

// Unless it reads more lines: balanced_rank takes bits to read fewer, at no more than its price for each key
// (second_line_bits_at_a_rate of balanced_rank_design.cpp). Of kinds that can erase in another form, in that form too.
TEST_P(Directions, ALowerRateIsNeverASmallerFilter) {
    constexpr std::uint64_t keys = 50'000;
    constexpr double line_bytes = 64;  // tables and lists are rounded apart
    const double line_price_bits = entry().rules.id == kind_id::balanced_rank ? 4 : 0;
    for (const bool erases : {false, true}) {
        double last_bytes = 0, last_reads = 0;
        for (double fpr = 0.4; fpr > 1e-7; fpr *= 0.7) {
            plan::requirement wanted{.keys = keys, .fpr = fpr};
            wanted.needs.erase = erases;
            const auto made = sized(wanted);
            if (!made) continue;
            const auto bytes = static_cast<double>(made->size_bytes);
            const double reads = made->reads.negative.average;
            const double saved = std::max(0.0, reads - last_reads) * line_price_bits / 8 * keys;
            EXPECT_GE(bytes + saved + line_bytes, last_bytes) << fpr << (erases ? ", erasable" : "");
            last_bytes = bytes;
            last_reads = reads;
        }
    }
}

TEST_P(Directions, ABoundOnReadsIsMetOrSaid) {
    for (const double bound : {1.2, 1.5, 1.9}) {
        const plan::requirement wanted{.keys = 100'000, .fpr = 0.01, .average_reads = bound};
        const auto ranked = value_of(rank_kind(entry(), {}, wanted));
        ASSERT_EQ(ranked.candidates.size(), 1u);
        const plan::candidate& only = ranked.candidates.front();
        if (only.fits) EXPECT_LE(only.filter->reads.negative.average, bound);
        else EXPECT_NE(only.why.find("read"), std::string::npos) << only.why;
    }
}

TEST_P(Directions, WhatCannotBeAskedIsRefused) {
    EXPECT_FALSE(sized({}));
    EXPECT_FALSE(sized({.keys = 10, .fpr = 1.5}));
    EXPECT_FALSE(sized({.keys = 10, .fpr = 0.01, .average_reads = 0.5}));
    EXPECT_FALSE(sized({.keys = 10, .max_bytes = 10}));
    EXPECT_FALSE(sized({.fpr = 0.01, .max_bytes = 10}));
}

MEMBRANE_FOR_EVERY_KIND(Directions);

}  // namespace
}  // namespace membrane::test
