// The rate with integer keys and the default hash of C++ programs, whatever their pattern: within five sigma of the kind's model.
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/rates.hpp"
#include "support/integer_patterns.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

// Every second integer of the pattern is a key, the others are strangers.
void expect_rate(const kind_entry& kind, const integer_pattern& pattern, bool is_fixed) {
    constexpr double fpr = 0.01;
    constexpr std::uint64_t filters = 60;
    const std::uint64_t keys = std::min<std::uint64_t>(10'000, pattern.count / 2);
    const filter_spec spec = value_of(kind.plan.size({.keys = keys, .fpr = fpr, .is_fixed = is_fixed}, {}));
    any_filter filter = make(spec);
    model::running_summary rates;
    for (std::uint64_t i = 0; i < filters; ++i) {
        const hasher hash = numbered_hasher(i, hash_id::fold);
        filter.clear();
        std::vector<key_hash> members, strangers;
        for (std::uint64_t j = 0; j < keys; ++j) {
            members.push_back(hash(pattern.at(2 * j)));
            strangers.push_back(hash(pattern.at(2 * j + 1)));
        }
        ASSERT_EQ(filter.insert_many(members), keys);
        std::vector<std::uint64_t> answers(bitmap_words(keys));
        rates.add(static_cast<double>(filter.may_contain_many(strangers, answers)) /
                  static_cast<double>(keys));
        ASSERT_EQ(filter.may_contain_many(members, answers), keys);
    }
    const double predicted = kind.plan.predicted_fpr(spec, keys);
    const auto accepted =
        model::five_sigma(predicted, keys, filters, kind.plan.fpr_stddev_between(spec, keys));
    EXPECT_TRUE(accepted.contains(rates.mean()))
        << kind.rules.name << ", " << pattern.name << ": measured " << rates.mean() << ", predicted "
        << predicted << ", accepted " << accepted.low << " to " << accepted.high;
}

TEST(IntegerKeys, OfAnyPatternHaveThePredictedRate) {
    for (const std::string_view name : {"blocked_bloom", "balanced_rank", "bloom", "rank", "counting_bloom"})
        for (const integer_pattern& pattern : integer_patterns)
            for (const bool is_fixed : {false, true}) expect_rate(*find_entry(name), pattern, is_fixed);
}

}  // namespace
}  // namespace membrane::test
