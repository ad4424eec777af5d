// Count-min on a skewed stream: Zipf(1.1) over 100 000 items, a million updates, the sketches of *Less hashing*, section 9.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/count_min/heavy_hitters.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/model/count_min.hpp>
#include <membrane/model/interval.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "model/reference_numbers.hpp"
#include "support/filters.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t items = 100'000;
constexpr std::uint64_t updates = 1'000'000;

// How often each item came; item 0 is the most frequent.
const std::vector<std::uint64_t>& zipf_counts() {
    static const std::vector<std::uint64_t> counts = [] {
        std::vector<double> until(items);
        double sum = 0;
        for (std::uint64_t i = 0; i < items; ++i)
            until[i] = sum += std::pow(static_cast<double>(i + 1), -1.1);
        std::vector<std::uint64_t> made(items);
        random_numbers random(1);
        for (std::uint64_t i = 0; i < updates; ++i) {
            const auto at = std::upper_bound(until.begin(), until.end(), random.unit() * sum) - until.begin();
            ++made[std::min<std::uint64_t>(static_cast<std::uint64_t>(at), items - 1)];
        }
        return made;
    }();
    return counts;
}

filter_spec sized(std::uint64_t rows, std::uint64_t width, std::uint64_t depth,
                  bool is_conservative = false) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::rows] = rows;
    spec[count_min_field::width] = width;
    spec[count_min_field::depth] = depth;
    spec[count_min_field::conservative] = is_conservative ? 1 : 0;
    return spec;
}

any_filter counted(const filter_spec& spec, const hasher& hash) {
    any_filter sketch = make(spec, hash);
    for (std::uint64_t item = 0; item < items; ++item)
        if (zipf_counts()[item] != 0) expect_done(sketch.add(hash(item), zipf_counts()[item]));
    return sketch;
}

class CountMin : public ::testing::TestWithParam<std::string> {
protected:
    // Share of items whose estimate is off by more than eps times all updates, one number per hash key.
    static model::running_summary failures(const filter_spec& spec, double eps, std::uint64_t repetitions) {
        const auto allowed = static_cast<std::uint64_t>(eps * static_cast<double>(updates));
        model::running_summary rates;
        for (std::uint64_t i = 0; i < repetitions; ++i) {
            const hasher hash = numbered_hasher(i);
            const any_filter sketch = counted(spec, hash);
            std::uint64_t failed = 0;
            for (std::uint64_t item = 0; item < items; ++item) {
                const std::uint64_t estimate = value_of(sketch.estimate(hash(item)));
                EXPECT_GE(estimate, zipf_counts()[item]);
                failed += estimate - zipf_counts()[item] > allowed ? 1 : 0;
            }
            rates.add(static_cast<double>(failed) / static_cast<double>(items));
        }
        return rates;
    }
};

TEST_P(CountMin, FailsLessOftenThanTheBoundAndNeverBelowTheTruth) {
    const auto& numbers = model::reference_entry("C.cm.eps=" + GetParam());
    const double eps = std::stod(GetParam());
    const std::uint64_t repetitions = 20;

    const auto two = numbers.at("oracle").at("two");
    const auto two_hash = failures(sized(rows::two_hash, two[0], two[1]), eps, repetitions);
    EXPECT_LE(two_hash.mean(), numbers.at("oracle").at("bound").get<double>());
    EXPECT_LE(two_hash.mean(), model::count_min_two_hash_failure_bound(eps, {two[0], two[1], 1}));

    const auto plain = numbers.at("oracle").at("classic");
    const auto classic = failures(sized(rows::classic, plain[0], plain[1]), eps, repetitions);
    EXPECT_LE(classic.mean(), model::count_min_classic_failure_bound(eps, {plain[0], plain[1], 1}));

    // The simulated rates come from 20 repetitions of another program: both scatter as ours does, and a sample without
    // a failure says no more than one failure in all of it.
    const double least = 1.0 / static_cast<double>(items * repetitions);
    const double two_sigma = std::sqrt(2.0) * std::max(two_hash.standard_error(), least);
    const double classic_sigma = std::sqrt(2.0) * std::max(classic.standard_error(), least);
    const auto& simulated = numbers.at("simulated");
    EXPECT_NEAR(two_hash.mean(), simulated.at("two").get<double>(), 5 * two_sigma);
    EXPECT_NEAR(classic.mean(), simulated.at("classic").get<double>(), 5 * classic_sigma);
    std::cout << "eps " << eps << ": two_hash " << two_hash.mean() << " +- " << two_hash.standard_error()
              << ", classic " << classic.mean() << " +- " << classic.standard_error() << '\n';
}

