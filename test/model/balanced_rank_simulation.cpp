// The abstract process of the balanced rank-indexed filter, played with plain lists instead of lines, against the model.
#include <membrane/model/balanced_rank.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/model/interval.hpp>

namespace membrane::model {
namespace {

// A table of lines: entries as (chain, fingerprint) in one number, so that their order is that of numbers.
class table {
public:
    table(std::uint64_t lines, const rank_line& line) : line_(line), entries_(lines) {}

    void add(std::uint64_t line, std::uint64_t chain, std::uint64_t fingerprint) {
        entries_[line].push_back(chain << 32 | fingerprint);
    }

    void sort() {
        for (auto& line : entries_) std::sort(line.begin(), line.end());
    }

    template <class Use>
    void for_each_forwarded(Use use) const {
        for (std::uint64_t line = 0; line < entries_.size(); ++line)
            for (std::size_t i = line_.cells; i < entries_[line].size(); ++i)
                use(line, entries_[line][i] >> 32, entries_[line][i] & 0xffffffff);
    }

    bool goes_on(std::uint64_t line, std::uint64_t chain) const {
        const auto& entries = entries_[line];
        return entries.size() > line_.cells && chain >= entries[line_.cells - 1] >> 32;
    }

    double fraction_that_goes_on() const {
        double count = 0;
        for (std::uint64_t line = 0; line < entries_.size(); ++line)
            for (std::uint64_t chain = 0; chain < line_.chains; ++chain) count += goes_on(line, chain);
        return count / static_cast<double>(entries_.size() * line_.chains);
    }

    double distinct_rate() const {
        std::size_t distinct = 0;
        for (const auto& line : entries_)
            for (std::size_t i = 0; i < line.size(); ++i) distinct += i == 0 || line[i] != line[i - 1];
        return static_cast<double>(distinct) / static_cast<double>(entries_.size()) /
               std::ldexp(static_cast<double>(line_.chains), static_cast<int>(line_.fingerprint_bits));
    }

    const std::vector<std::vector<std::uint64_t>>& entries() const { return entries_; }
    std::uint64_t lines() const { return entries_.size(); }

private:
    rank_line line_;
    std::vector<std::vector<std::uint64_t>> entries_;
};

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
    return value ^ value >> 32;
}

struct measured {
    running_summary fpr, continues, list_reads, forwarded, listed, load, load_square;
};

// One filter. In the erasable form a line of T2 serves a run of (line, chain) pairs, which are turned by chain so that
// those of one line of T1 part.
void play(const balanced_rank_shape& shape, std::uint64_t first_lines, std::mt19937_64& random,
          measured& seen) {
    const auto n = static_cast<std::uint64_t>(shape.keys_per_line * static_cast<double>(first_lines));
    table first(first_lines, shape.first);
    for (std::uint64_t key = 0; key < n; ++key) {
        const std::uint64_t hash = random();
        first.add((hash >> 40) * first_lines >> 24, (hash >> 20 & 0xfffff) * shape.first.chains >> 20,
                  random() >> (64 - shape.first.fingerprint_bits));
    }
    first.sort();
    const std::uint64_t chains = shape.first.chains;
    const auto served =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(chains) / shape.second_share));
    const std::uint64_t second_lines = (first_lines * chains + served - 1) / served;
    table second(second_lines, shape.second);
    const bool is_erasable = shape.form == rank_model_form::erasable;
    const std::uint64_t stride = first_lines * 5 / 8 | 1;
    const auto place_of = [&](std::uint64_t line, std::uint64_t chain) {
        return (line + chain * stride) % first_lines * chains + chain;
    };
    const auto second_chain = [&](std::uint64_t place) { return place % served % shape.second.chains; };
    const std::uint64_t salt = random();
    double forwarded = 0;
    first.for_each_forwarded([&](std::uint64_t line, std::uint64_t chain, std::uint64_t fingerprint) {
        ++forwarded;
        if (is_erasable) {
            const std::uint64_t place = place_of(line, chain);
            const std::uint64_t widening = place % served / shape.second.chains;
            second.add(place / served, second_chain(place),
                       widening << shape.first.fingerprint_bits | fingerprint);
        } else {
            const std::uint64_t id = mixed(((line * chains + chain) << 32 | fingerprint) + salt);
            second.add((id >> 40) * second_lines >> 24, (id >> 20 & 0xfffff) * shape.second.chains >> 20,
                       mixed(id) >> (64 - shape.second.fingerprint_bits));
        }
    });
    second.sort();
    double listed = 0;
    second.for_each_forwarded([&](auto, auto, auto) { ++listed; });
    const double continues = first.fraction_that_goes_on();
    double list_reads = continues * second.fraction_that_goes_on();
    double fpr = first.distinct_rate();
    if (is_erasable) {
        list_reads = 0;
        for (std::uint64_t line = 0; line < first_lines; ++line) {
            for (std::uint64_t chain = 0; chain < chains; ++chain) {
                const std::uint64_t place = place_of(line, chain);
                list_reads +=
                    first.goes_on(line, chain) && second.goes_on(place / served, second_chain(place));
            }
        }
        list_reads /= static_cast<double>(first_lines * chains);
    } else {
        fpr += (1 - fpr) * continues * second.distinct_rate();
    }
    seen.fpr.add(fpr);
    seen.continues.add(continues);
    seen.list_reads.add(list_reads);
    seen.forwarded.add(forwarded / static_cast<double>(n));
    seen.listed.add(listed / static_cast<double>(n));
    running_summary loads;
    const double mean_load = forwarded / static_cast<double>(second_lines);
    for (const auto& line : second.entries()) {
        const auto load = static_cast<double>(line.size());
        loads.add((load - mean_load) * (load - mean_load));
    }
    seen.load.add(mean_load);
    // Around the filter's own mean, and as many lines as there are: the variance of a load given the total.
    seen.load_square.add(loads.mean() * static_cast<double>(second_lines) /
                         static_cast<double>(second_lines - 1));
}

