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
        *balanced_rank_numbers_spec_for(balanced_rank_form::erasable, 2 * members, 1e-4, 100 * members);
    const auto filter = *concurrent_rank<balanced_rank_form::erasable>::create(spec);
    for (std::uint64_t key = 0; key < members; ++key)
        ASSERT_EQ(filter->insert(hash(key)), insertion::inserted);
    // A few members in each of some groups of lines.
    const number_digits digits(spec);
    std::vector<std::vector<key_hash>> asked(groups);
    for (std::uint64_t key = 0; key < members; ++key) {
        const std::uint64_t group = digits.of(hash(key)).line / running_freely::lines_in_group;
        if (group < groups) asked[group].push_back(hash(key));
    }

    // Written into the lines that are asked for.
    std::vector<key_hash> written;
    for (std::uint64_t key = members; written.size() < 1000; ++key)
        if (digits.of(hash(key)).line / running_freely::lines_in_group < groups) written.push_back(hash(key));
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> changes{0};
    std::thread writer([&] {
        for (std::size_t i = 0; !is_over; i = (i + 1) % written.size()) {
            static_cast<void>(filter->insert(written[i]));
            static_cast<void>(filter->erase(written[i]));
            ++changes;
        }
    });
    random_numbers random(1);
#if defined(__SANITIZE_THREAD__)
    constexpr unsigned least_in_a_store =
        0;  // it holds signals back until the thread calls something of the system
#else
    constexpr unsigned least_in_a_store = 3;
#endif
    unsigned in_a_store = 0;
    std::uint64_t lost = 0;
    constexpr unsigned stops = 60, most_stops = 20'000;
    for (unsigned i = 0; i < stops || (in_a_store < least_in_a_store && i < most_stops); ++i) {
        // At another moment each time, of a writer that runs.
        const std::uint64_t changes_before = changes;
        for (unsigned tries = 0; changes == changes_before; ++tries) running_freely::wait(tries);
        for (unsigned spin = static_cast<unsigned>(random.below(200)); spin != 0; --spin)
            running_freely::wait(0);
        pthread_kill(writer.native_handle(), SIGUSR1);
        sem_wait(&stopped);
        std::size_t changing = 0;
        for (const auto& keys : asked) changing += filter->is_changing(keys.front()) ? 1 : 0;
        in_a_store += static_cast<unsigned>(changing);
        if (i >= stops && changing == 0) {
            sem_post(&resumed);
            continue;
        }
        ASSERT_LE(changing, 1u);
        // One reader for each group: only that one waits whose lines the writer is changing.
        std::atomic<std::uint64_t> answered{0};
        std::atomic<std::uint64_t> missing{0};
        std::vector<std::thread> readers;
        for (const auto& keys : asked)
            readers.emplace_back([&] {
                for (const key_hash& key : keys) missing += filter->may_contain(key) ? 0 : 1;
                ++answered;
            });
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (answered < groups - changing && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::uint64_t while_stopped = answered;
        sem_post(&resumed);
        for (auto& each : readers) each.join();
        ASSERT_EQ(while_stopped, groups - changing);
        lost += missing;
    }
    is_over = true;
    writer.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(lost, 0u);
    EXPECT_GE(in_a_store, least_in_a_store);
}

}  // namespace
}  // namespace membrane::test
