#include <membrane/model/tails.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "model/tail_sums.hpp"

namespace membrane::model {
namespace {

// Term by term from the least one of the tail upwards, in a hundred digits.
using wide = boost::multiprecision::cpp_bin_float_100;

double log_poisson_by_terms(double mean, std::uint64_t threshold) {
    wide term = exp(-wide(mean));
    wide above = 0;
    for (std::uint64_t i = 0; i <= threshold + 2000; ++i) {
        if (i > threshold) above += term;
        term *= wide(mean) / wide(i + 1);
    }
    return log(above).convert_to<double>();
}

double log_binomial_by_terms(std::uint64_t trials, double chance, std::uint64_t threshold) {
    const wide odds = wide(chance) / (1 - wide(chance));
    wide term = pow(wide(1 - wide(chance)), trials);
    wide above = 0;
    for (std::uint64_t i = 0; i <= trials; ++i) {
        if (i > threshold) above += term;
        term *= odds * wide(trials - i) / wide(i + 1);
    }
    return log(above).convert_to<double>();
}

void expect_log_near(double found, double expected) {
    EXPECT_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected)));
    // A tail close to 1: its distance from 1 is the other side (the hundred digits end at 1e-98).
    if (expected > -0.1 && expected < -1e-80) {
        EXPECT_NEAR(found, expected, std::abs(expected) * 1e-11);
    }
}

TEST(Tails, PoissonTailsAreTheSumsInManyDigits) {
    for (const double mean : {0.001, 0.7, 5.0, 56.0, 81.9, 300.0}) {
        for (const std::uint64_t threshold : {0u, 1u, 3u, 15u, 16u, 56u, 64u, 81u, 128u, 299u, 300u, 400u}) {
            SCOPED_TRACE(testing::Message() << "mean " << mean << " threshold " << threshold);
            expect_log_near(*log_poisson_tail(mean, threshold), log_poisson_by_terms(mean, threshold));
        }
    }
    EXPECT_LT(*log_poisson_tail(0.001, 300), -690 * 3);
}

TEST(Tails, BinomialTailsAreTheSumsInManyDigits) {
    for (const double chance : {1e-6, 0.01, 0.25, 0.5, 0.97}) {
        for (const std::uint64_t trials : {1u, 2u, 17u, 100u, 700u}) {
            for (const std::uint64_t threshold : {0u, 1u, 5u, 16u, 50u, 99u, 180u, 349u, 690u}) {
                if (threshold >= trials) continue;
                SCOPED_TRACE(testing::Message()
                             << trials << " trials of " << chance << " threshold " << threshold);
                expect_log_near(*log_binomial_tail(trials, chance, threshold),
                                log_binomial_by_terms(trials, chance, threshold));
            }
        }
    }
}

TEST(Tails, PoissonExcessIsTheSumOfTheTails) {
    for (const double mean : {0.0, 0.3, 20.0, 51.0, 120.0}) {
        for (const double threshold : {0.0, 1.0, 19.0, 50.0, 51.0, 100.0}) {
            double sum = 0;
            for (double i = threshold; i < 400; ++i) sum += poisson_above(mean, i);
            EXPECT_NEAR(poisson_excess(mean, threshold), sum, sum * 1e-12) << mean << ' ' << threshold;
        }
    }
}

TEST(Tails, ImpossibleAndCertainEventsAreSo) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(*log_poisson_tail(0, 0), never);
    EXPECT_EQ(*log_binomial_tail(10, 0.5, 10), never);
    EXPECT_EQ(*log_binomial_tail(0, 0.5, 0), never);
    EXPECT_EQ(*log_binomial_tail(10, 0, 0), never);
    EXPECT_EQ(*log_binomial_tail(10, 1, 9), 0);
    EXPECT_EQ(*binomial_tail(10, 1, 9), 1);
    EXPECT_EQ(*poisson_tail(1e-300, 1), 0) << "1e-600 is no double, its logarithm is";
    EXPECT_NEAR(*log_poisson_tail(1e-300, 1), 2 * std::log(1e-300) - std::log(2.0), 1e-9);
}

// At size, against the expansion of the normal tail: value, and monotony over the whole range.
TEST(Tails, LargeSizesStayChancesAndFall) {
    for (double size = 10; size <= 1e12; size *= 100) {
        double before_poisson = 0;
        double before_binomial = 0;
        for (const double sigmas : {-40.0, -8.0, -1.0, 0.0, 1.0, 3.0, 6.5, 20.0, 100.0}) {
            const double threshold = std::floor(size + sigmas * std::sqrt(size));
            if (threshold < 0) continue;
            const auto count = static_cast<std::uint64_t>(threshold);
            const double poisson = *log_poisson_tail(size, count);
            const double binomial = *log_binomial_tail(static_cast<std::uint64_t>(size * 3), 1.0 / 3, count);
            SCOPED_TRACE(testing::Message() << "size " << size << " sigmas " << sigmas);
            ASSERT_LE(poisson, before_poisson);
            ASSERT_LE(binomial, before_binomial);
            before_poisson = poisson;
            before_binomial = binomial;
            if (size >= 1e10 && std::abs(sigmas) <= 6.5) {
                const auto normal = [&](double deviation) {
                    return std::log(std::erfc((threshold + 0.5 - size) / deviation / std::sqrt(2.0)) / 2);
                };
                // The first correction of the normal law is its skewness, z^3 / (6 sigma).
                const double room = 1e-9 + 60 / std::sqrt(size);
                EXPECT_NEAR(poisson, normal(std::sqrt(size)), room);
                EXPECT_NEAR(binomial, normal(std::sqrt(size * 2 / 3)), room);
            }
        }
    }
}

TEST(Tails, ValuesOutsideTheDomainAreNamed) {
    for (const double mean : {-1.0, 1e14, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(poisson_tail(mean, 1).error().code, errc::bad_field);
        EXPECT_EQ(log_poisson_tail(mean, 1).error().what, "mean");
    }
    for (const double chance : {-0.1, 1.1, std::nan("")})
        EXPECT_EQ(binomial_tail(5, chance, 1).error().what, "chance");
    EXPECT_EQ(binomial_tail(max_tail_trials + 1, 0.5, 1).error().what, "trials");
}

}  // namespace
}  // namespace membrane::model