void expect_near(const char* what, const running_summary& seen, double expected) {
    EXPECT_NEAR(seen.mean(), expected, 5 * seen.standard_error()) << what;
}

class BalancedRankSimulation : public testing::TestWithParam<balanced_rank_shape> {};

TEST_P(BalancedRankSimulation, HasTheMomentsOfTheModel) {
    const balanced_rank_shape& shape = GetParam();
    const std::uint64_t first_lines = 2000;
    const int filters = 30;
    std::mt19937_64 random(20261115);
    measured seen;
    for (int filter = 0; filter < filters; ++filter) play(shape, first_lines, random, seen);
    const auto numbers = balanced_rank_at(shape);
    ASSERT_TRUE(numbers.has_value());
    expect_near("forwarded", seen.forwarded, numbers->forwarded);
    expect_near("continues", seen.continues, numbers->negative_reads - 1);
    expect_near("listed", seen.listed, numbers->listed);
    expect_near("list reads", seen.list_reads, numbers->list_reads);
    expect_near("load of T2", seen.load, numbers->second_load);
    expect_near("variance of T2", seen.load_square, numbers->second_variance);
    const auto n = static_cast<std::uint64_t>(shape.keys_per_line * static_cast<double>(first_lines));
    const double scatter = balanced_rank_for(shape, n)->fpr_stddev_between;
    EXPECT_TRUE(around(numbers->fpr, scatter / std::sqrt(filters), 5).contains(seen.fpr.mean()))
        << seen.fpr.mean() << ' ' << numbers->fpr << " +- " << scatter;
    // The scatter itself: a variance of `filters` nearly normal values has a relative deviation of sqrt(2 / filters).
    EXPECT_NEAR(seen.fpr.variance() / (scatter * scatter), 1, 5 * std::sqrt(2.0 / filters));
}

balanced_rank_shape made(rank_model_form form, rank_line first, rank_line second, double share, double keys) {
    balanced_rank_shape shape;
    shape.form = form;
    shape.first = first;
    shape.second = second;
    shape.second_share = share;
    shape.keys_per_line = keys;
    return shape;
}

INSTANTIATE_TEST_SUITE_P(Shapes, BalancedRankSimulation,
                         testing::Values(made(rank_model_form::fixed, {8, 52, 51}, {8, 52, 51}, 0.07, 51),
                                         made(rank_model_form::fixed, {7, 55, 57}, {7, 55, 57}, 0.16, 64),
                                         made(rank_model_form::fixed, {13, 49, 33}, {13, 49, 33}, 0.15, 36),
                                         made(rank_model_form::erasable, {8, 52, 51}, {12, 43, 36}, 0.1, 51),
                                         made(rank_model_form::erasable, {8, 52, 51}, {11, 55, 38}, 0.12, 53),
                                         made(rank_model_form::erasable, {13, 49, 33}, {16, 35, 28}, 0.175,
                                              36)));

}  // namespace
}  // namespace membrane::model