INSTANTIATE_TEST_SUITE_P(Eps, CountMin, ::testing::Values("0.1", "0.05", "0.01"),
                         [](const auto& tested) { return "Eps" + tested.param.substr(2); });

TEST(CountMinCopies, FailLessOftenThanDelta) {
    for (const double delta : {0.01, 1e-4}) {
        const auto spec = value_of(plan::size_count_min(0.05, delta, {}));
        const hasher hash = numbered_hasher(3);
        const any_filter sketch = counted(spec, hash);
        std::uint64_t failed = 0;
        for (std::uint64_t item = 0; item < items; ++item)
            failed += value_of(sketch.estimate(hash(item))) - zipf_counts()[item] > updates / 20 ? 1 : 0;
        EXPECT_LE(static_cast<double>(failed) / static_cast<double>(items), delta);
    }
}

TEST(ConservativeUpdate, IsNeverWorseThanThePlainOneNorBelowTheTruth) {
    for (const std::uint64_t kind_of_rows : {rows::classic, rows::two_hash}) {
        const hasher hash = numbered_hasher(4);
        any_filter plain = make(sized(kind_of_rows, 1009, 5), hash),
                   careful = make(sized(kind_of_rows, 1009, 5, true), hash);
        // In the order of a stream: a conservative sketch depends on it.
        std::vector<std::uint64_t> left = zipf_counts();
        for (bool is_any_left = true; is_any_left;) {
            is_any_left = false;
            for (std::uint64_t item = 0; item < items; ++item) {
                if (left[item] == 0) continue;
                const std::uint64_t some = std::max<std::uint64_t>(1, left[item] / 4);
                expect_done(plain.add(hash(item), some));
                expect_done(careful.add(hash(item), some));
                left[item] -= some;
                is_any_left = is_any_left || left[item] != 0;
            }
        }
        double plain_error = 0, careful_error = 0;
        for (std::uint64_t item = 0; item < items; ++item) {
            const std::uint64_t truth = zipf_counts()[item];
            const std::uint64_t a = value_of(plain.estimate(hash(item))),
                                b = value_of(careful.estimate(hash(item)));
            ASSERT_LE(b, a) << "item " << item;
            ASSERT_GE(b, truth) << "item " << item;
            plain_error += static_cast<double>(a - truth);
            careful_error += static_cast<double>(b - truth);
        }
        EXPECT_LT(careful_error, plain_error);
    }
}

TEST(HeavyHitters, FindTheTrueTopTwentyAlsoAcrossAMerge) {
    filter_spec spec =
        sized(rows::two_hash, 27191, 10);  // eps 2e-4: below the distance of the 20th from the 40th item
    spec[count_min_field::top_slots] = 40;
    spec[count_min_field::top_key_bytes] = 8;
    const hasher hash = numbered_hasher(5, hash_id::siphash13);
    any_filter halves[2]{make(spec, hash), make(spec, hash)};
    for (std::uint64_t half = 0; half < 2; ++half) {
        heavy_hitters tracker(40, 8);
        for (std::uint64_t item = 0; item < items; ++item) {
            const std::uint64_t count = zipf_counts()[item] / 2 + (half == 0 ? zipf_counts()[item] % 2 : 0);
            if (count == 0) continue;
            const std::string name = "item " + std::to_string(item);
            expect_done(halves[half].add(name, count));
            tracker.offer(hash(name), value_of(halves[half].estimate(name)), name);
        }
        halves[half].set_top(tracker.sorted());
    }
    expect_done(halves[0].merge(halves[1]));
    const auto top = value_of(any_filter::open_copy(file_of(halves[0]))).top();
    ASSERT_EQ(top.size(), 40u);
    std::vector<std::uint64_t> by_count(items);
    std::iota(by_count.begin(), by_count.end(), 0);
    std::sort(by_count.begin(), by_count.end(),
              [](auto a, auto b) { return zipf_counts()[a] > zipf_counts()[b]; });
    for (std::size_t i = 0; i < 20; ++i) {
        const std::string name = "item " + std::to_string(by_count[i]);
        const auto found = std::find_if(top.begin(), top.end(),
                                        [&](const counted_key& entry) { return entry.hash == hash(name); });
        ASSERT_TRUE(found != top.end()) << name;
        EXPECT_EQ(found->key, name.substr(0, 8));
        EXPECT_EQ(found->key_bytes, name.size());
        EXPECT_GE(found->estimate, zipf_counts()[by_count[i]]);
    }
    for (std::size_t i = 1; i < top.size(); ++i) EXPECT_GE(top[i - 1].estimate, top[i].estimate);
}

}  // namespace
}  // namespace membrane::test
