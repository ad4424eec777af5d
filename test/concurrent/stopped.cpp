// A thread is stopped by a signal at random moments while it writes, and stays so until the readers have answered.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/concurrent/concurrent_rank.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>

#include "support/keys.hpp"

namespace membrane::test {
namespace {

sem_t stopped, resumed;
void stop_here(int) {
    sem_post(&stopped);
    while (sem_wait(&resumed) != 0) {
    }
}

TEST(Stopped, ReadersOfOtherLinesGoOn) {
    sem_init(&stopped, 0, 0);
    sem_init(&resumed, 0, 0);
    struct sigaction action {};
    action.sa_handler = &stop_here;
    struct sigaction before {};
    sigaction(SIGUSR1, &action, &before);

    const hasher hash = numbered_hasher(9);
    constexpr std::uint64_t members = 40'000, groups = 12;
    const filter_spec spec =
        *balanced_rank_numbers_spec_for(rank_form::erasable, 2 * members, 1e-4, 100 * members);
    const auto filter = *concurrent_rank<rank_form::erasable>::create(spec);
    for (std::uint64_t key = 0; key < members; ++key)
        ASSERT_EQ(filter->insert(hash(key)), insertion::inserted);
    // A few members in each of some groups of lines.
    const number_digits digits(spec);
    std::vector<std::vector<key_hash>> asked(groups);
    for (std::uint64_t key = 0; key < members; ++key) {
        const std::uint64_t group = digits.of(hash(key)).line / running_freely::lines_in_group;
        if (group < groups) asked[group].push_back(hash(key));
    }

    std::atomic<bool> is_over{false};
    std::thread writer([&] {
        random_numbers random(1);
        while (!is_over) {
            // Into the lines that are asked for.
            const std::uint64_t key = members + random.below(100'000);
            if (digits.of(hash(key)).line / running_freely::lines_in_group >= groups) continue;
            static_cast<void>(filter->insert(hash(key)));
            static_cast<void>(filter->erase(hash(key)));
        }
    });
    std::uint64_t held_up = 0, lost = 0;
    constexpr unsigned stops = 60;
    for (unsigned i = 0; i < stops; ++i) {
        pthread_kill(writer.native_handle(), SIGUSR1);
        sem_wait(&stopped);
        // One reader for each group: at most the one whose lines the writer is changing waits.
        std::atomic<std::uint64_t> answered{0};
        std::atomic<std::uint64_t> missing{0};
        std::vector<std::thread> readers;
        for (const auto& keys : asked)
            readers.emplace_back([&] {
                for (const key_hash& key : keys) missing += filter->may_contain(key) ? 0 : 1;
                ++answered;
            });
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (answered < groups - 1 && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::uint64_t while_stopped = answered;
        sem_post(&resumed);
        for (auto& each : readers) each.join();
        ASSERT_GE(while_stopped, groups - 1);
        held_up += while_stopped < groups ? 1 : 0;
        lost += missing;
    }
    is_over = true;
    writer.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(lost, 0u);
    EXPECT_LE(held_up, stops);
}

}  // namespace
}  // namespace membrane::test
