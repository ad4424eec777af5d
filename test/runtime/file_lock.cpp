// The right to replace a file belongs to one at a time, between threads and between processes, and survives that the
// file under the lock is replaced.
#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>

#include "support/filters.hpp"
#include "support/temporary.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t writers = 4;
constexpr std::uint64_t rounds = 25;

// What `add` does: lock, open, insert one key, replace.
bool add_one(const std::string& path, std::uint64_t key) {
    const auto lock = file_lock::acquire(path);
    if (!lock) return false;
    const auto old = mapped_filter::try_open(path);
    if (!old) return false;
    auto filter = any_filter::copy_of(old->view());
    if (!filter || !filter->insert(key)) return false;
    return save(*filter, path, existing::replace).has_value();
}

void save_empty(const std::string& path) {
    const auto spec =
        value_of(registry().front().plan.size({.keys = 1000, .fpr = 0.001, .bits_per_key = {}}, {}));
    expect_done(save(make(spec), path, existing::keep));
}

void expect_all_keys(const std::string& path) {
    const mapped_filter filter = value_of(mapped_filter::try_open(path));
    EXPECT_EQ(filter->keys(), writers * rounds) << "an update was lost";
    for (std::uint64_t key = 0; key < writers * rounds; ++key) EXPECT_TRUE(filter->may_contain(key)) << key;
}

TEST(FileLock, LetsNoUpdateOfConcurrentThreadsBeLost) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr");
    save_empty(path);
    std::atomic<std::uint64_t> failed = 0;
    std::vector<std::thread> threads;
    for (std::uint64_t writer = 0; writer < writers; ++writer)
        threads.emplace_back([&, writer] {
            for (std::uint64_t round = 0; round < rounds; ++round)
                failed += add_one(path, writer * rounds + round) ? 0 : 1;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failed, 0u);
    expect_all_keys(path);
    EXPECT_EQ(directory.names().size(), 1u);
}

TEST(FileLock, LetsNoUpdateOfConcurrentProcessesBeLost) {
    const temporary_directory directory;
    const std::string path = directory.path("f.mbr");
    save_empty(path);
    std::vector<pid_t> children;
    for (std::uint64_t writer = 0; writer < writers; ++writer) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            bool is_good = true;
            for (std::uint64_t round = 0; round < rounds; ++round)
                is_good = add_one(path, writer * rounds + round) && is_good;
            ::_exit(is_good ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    expect_all_keys(path);
}

TEST(FileLock, IsHeldUntilItsEndAndMovesWithItsOwner) {
    const temporary_directory directory;
    const std::string path = directory.path("f");
    std::ofstream(path) << "x";
    std::optional<file_lock> held = value_of(file_lock::acquire(path));
    file_lock moved = std::move(*held);
    held.reset();
    std::atomic<bool> is_acquired = false;
    std::thread waiting([&] {
        const auto lock = file_lock::acquire(path);
        is_acquired = lock.has_value();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(is_acquired) << "two hold the lock";
    { const file_lock gone = std::move(moved); }
    waiting.join();
    EXPECT_TRUE(is_acquired);
}

TEST(FileLock, OfAMissingFileIsAnError) {
    const auto lock = file_lock::acquire("/no/such/file");
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().code, errc::io_error);
}

}  // namespace
}  // namespace membrane::test
