// The exact map: the same answers as std::unordered_map after any operations, bounded lookups, chains as equal as the model
// says, and what erasing does to the flags.
#include <membrane/table/balanced_table.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/balanced_bound.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/model/multi_level.hpp>
#include <membrane/model/sequential.hpp>

#include "support/filters.hpp"

namespace membrane::test {
namespace {

using number_table = balanced_table<std::uint64_t, std::uint64_t>;

template <class Table>
void expect_like_a_map(Table table, std::uint64_t seed, std::uint64_t universe) {
    std::unordered_map<std::uint64_t, std::uint64_t> truth;
    random_numbers random(seed);
    for (int step = 0; step < 60'000; ++step) {
        const std::uint64_t key = random.below(universe), value = random.next();
        switch (random.below(8)) {
            case 0:
            case 1:
            case 2: ASSERT_EQ(table.insert(key, value), truth.emplace(key, value).second); break;
            case 3:
            case 4: ASSERT_EQ(table.erase(key), truth.erase(key) == 1); break;
            case 5:
                if (random.below(5000) == 0) {
                    table.clear();
                    truth.clear();
                } else if (random.below(2000) == 0) {
                    table.rebuild();
                }
                break;
            default: break;
        }
        const auto found = truth.find(key);
        const std::uint64_t* const own = table.find(key);
        ASSERT_EQ(own != nullptr, found != truth.end()) << "step " << step;
        if (own != nullptr) {
            ASSERT_EQ(*own, found->second);
        }
        ASSERT_EQ(table.size(), truth.size());
    }
    std::size_t met = 0;
    for (const auto& each : table) {
        ASSERT_EQ(truth.at(each.key()), each.value);
        ++met;
    }
    EXPECT_EQ(met, truth.size());
    for (const auto& [key, value] : truth) ASSERT_EQ(*table.find(key), value);
}

table_shape one_table(std::uint64_t buckets, std::uint64_t h, double p, std::uint64_t tries) {
    return {{{0, buckets, {h, static_cast<std::uint64_t>(p * 0x1p32)}}}, tries};
}

TEST(BalancedTable, AgreesWithAMapUnderEveryScheme) {
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        const hasher hash = numbered_hasher(seed);
        expect_like_a_map(number_table(300, hash), seed, 600);
        expect_like_a_map(number_table(0, hash), seed, 5000);  // grows from nothing
        expect_like_a_map(balanced_table<std::uint64_t, std::uint64_t, single_placement>(
                              300, one_table(100, 3, 0.5, 1), hash),
                          seed, 600);
        expect_like_a_map(balanced_table<std::uint64_t, std::uint64_t, sequential_placement>(
                              300, one_table(100, 3, 0.5, 3), hash),
                          seed, 600);
    }
}

TEST(BalancedTable, HoldsTextAndMovesItsValues) {
    balanced_table<std::string, std::vector<int>> table(10, numbered_hasher(1));
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(table.insert("key " + std::to_string(i), std::vector<int>(3, i)));
    ASSERT_FALSE(table.insert("key 7", {}));
    for (int i = 0; i < 100; i += 2) ASSERT_TRUE(table.erase("key " + std::to_string(i)));
    for (int i = 0; i < 100; ++i) {
        const auto* found = table.find("key " + std::to_string(i));
        ASSERT_EQ(found != nullptr, i % 2 == 1);
        if (found != nullptr) {
            ASSERT_EQ(*found, std::vector<int>(3, i));
        }
    }
}

// Refused at h + 1, then erased to h, and the coin says yes: whoever lets the coin stop the walk misses the key.
TEST(BalancedTable, FindsWhatWasRefusedBeforeOthersWereErased) {
    std::uint64_t would_be_missed = 0;
    const acceptance rule{2, std::uint64_t{1} << 31};
    const hasher hash = numbered_hasher(9);
    const table_shape shape{{{0, 50, rule}, {0, 25, rule}, {0, 10, rule}}, 3};
    number_table table(1000, shape, hash);
    for (std::uint64_t key = 0; key < 200; ++key) table.insert(key, key);
    for (std::uint64_t key = 0; key < 200; key += 2) ASSERT_TRUE(table.erase(key));
    const bucket_table first{0, 50, rule};
    for (std::uint64_t key = 1; key < 200; key += 2) {
        ASSERT_NE(table.find(key), nullptr) << key;
        ASSERT_EQ(*table.find(key), key);
        const chain& here = table.bucket(first.candidate(hash(key), 0));
        // Not in its first bucket, which by load and coin would take it today.
        if (table.cost_of(key).buckets > 1 && rule.takes(here.load, hash(key), 0)) ++would_be_missed;
    }
    EXPECT_GT(would_be_missed, 5u) << "the trap did not come up";
}

TEST(BalancedTable, ReadsNoMoreThanItsBound) {
    const std::uint64_t n = 50'000;
    number_table table(n, numbered_hasher(2));
    for (std::uint64_t key = 0; key < n; ++key) table.insert(key, key);
    for (std::uint64_t number = 0; number < table.buckets(); ++number)
        ASSERT_LE(table.bucket(number).load, 3u);
    std::uint64_t most = 0;
    for (std::uint64_t key = 0; key < 2 * n; ++key) {
        const auto cost = table.cost_of(key);
        ASSERT_LE(cost.buckets, 4u);
        most = std::max(most, cost.entries);
    }
    EXPECT_LE(most, 3 * 3 + 12u) << "three full buckets and a chain of the overflow";
}

template <class Table>
double variance_of_loads(const Table& table, std::uint64_t first, std::uint64_t count) {
    model::running_summary loads;
    for (std::uint64_t i = first; i < first + count; ++i) loads.add(table.bucket(i).load);
    return loads.variance();
}

// Appendix C: the time of a lookup that finds nothing in its first bucket is the bucket's load.
TEST(BalancedTable, HasTheVarianceOfTheModelAndLessThanOthers) {
    const std::uint64_t n = 200'000;
    const double a = 1.2, r = 2;
    const auto design = value_of(model::multi_level(a, 3, r));
    // The numbers that stand in table_shape::for_keys.
    EXPECT_EQ(design.h, 2u);
    EXPECT_NEAR(design.p, 0.8237, 5e-5);
    number_table table(n, numbered_hasher(3));
    balanced_table<std::uint64_t, std::uint64_t, single_placement> plain(n, one_table(n / 2, 1000, 0, 1),
                                                                         numbered_hasher(3));
    const auto sequential = value_of(model::sequential(a, 3, r));
    balanced_table<std::uint64_t, std::uint64_t, sequential_placement> in_sequence(
        n, one_table(n / 2, sequential.h, sequential.p, 3), numbered_hasher(3));
    std::unordered_map<std::uint64_t, std::uint64_t> standard;
    standard.max_load_factor(2);
    standard.rehash(n / 2);
    for (std::uint64_t key = 0; key < n; ++key) {
        const std::uint64_t spread = finalise64(key);
        table.insert(spread, key);
        plain.insert(spread, key);
        in_sequence.insert(spread, key);
        standard.emplace(spread, key);
    }
    const auto first = static_cast<std::uint64_t>(std::ceil(0.83333 * static_cast<double>(n) / 2));
    const double expected =
        model::load_variance(value_of(model::balanced_lower_bound(a, r, design.gamma0)).loads);
    const double expected_in_sequence =
        model::load_variance(value_of(model::balanced_lower_bound(a, r, sequential.gamma0)).loads);
    // The variance of a sample of N loads scatters by less than sqrt(2 / N) of itself: loads here have short tails.
    const double share = 5 * std::sqrt(2.0 / static_cast<double>(first));
    EXPECT_NEAR(variance_of_loads(table, 0, first), expected, share * expected);
    EXPECT_NEAR(variance_of_loads(in_sequence, 0, n / 2), expected_in_sequence, share * expected_in_sequence);
    EXPECT_NEAR(variance_of_loads(plain, 0, n / 2), 2, 3 * share) << "Poisson";
    model::running_summary loads;
    for (std::size_t i = 0; i < standard.bucket_count(); ++i)
        loads.add(static_cast<double>(standard.bucket_size(i)));
    const double ratio = static_cast<double>(n) / static_cast<double>(standard.bucket_count());
    EXPECT_NEAR(loads.variance(), ratio, 3 * share * ratio) << "std::unordered_map: Poisson as well";
    EXPECT_LT(expected, 0.5 * 2);
    std::cout << "variance of a bucket's load at 2 keys per bucket: " << variance_of_loads(table, 0, first)
              << " (model " << expected << "), sequential " << variance_of_loads(in_sequence, 0, n / 2)
              << " (model " << expected_in_sequence << "), single-choice "
              << variance_of_loads(plain, 0, n / 2) << ", std::unordered_map at " << ratio
              << " keys per bucket " << loads.variance() << '\n';
}

TEST(BalancedTable, KeepsFlagsUnderChurnUntilItIsRebuilt) {
    const std::uint64_t n = 20'000;
    number_table table(n, numbered_hasher(4));
    for (std::uint64_t key = 0; key < n; ++key) table.insert(key, key);
    const auto mean_buckets = [&] {
        model::running_summary cost;
        for (std::uint64_t key = 1 << 30; key < (1 << 30) + 20'000; ++key)
            cost.add(static_cast<double>(table.cost_of(key).buckets));
        return cost.mean();
    };
    const double flagged = table.flagged_share(), reads = mean_buckets();
    // Twenty times every key is replaced, the oldest first.
    for (std::uint64_t key = n; key < 21 * n; ++key) {
        ASSERT_TRUE(table.erase(key - n));
        ASSERT_TRUE(table.insert(key, key));
    }
    const double churned = table.flagged_share(), churned_reads = mean_buckets();
    std::cout << "flagged " << flagged << ", after twenty turnovers " << churned
              << "; buckets read by a miss " << reads << ", then " << churned_reads << '\n';
    EXPECT_GT(churned, 0.95) << "flags stick";
    EXPECT_LE(churned_reads, 4.0);
    for (std::uint64_t key = 20 * n; key < 21 * n; ++key) ASSERT_NE(table.find(key), nullptr);
    table.rebuild();
    EXPECT_NEAR(table.flagged_share(), flagged,
                5 * std::sqrt(0.25 / static_cast<double>(table.buckets())) * 1.5);
    EXPECT_NEAR(mean_buckets(), reads, 0.08);
    for (std::uint64_t key = 20 * n; key < 21 * n; ++key) ASSERT_EQ(*table.find(key), key);
}

}  // namespace
}  // namespace membrane::test
