// Finite filters with choices, simulated: ones and their scatter, and what a lookup reads.
#include <membrane/model/choice_law.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/choice_reads.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/two_choice.hpp>

namespace membrane::model {
namespace {

struct shape {
    std::uint64_t n, m, choices, k;
};

// A filter with places of its own making, and how many groups a member leaves before a covered one.
class simulated {
public:
    simulated(const shape& of, std::uint64_t seed) : of_(of), random_(seed), bits_(of.m) {
        for (std::uint64_t i = 0; i < of.n; ++i) insert();
    }

    double ones() const {
        return static_cast<double>(std::count(bits_.begin(), bits_.end(), true)) / static_cast<double>(of_.m);
    }
    double groups_left_by_members() const {
        std::uint64_t left = 0;
        for (const auto& key : keys_)
            for (const auto& each : key) {
                if (lacks(each) == 0) break;
                ++left;
            }
        return static_cast<double>(left) / static_cast<double>(of_.n);
    }

private:
    using group = std::vector<std::uint64_t>;

    std::uint64_t lacks(const group& places) const {
        std::vector<std::uint64_t> unset;
        for (const std::uint64_t place : places)
            if (!bits_[place] && std::find(unset.begin(), unset.end(), place) == unset.end())
                unset.push_back(place);
        return unset.size();
    }
    void insert() {
        std::uniform_int_distribution<std::uint64_t> place(0, of_.m - 1);
        std::vector<group> key(of_.choices, group(of_.k));
        for (group& each : key)
            for (std::uint64_t& at : each) at = place(random_);
        const group* best = &key[0];
        for (const group& each : key)
            if (lacks(each) < lacks(*best)) best = &each;
        for (const std::uint64_t at : *best) bits_[at] = true;
        keys_.push_back(std::move(key));
    }

    shape of_;
    std::mt19937_64 random_;
    std::vector<bool> bits_;
    std::vector<std::vector<group>> keys_;
};

constexpr shape shapes[] = {
    {10, 64, 2, 4}, {12, 128, 4, 7}, {100, 1000, 3, 7}, {400, 3200, 2, 7}, {600, 3000, 4, 3}};

TEST(ChoiceLaw, HasTheOnesAndTheScatterOfSimulatedFilters) {
    for (const shape& of : shapes) {
        const std::uint64_t filters = 60000 / of.n + 200;
        running_summary ones;
        for (std::uint64_t i = 0; i < filters; ++i) ones.add(simulated(of, i).ones());
        const auto law = choice_ones_law(of.n, of.m, of.choices, of.k, positions::may_repeat);
        EXPECT_NEAR(law.mean, ones.mean(), 5 * ones.standard_error() + 1e-4) << of.n << " keys";
        // The standard deviation of a sample's standard deviation is sigma / sqrt(2 (N - 1)).
        const double sigma = std::sqrt(ones.variance());
        EXPECT_NEAR(law.stddev, sigma,
                    5 * sigma / std::sqrt(2.0 * static_cast<double>(filters)) + 0.02 * sigma);
    }
}

TEST(ChoiceLaw, OfOneGroupIsThatOfTheStandardFilter) {
    for (const std::uint64_t n : {10u, 300u, 20000u}) {
        const auto law = choice_ones_law(n, 10 * n, 1, 7, positions::may_repeat);
        // Two moments are carried: what the others add is of the order of 1 / m^2.
        const double bits = 10 * static_cast<double>(n);
        EXPECT_NEAR(law.mean, bloom_ones_exact(n, 10 * n, 7), 1e-5 + 1 / (bits * bits));
        EXPECT_NEAR(law.stddev, bloom_ones_stddev(n, 10 * n, 7), 0.01 * law.stddev);
    }
}

TEST(ChoiceLaw, TendsToTheEquationOfThePaper) {
    for (const std::uint64_t choices : {2u, 3u, 4u}) {
        const auto law = choice_ones_law(10'000'000, 80'000'000, choices, 7, positions::may_repeat);
        EXPECT_NEAR(law.mean, choice_bloom_ones(8, choices, 7).value(), 2e-5);
        EXPECT_NEAR(choice_bloom_keys_per_bit(law.mean, choices, 7).value(), 1.0 / 8, 1e-5);
    }
}

TEST(ChoiceLaw, AnswersAnyArguments) {
    for (const std::uint64_t n : {0ull, 1ull, 1000ull, 1ull << 56, ~0ull})
        for (const std::uint64_t m : {0ull, 1ull, 64ull, 1ull << 20, 1ull << 56})
            for (const std::uint64_t choices : {1u, 4u})
                for (const std::uint64_t k : {1u, 16u, 64u}) {
                    const auto law = choice_ones_law(n, m, choices, k, positions::distinct);
                    ASSERT_TRUE(law.mean >= 0 && law.mean <= 1 && law.stddev >= 0)
                        << n << " keys, " << m << " bits";
                    const auto rate = choice_rate_law(law, m, choices, k, positions::distinct, 0);
                    ASSERT_TRUE(rate.mean >= 0 && rate.mean <= 1 && rate.stddev >= 0);
                }
}

TEST(ChoiceReads, MembersLeaveAsManyGroupsAsSimulatedOnes) {
    for (const shape& of : shapes) {
        if (of.n < 100) continue;
        running_summary left;
        for (std::uint64_t i = 0; i < 200; ++i) left.add(simulated(of, i).groups_left_by_members());
        const auto ones = choice_ones_law(of.n, of.m, of.choices, of.k, positions::may_repeat);
        const auto walk = member_walk(ones, of.m, of.choices, of.k);
        double predicted = 0, total = 0;
        for (std::size_t a = 0; a < walk.left_first.size(); ++a) {
            predicted += static_cast<double>(a) * walk.left_first[a];
            total += walk.left_first[a];
        }
        EXPECT_NEAR(total, 1, 1e-9);
        EXPECT_NEAR(predicted, left.mean(), 5 * left.standard_error() + 0.01 * predicted) << of.n << " keys";
    }
}

}  // namespace
}  // namespace membrane::model
