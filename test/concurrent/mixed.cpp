// Many random operations of many threads beside an exact account of them: nothing is lost, nothing is new twice, and at the end the bytes
// are those of a filter that one thread made of the same keys.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/concurrent_blocks.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>

#include "concurrent/small.hpp"

namespace membrane::test {
namespace {

template <class Work>
void in_threads(unsigned threads, const Work& work) {
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i) running.emplace_back([&, i] { work(i); });
    for (std::thread& each : running) each.join();
}
const hasher mixed_hash = numbered_hasher(5);

struct mistakes {
    std::atomic<std::uint64_t> lost{0}, twice_new{0}, not_erased{0};
    void expect_none() const {
        EXPECT_EQ(lost, 0u);
        EXPECT_EQ(twice_new, 0u);
        EXPECT_EQ(not_erased, 0u);
    }
};

// Keys that are only added, half of them by insert_if_absent, and looked up singly and in batches.
template <class Filter>
std::vector<std::uint8_t> play_additions(Filter& filter, std::uint64_t keys, unsigned threads,
                                         std::uint64_t operations, mistakes& wrong) {
    std::vector<std::atomic<std::uint8_t>> news(keys), is_in(keys);
    in_threads(threads, [&](unsigned own) {
        random_numbers random(100 * threads + own);
        key_hash batch[64];
        for (std::uint64_t i = own; i < operations; i += threads) {
            const std::uint64_t key = random.below(keys), what = random.below(64);
            const bool was_in = is_in[key].load(std::memory_order_acquire) != 0;
            if (what < 30) {
                if (filter.insert_if_absent(mixed_hash(key)) == insertion::inserted) {
                    wrong.twice_new += news[key].fetch_add(1) != 0 ? 1 : 0;
                    wrong.lost += was_in ? 1 : 0;
                }
                is_in[key].store(1, std::memory_order_release);
            } else if (what < 63) {
                wrong.lost += was_in && !filter.may_contain(mixed_hash(key)) ? 1 : 0;
            } else {
                std::uint64_t answers = 0, expected = 0;
                for (std::uint64_t j = 0; j < 64; ++j) {
                    const std::uint64_t other = (key + j) % keys;
                    expected |= std::uint64_t{is_in[other].load(std::memory_order_acquire)} << j;
                    batch[j] = mixed_hash(other);
                }
                static_cast<void>(filter.may_contain_many(batch, std::span(&answers, 1)));
                wrong.lost += (expected & ~answers) != 0 ? 1 : 0;
            }
        }
    });
    std::vector<std::uint8_t> inserted(keys);
    for (std::uint64_t key = 0; key < keys; ++key) inserted[key] = is_in[key].load();
    for (std::uint64_t key = 0; key < keys; ++key) wrong.twice_new += news[key].load() > 1 ? 1 : 0;
    return inserted;
}

void play_growable(std::uint64_t keys, unsigned threads, std::uint64_t operations) {
    SCOPED_TRACE(threads);
    const filter_spec spec = *balanced_rank_numbers_spec_for(balanced_rank_form::growable, 1000, 1e-4,
                                                             std::max<std::uint64_t>(1000, 4 * keys));
    const auto filter = *concurrent_rank<balanced_rank_form::growable>::create(spec);
    mistakes wrong;
    const auto inserted = play_additions(*filter, keys, threads, operations, wrong);
    wrong.expect_none();
    std::vector<key_hash> hashes;
    for (std::uint64_t key = 0; key < keys; ++key)
        if (inserted[key] != 0) hashes.push_back(mixed_hash(key));
    EXPECT_TRUE(holds_exactly<balanced_rank_form::growable>(*filter, hashes));
    EXPECT_GT(filter->spec().planned_keys, keys / 4);  // it has grown, several times
}

// Keys that come and go. Each thread takes a key out only after it has claimed one that is in.
void play_erasable(std::uint64_t keys, unsigned threads, std::uint64_t operations) {
    SCOPED_TRACE(threads);
    // So large a universe that all numbers are different.
    const filter_spec spec = *balanced_rank_numbers_spec_for(balanced_rank_form::erasable, 1000, 1e-7,
                                                             std::max<std::uint64_t>(1000, 4 * keys));
    const auto filter = *concurrent_rank<balanced_rank_form::erasable>::create(spec);
    mistakes wrong;
    std::vector<std::atomic<std::int32_t>> exact(keys);
    // A third of the keys are there at most once, a third as often as they come, a third stay.
    in_threads(threads, [&](unsigned own) {
        random_numbers random(200 * threads + own);
        for (std::uint64_t i = own; i < operations; i += threads) {
            const std::uint64_t key = random.below(keys), sort = key % 3, what = random.below(4);
            const key_hash hash = mixed_hash(key);
            std::int32_t now = exact[key].load();
            if (what == 0 && sort == 0) {
                if (filter->insert_if_absent(hash) == insertion::inserted)
                    wrong.twice_new += exact[key].fetch_add(1) != 0 ? 1 : 0;
            } else if (what == 0 && (sort == 1 || now == 0)) {
                static_cast<void>(filter->insert(hash));
                exact[key].fetch_add(1);
            } else if (what == 1 && sort != 2) {
                while (now > 0 && !exact[key].compare_exchange_weak(now, now - 1)) {
                }
                if (now > 0) wrong.not_erased += filter->erase(hash) ? 0 : 1;
            } else {
                const bool is_in = filter->may_contain(hash);
                if (sort == 2 && now > 0) wrong.lost += is_in && filter->estimate(hash) >= 1 ? 0 : 1;
            }
        }
    });
    wrong.expect_none();
    std::vector<key_hash> hashes;
    std::uint64_t wrong_counts = 0;
    for (std::uint64_t key = 0; key < keys; ++key) {
        const auto times = static_cast<std::uint64_t>(exact[key].load());
        wrong_counts += filter->estimate(mixed_hash(key)) == times ? 0 : 1;
        hashes.insert(hashes.end(), times, mixed_hash(key));
    }
    EXPECT_EQ(wrong_counts, 0u);
    EXPECT_TRUE(holds_exactly<balanced_rank_form::erasable>(*filter, hashes));
}

template <block_insertions Insertions>
void play_blocks(std::uint64_t keys, unsigned threads, std::uint64_t operations) {
    SCOPED_TRACE(threads);
    using view = blocked_bloom_view<512, 64>;
    const filter_spec spec = *blocked_bloom_spec_for(keys, 0.001);
    const auto filter = *concurrent_blocks<view, Insertions>::create(spec);
    mistakes wrong;
    const auto inserted = play_additions(*filter, keys, threads, operations, wrong);
    EXPECT_EQ(wrong.lost, 0u);
    if (Insertions == block_insertions::exact) {
        EXPECT_EQ(wrong.twice_new, 0u);
    }
    std::vector<std::byte> expected(*view::payload_bytes(spec));
    view plain(spec, expected.data());
    for (std::uint64_t key = 0; key < keys; ++key)
        if (inserted[key] != 0) plain.insert(mixed_hash(key));
    const auto copy = filter->copy();
    ASSERT_TRUE(copy);
    EXPECT_EQ(std::memcmp(copy->payload.data(), expected.data(), expected.size()), 0);
}

void play_all(std::uint64_t keys, unsigned threads, std::uint64_t operations) {
    play_growable(keys, threads, operations);
    play_erasable(keys, threads, operations);
    play_blocks<block_insertions::exact>(keys, threads, operations);
    play_blocks<block_insertions::lock_free>(keys, threads, operations);
}

TEST(Mixed, TwoThreads) { play_all(30'000, 2, 400'000); }
TEST(Mixed, FourThreads) { play_all(20'000, 4, 200'000); }
// Few keys, so that threads meet.
TEST(Mixed, FewKeys) { play_all(40, 3, 200'000); }

TEST(LongMixed, TwoThreads) { play_all(4'000'000, 2, 100'000'000); }
TEST(LongMixed, FourThreads) { play_all(4'000'000, 4, 100'000'000); }
TEST(LongMixed, EightThreads) { play_all(4'000'000, 8, 100'000'000); }
TEST(LongMixed, FewKeys) { play_all(500, 4, 100'000'000); }

// Keys that are there several times, in a filter that grows from a few: each growth moves them as often as they are there.
TEST(Mixed, EqualKeysMoveAsOftenAsTheyAreThere) {
    const filter_spec spec = small_spec(balanced_rank_form::erasable);
    const auto filter = *concurrent_rank<balanced_rank_form::erasable>::create(spec);
    std::vector<key_hash> hashes;
    for (std::uint64_t key = 0; key < 3000; ++key)
        for (std::uint64_t times = 0; times <= key % 5; ++times) {
            hashes.push_back(small_hash(key));
            ASSERT_EQ(filter->insert(small_hash(key)), insertion::inserted);
        }
    for (std::uint64_t key = 0; key < 3000; ++key)
        ASSERT_EQ(filter->estimate(small_hash(key)), key % 5 + 1) << key;
    EXPECT_TRUE(holds_exactly<balanced_rank_form::erasable>(*filter, hashes));
}

// A growth moves a number that is there several times, of all in its line the lowest, into a full line: each time another entry is
// forwarded, to another line of the second table.
TEST(Mixed, ANumberIsMovedSeveralTimesIntoAFullLine) {
    using generation = rank_generation<true, running_freely>;
    const filter_spec spec = small_spec(balanced_rank_form::erasable, 3000);
    const number_digits digits(spec);
    const std::uint64_t cells = spec[balanced_rank_field::cells];
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        std::vector<key_hash> of_line;
        for (std::uint64_t key = 0; of_line.size() < cells + 3; ++key)
            if (digits.of(small_hash(seed * 100'000 + key)).line == 0)
                of_line.push_back(small_hash(seed * 100'000 + key));
        std::sort(of_line.begin(), of_line.end(),
                  [](const key_hash& a, const key_hash& b) { return a.low > b.low; });
        const auto filter = *generation::create(spec);
        std::vector<key_hash> hashes;
        const auto insert = [&](const key_hash& hash, std::uint64_t times) {
            auto change = filter->change();
            const rank_address at = filter->address_of(hash);
            ASSERT_TRUE(change.lock_first_group(filter->group_of(at)));
            ASSERT_TRUE(change.insert_times(at, times));
            change.commit();
            hashes.insert(hashes.end(), times, hash);
        };
        for (std::uint64_t i = 0; i <= cells; ++i) insert(of_line[i], 1);
        insert(of_line.back(), 4);
        const auto expected = bytes_of_one_thread<balanced_rank_form::erasable>(spec, hashes);
        ASSERT_EQ(expected.size(), filter->payload().size());
        ASSERT_EQ(std::memcmp(expected.data(), filter->payload().data(), expected.size()), 0)
            << "seed " << seed;
    }
}

// The number of keys of a copy is that of the moment at which the lines were copied, also in the middle of batches.
template <std::uint64_t Form>
void count_in_copies() {
    using filter_type = concurrent_rank<Form>;
    constexpr std::uint64_t keys = 60'000;
    // So large a universe that all numbers are different.
    const auto filter = *filter_type::create(*balanced_rank_numbers_spec_for(Form, 1000, 1e-7, 4 * keys));
    std::atomic<unsigned> writing{2}, copies{0};
    std::vector<key_hash> batch;
    for (std::uint64_t key = 0; key < keys; ++key) batch.push_back(mixed_hash(key));
    std::uint64_t wrong = 0, in_between = 0, before = 0;
    std::thread in_batches([&] {
        EXPECT_EQ(filter->insert_many(std::span(batch).first(keys / 2)), keys / 2);
        while (copies < 3) std::this_thread::yield();
        EXPECT_EQ(filter->insert_many(std::span(batch).subspan(keys / 2)), keys / 2);
        if constexpr (filter_type::can_erase) {
            EXPECT_EQ(filter->erase_many(batch), keys);
        }
        --writing;
    });
    std::thread one_by_one([&] {
        random_numbers random(17);
        for (std::uint64_t i = 0; i < keys; ++i) {
            const key_hash hash = mixed_hash(keys + random.below(1000));
            if constexpr (filter_type::can_erase)
                if (random.below(2) == 0) {
                    static_cast<void>(filter->erase(hash));
                    continue;
                }
            static_cast<void>(filter->insert_if_absent(hash));
        }
        --writing;
    });
    for (bool is_last = false; !is_last; ++copies) {
        is_last = writing == 0;
        const auto copy = filter->copy();
        EXPECT_TRUE(copy);
        if (!copy) break;
        const typename filter_type::view_type view(copy->spec, const_cast<std::byte*>(copy->payload.data()));
        wrong += view.entries() == copy->keys ? 0 : 1;
        in_between += copy->keys != before && !is_last ? 1 : 0;
        before = copy->keys;
    }
    in_batches.join();
    one_by_one.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_GE(in_between, 1u);
}
TEST(Mixed, CopiesCountTheirKeysExactly) {
    count_in_copies<balanced_rank_form::growable>();
    count_in_copies<balanced_rank_form::erasable>();
}

// What the versions take of memory.
TEST(Mixed, VersionsTakeATenthOfABitPerKey) {
    for (const double fpr : {0.01, 0.004, 0.001, 1e-5}) {
        constexpr std::uint64_t keys = 1'000'000;
        const filter_spec spec =
            *balanced_rank_numbers_spec_for(balanced_rank_form::growable, keys, fpr, 2 * keys);
        const auto filter = *concurrent_rank<balanced_rank_form::growable>::create(spec);
        const std::uint64_t payload = *growable_rank_view::payload_bytes(spec);
        EXPECT_LT(static_cast<double>(filter->held_bytes() - payload) * 8 / keys, 0.1) << fpr;
    }
}

// A growth that cannot end: the next layout has hardly more room than the one that is full, and no memory is granted for a third. Groups that
// do not fit stay where they are, whole, and what a call changed halfway is taken back.
template <std::uint64_t Form>
std::uint64_t growths_that_cannot_end() {
    using filter_type = concurrent_rank<Form>;
    std::uint64_t stuck = 0;
    for (std::uint64_t planned = 3000; planned < 3400; planned += 25) {
        const filter_spec spec = small_spec(Form, planned);
        const std::uint64_t keys = keys_before_growth<filter_type>(spec);
        const filter_spec next = number_layout(Form, spec[balanced_rank_field::universe], planned + 1);
        const auto filter =
            *filter_type::create(spec, {.max_bytes = *filter_type::view_type::payload_bytes(next)});
        std::vector<key_hash> hashes;
        for (std::uint64_t key = 0; key < keys; ++key) {
            hashes.push_back(small_hash(key));
            EXPECT_EQ(filter->insert(hashes.back()), insertion::inserted);
        }
        if (filter->reserve(planned + 1)) continue;
        ++stuck;
        // Calls go on; those for which there is no room are refused and change nothing.
        std::uint64_t refused = 0;
        for (std::uint64_t key = 100'000; key < 100'400; ++key) {
            if (filter->insert(small_hash(key)) == insertion::refused) ++refused;
            else hashes.push_back(small_hash(key));
        }
        EXPECT_GT(refused, 0u);
        std::uint64_t lost = 0;
        for (const key_hash& hash : hashes) lost += filter->may_contain(hash) ? 0 : 1;
        EXPECT_EQ(lost, 0u);
        // The state can be saved, in a layout that holds it all.
        const auto copy = filter->copy();
        EXPECT_TRUE(copy);
        if (!copy) continue;
        EXPECT_EQ(copy->keys, hashes.size());
        EXPECT_TRUE(holds_exactly<Form>(*filter, hashes));
        EXPECT_TRUE(filter->is_growing());
        const auto size = filter->estimated_size();
        EXPECT_TRUE(size && std::abs(*size - static_cast<double>(hashes.size())) < 2);
        if constexpr (filter_type::can_erase) {
            // With room again, the growth ends.
            for (std::size_t i = 0; i < hashes.size() / 2; ++i) EXPECT_TRUE(filter->erase(hashes[i]));
            hashes.erase(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(hashes.size() / 2));
            EXPECT_TRUE(filter->reserve(1));
            EXPECT_FALSE(filter->is_growing());
            EXPECT_TRUE(holds_exactly<Form>(*filter, hashes));
        }
    }
    return stuck;
}
TEST(Mixed, AGrowthThatCannotEnd) {
    EXPECT_GT(growths_that_cannot_end<balanced_rank_form::growable>(), 0u);
    EXPECT_GT(growths_that_cannot_end<balanced_rank_form::erasable>(), 0u);
}

// Functions that the compiler takes for pure must not be made for lines that are locked or copied.
template <class View>
struct asks_list : View {
    static constexpr bool can = requires(const asks_list& view) { view.list_contains(0); };
};
static_assert(asks_list<number_rank_view<false>>::can);
static_assert(!asks_list<rank_change<false, running_freely>>::can);
static_assert(!asks_list<rank_reading<false, running_freely>>::can);

// All threads insert the same keys at the same time: the lock-free sort tells at least one that a key is new, the exact ones one.
TEST(Mixed, WhoIsToldThatAKeyIsNew) {
    const auto told = [](auto& filter) {
        std::vector<std::atomic<unsigned>> news(20'000);
        in_threads(3, [&](unsigned) {
            for (std::uint64_t key = 0; key < news.size(); ++key)
                news[key] += filter.insert_if_absent(mixed_hash(key)) == insertion::inserted ? 1 : 0;
        });
        std::uint64_t none = 0, several = 0;
        for (const auto& each : news) {
            none += each == 0 ? 1 : 0;
            several += each > 1 ? 1 : 0;
        }
        return std::pair(none, several);
    };
    using view = blocked_bloom_view<512, 64>;
    const filter_spec blocks = *blocked_bloom_spec_for(20'000, 1e-6);
    const filter_spec numbers =
        *balanced_rank_numbers_spec_for(balanced_rank_form::growable, 10, 1e-9, 20'000 * 512);
    const auto rank = told(**concurrent_rank<balanced_rank_form::growable>::create(numbers));
    EXPECT_EQ(rank, std::pair(std::uint64_t{0}, std::uint64_t{0}));
    const auto exact = told(**concurrent_blocks<view, block_insertions::exact>::create(blocks));
    const auto lock_free = told(**concurrent_blocks<view, block_insertions::lock_free>::create(blocks));
    // A false positive is new to nobody.
    EXPECT_LE(exact.first, 5u);
    EXPECT_LE(lock_free.first, 5u);
    EXPECT_EQ(exact.second, 0u);
}

}  // namespace
}  // namespace membrane::test
