// insert_if_absent, erase and may_contain of few keys by three threads: every history of what they were told can be explained.
#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/concurrent_blocks.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>

#include "concurrent/history.hpp"
#include "concurrent/small.hpp"
#include "concurrent/stepping.hpp"

namespace membrane::test {
namespace {

constexpr std::size_t players = 3, played_keys = 2, calls_of_a_thread = 4;
using history = std::array<std::vector<called>, played_keys>;

// A call, with a number for its begin and its end from a clock that all threads share.
template <class Filter>
void call_once(Filter& filter, std::atomic<std::uint64_t>& clock, std::uint64_t key, call what,
               std::vector<called>& told) {
    const key_hash hash = small_hash(1'000'000 + key);
    const std::uint64_t begin = clock.fetch_add(1);
    bool answer = false;
    if (what == call::insert_if_absent) answer = filter.insert_if_absent(hash) == insertion::inserted;
    else if (what == call::may_contain) answer = filter.may_contain(hash);
    else if constexpr (Filter::can_erase) answer = filter.erase(hash);
    told.push_back({what, answer, begin, clock.fetch_add(1)});
}
history joined(const std::array<history, players>& told) {
    history all;
    for (const history& of_thread : told)
        for (std::size_t key = 0; key < played_keys; ++key)
            all[key].insert(all[key].end(), of_thread[key].begin(), of_thread[key].end());
    return all;
}

TEST(Histories, TheCheckerTellsGoodFromBad) {
    using enum call;
    const std::vector<called> good{
        {insert_if_absent, true, 0, 3}, {may_contain, false, 1, 2}, {erase, true, 4, 5}};
    EXPECT_TRUE(is_linearizable(good));
    const std::vector<called> two_new{{insert_if_absent, true, 0, 2}, {insert_if_absent, true, 1, 3}};
    EXPECT_FALSE(is_linearizable(two_new));
    const std::vector<called> lost{{insert_if_absent, true, 0, 1}, {may_contain, false, 2, 3}};
    EXPECT_FALSE(is_linearizable(lost));
    const std::vector<called> back_again{
        {insert_if_absent, true, 0, 9}, {may_contain, true, 1, 2}, {may_contain, false, 3, 4}};
    EXPECT_FALSE(is_linearizable(back_again));
    EXPECT_TRUE(is_linearizable(std::vector<called>{{may_contain, true, 0, 1}}, true));
}

// By threads that run as they like. A new filter every hundred histories, filled so far that the keys are forwarded, and about to grow.
void play_histories(std::uint64_t count) {
    using filter_type = concurrent_rank<balanced_rank_form::erasable>;
    const filter_spec spec = small_spec(balanced_rank_form::erasable);
    const std::uint64_t most = keys_before_growth<filter_type>(spec);
    std::unique_ptr<filter_type> filter;
    std::atomic<std::uint64_t> clock{0};
    std::array<history, players> told;
    std::uint64_t played = 0, unexplained = 0, grown = 0;
    std::barrier together(players);
    const auto work = [&](std::size_t own) {
        random_numbers random(own + 1);
        for (std::uint64_t round = 0; round < count; ++round) {
            if (own == 0) {
                if (round % 100 == 0) {
                    if (filter && filter->spec().planned_keys != spec.planned_keys) ++grown;
                    filter = std::move(*filter_type::create(spec));
                    for (std::uint64_t key = 0; key < most - 1; ++key)
                        static_cast<void>(filter->insert(small_hash(key)));
                }
                for (history& each : told)
                    for (auto& of_key : each) of_key.clear();
            }
            together.arrive_and_wait();
            for (std::size_t i = 0; i < calls_of_a_thread; ++i) {
                const std::uint64_t key = random.below(played_keys);
                const auto what = static_cast<call>(random.below(3));
                call_once(*filter, clock, key, what, told[own][key]);
            }
            // So that growths run beside the calls of other histories.
            if (own == 1 && round % 100 > 50)
                static_cast<void>(filter->insert(small_hash(2'000'000 + round)));
            together.arrive_and_wait();
            if (own == 0) {
                for (const auto& of_key : joined(told)) unexplained += is_linearizable(of_key) ? 0 : 1;
                for (std::uint64_t key = 0; key < played_keys; ++key)
                    while (filter->erase(small_hash(1'000'000 + key))) {
                    }
                ++played;
            }
        }
    };
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < players; ++i) running.emplace_back(work, i);
    for (std::thread& each : running) each.join();
    EXPECT_EQ(played, count);
    EXPECT_EQ(unexplained, 0u);
    EXPECT_GT(grown, count / 100 / 2);  // otherwise the test does not test what it says
}

// Filters that only add: new keys in each history, a new filter every fifty.
template <class Filter>
void play_additions(const filter_spec& spec, std::uint64_t count) {
    std::unique_ptr<Filter> filter;
    std::atomic<std::uint64_t> clock{0};
    std::array<history, players> told;
    std::uint64_t unexplained = 0, news = 0;
    bool is_there[played_keys] = {};
    std::barrier together(players);
    const auto key_of = [&](std::uint64_t round, std::uint64_t key) {
        return round % 50 * played_keys + key;
    };
    const auto work = [&](std::size_t own) {
        random_numbers random(own + 1);
        for (std::uint64_t round = 0; round < count; ++round) {
            if (own == 0) {
                if (round % 50 == 0) filter = std::move(*Filter::create(spec));
                told = {};
                // A false positive is there from the beginning.
                for (std::uint64_t key = 0; key < played_keys; ++key)
                    is_there[key] = filter->may_contain(small_hash(1'000'000 + key_of(round, key)));
            }
            together.arrive_and_wait();
            for (std::size_t i = 0; i < calls_of_a_thread; ++i) {
                const std::uint64_t key = random.below(played_keys);
                const auto what = random.below(2) == 0 ? call::insert_if_absent : call::may_contain;
                call_once(*filter, clock, key_of(round, key), what, told[own][key]);
            }
            together.arrive_and_wait();
            if (own == 0) {
                const history all = joined(told);
                for (std::size_t key = 0; key < played_keys; ++key) {
                    unexplained += is_linearizable(all[key], is_there[key]) ? 0 : 1;
                    for (const called& each : all[key])
                        news += each.what == call::insert_if_absent && each.answer ? 1 : 0;
                }
            }
        }
    };
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < players; ++i) running.emplace_back(work, i);
    for (std::thread& each : running) each.join();
    EXPECT_EQ(unexplained, 0u);
    EXPECT_GT(news, count);
}
void play_all_additions(std::uint64_t count) {
    // Grows once in fifty histories.
    play_additions<concurrent_rank<balanced_rank_form::growable>>(small_spec(balanced_rank_form::growable),
                                                                  count);
    using blocks = concurrent_blocks<blocked_bloom_view<512, 64>, block_insertions::exact>;
    play_additions<blocks>(*blocked_bloom_spec_for(100, 1e-6), count);
}
TEST(Histories, OfFiltersThatOnlyAdd) { play_all_additions(5'000); }
TEST(LongHistories, OfFiltersThatOnlyAdd) { play_all_additions(100'000); }

TEST(Histories, OfThreadsThatRunFreely) { play_histories(10'000); }
TEST(LongHistories, OfThreadsThatRunFreely) { play_histories(100'000); }

// By a schedule that changes over at random steps, also in the middle of a growth: orders that two cores hardly ever show.
void play_scheduled(std::uint64_t first_seed, std::uint64_t count) {
    using filter_type = concurrent_rank<balanced_rank_form::erasable, stepping>;
    const filter_spec spec = small_spec(balanced_rank_form::erasable);
    const std::uint64_t most = keys_before_growth<filter_type>(spec);
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        random_numbers random(seed);
        const auto filter = *filter_type::create(spec);
        for (std::uint64_t key = 0; key + random.below(2) < most; ++key)
            static_cast<void>(filter->insert(small_hash(key)));
        std::atomic<std::uint64_t> clock{0};
        std::array<history, players> told;
        std::vector<std::function<void()>> bodies;
        for (std::size_t own = 0; own < players; ++own)
            bodies.push_back([&, own, calls = random_numbers(random.next())]() mutable {
                for (std::size_t i = 0; i < calls_of_a_thread; ++i) {
                    const std::uint64_t key = calls.below(played_keys);
                    const auto what = static_cast<call>(calls.below(3));
                    call_once(*filter, clock, key, what, told[own][key]);
                    if (own == 1 && i == 1) static_cast<void>(filter->insert(small_hash(2'000'000)));
                }
            });
        std::vector<change_over> change_overs;
        std::uint64_t step = 0;
        const std::uint64_t mean = 1 + random.below(40);
        for (unsigned i = 0; i < 60; ++i)
            change_overs.push_back({step += 1 + random.below(2 * mean), random.below(players)});
        step_schedule(change_overs).run(bodies);
        for (const auto& of_key : joined(told)) ASSERT_TRUE(is_linearizable(of_key)) << "seed " << seed;
    }
}

TEST(Histories, OfSchedules) { play_scheduled(1, 2'000); }
TEST(LongHistories, OfSchedules) { play_scheduled(10'000, 100'000); }

}  // namespace
}  // namespace membrane::test
