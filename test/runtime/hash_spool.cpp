// Hashes of an unknown number of keys: what comes out is what went in, however little memory there is.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/runtime/hash_spool.hpp>

#include "support/filters.hpp"
#include "support/temporary.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t tiny_spool_memory = 16 * 1024;  // 1024 hashes, the least that a spool takes

std::vector<key_hash> handed_out(const hash_spool& spool) {
    std::vector<key_hash> all;
    expect_done(spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        EXPECT_FALSE(batch.empty());
        all.insert(all.end(), batch.begin(), batch.end());
        return {};
    }));
    return all;
}

std::vector<key_hash> sorted(std::vector<key_hash> hashes) {
    std::sort(hashes.begin(), hashes.end());
    return hashes;
}

// `distinct` keys, some of them once, some of them up to four times, far apart from each other.
std::vector<key_hash> with_repetitions(std::uint64_t distinct) {
    std::vector<key_hash> hashes;
    for (std::uint64_t round = 0; round < 4; ++round)
        for (std::uint64_t key = 0; key < distinct; ++key)
            if (key % 4 >= round) hashes.push_back(numbered_hasher(1)(key));
    return hashes;
}

TEST(HashSpool, DropsRepetitionsAcrossRunsThatWereWrittenToDisk) {
    for (const std::uint64_t distinct : {0u, 1u, 1000u, 1024u, 1025u, 50000u}) {
        hash_spool in_memory(duplicates::drop), on_disk(duplicates::drop, tiny_spool_memory);
        const auto hashes = with_repetitions(distinct);
        expect_done(in_memory.add(hashes));
        for (const key_hash& hash : hashes) expect_done(on_disk.add(hash));
        EXPECT_EQ(on_disk.added(), hashes.size());
        EXPECT_EQ(value_of(in_memory.finish()), distinct);
        EXPECT_EQ(value_of(on_disk.finish()), distinct);
        EXPECT_EQ(in_memory.spilled_bytes(), 0u);
        if (distinct > 2048) {
            EXPECT_GT(on_disk.spilled_bytes(), 0u);
        }
        EXPECT_EQ(handed_out(on_disk), handed_out(in_memory));
        EXPECT_EQ(handed_out(on_disk), sorted(hashes_of(numbered_hasher(1), 0, distinct)))
            << "a second walk differs";
    }
}

TEST(HashSpool, KeepsMultiplicityWhenAsked) {
    for (const std::uint64_t distinct : {0u, 10u, 1024u, 20000u}) {
        hash_spool in_memory(duplicates::keep), on_disk(duplicates::keep, tiny_spool_memory);
        const auto hashes = with_repetitions(distinct);
        expect_done(in_memory.add(hashes));
        expect_done(on_disk.add(hashes));
        EXPECT_EQ(value_of(in_memory.finish()), hashes.size());
        EXPECT_EQ(value_of(on_disk.finish()), hashes.size());
        EXPECT_EQ(sorted(handed_out(in_memory)), sorted(hashes));
        EXPECT_EQ(sorted(handed_out(on_disk)), sorted(hashes));
    }
}

TEST(HashSpool, NeedsNoDiskForOneKeyThatComesAMillionTimes) {
    hash_spool spool(duplicates::drop, tiny_spool_memory);
    const std::vector<key_hash> same(1000, numbered_hasher(1)(7));
    for (int i = 0; i < 1000; ++i) expect_done(spool.add(same));
    EXPECT_EQ(value_of(spool.finish()), 1u);
    EXPECT_EQ(spool.spilled_bytes(), 0u);
    EXPECT_EQ(handed_out(spool), std::vector<key_hash>{same[0]});
}

// More than are kept in one piece: dealt to parts, sorted part by part, written to disk in their order.
TEST(HashSpool, SortsManyWithAnyNumberOfThreads) {
    constexpr std::uint64_t distinct = 200'000;
    const auto hashes = with_repetitions(distinct);
    const auto expected = sorted(hashes_of(numbered_hasher(1), 0, distinct));
    for (const std::uint64_t memory : {std::uint64_t{3} << 20, hash_spool::default_memory_bytes})
        for (const unsigned threads : {1u, 3u}) {
            hash_spool spool(duplicates::drop, memory, {}, threads);
            for (std::size_t first = 0; first < hashes.size(); first += 7777)
                expect_done(spool.add(
                    std::span(hashes).subspan(first, std::min<std::size_t>(7777, hashes.size() - first))));
            EXPECT_EQ(value_of(spool.finish()), distinct);
            EXPECT_EQ(spool.spilled_bytes() != 0, memory != hash_spool::default_memory_bytes);
            EXPECT_EQ(spool.in_memory().has_value(), memory == hash_spool::default_memory_bytes);
            EXPECT_TRUE(handed_out(spool) == expected);
        }
}

// Hashes that a program brings need not be spread: all in one part, and some that differ in their last bits only.
TEST(HashSpool, SortsHashesThatLieTogether) {
    std::vector<key_hash> hashes;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        hashes.push_back({i * 7919 % 100'000 / 10, i * 31 % 100'000 % 10});
    for (const std::uint64_t memory : {std::uint64_t{1} << 20, hash_spool::default_memory_bytes}) {
        hash_spool spool(duplicates::drop, memory);
        expect_done(spool.add(hashes));
        auto expected = sorted(hashes);
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        EXPECT_EQ(value_of(spool.finish()), expected.size());
        EXPECT_TRUE(handed_out(spool) == expected);
    }
}

TEST(HashSpool, LeavesNothingInItsDirectory) {
    const temporary_directory directory;
    {
        hash_spool spool(duplicates::drop, tiny_spool_memory, directory.root().string());
        expect_done(spool.add(hashes_of(numbered_hasher(1), 0, 20000)));
        EXPECT_GT(spool.spilled_bytes(), 0u);
        hash_spool moved = std::move(spool);
        EXPECT_EQ(value_of(moved.finish()), 20000u);
        EXPECT_EQ(handed_out(moved).size(), 20000u);
    }
    EXPECT_TRUE(directory.names().empty());
}

TEST(HashSpool, SaysSoWhenItsDirectoryIsMissing) {
    hash_spool spool(duplicates::drop, tiny_spool_memory, "/no/such/directory");
    const auto added = spool.add(hashes_of(numbered_hasher(1), 0, 5000));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, errc::io_error);
    EXPECT_EQ(added.error().found, static_cast<std::uint64_t>(ENOENT));
}

TEST(HashSpool, StopsWhereTheVisitorSays) {
    for (const std::uint64_t memory : {tiny_spool_memory, hash_spool::default_memory_bytes}) {
        hash_spool spool(duplicates::drop, memory);
        expect_done(spool.add(hashes_of(numbered_hasher(1), 0, 100000)));
        expect_done(value_of(spool.finish()) == 100000 ? result<void>() : make_error(errc::full, "spool"));
        int batches = 0;
        const auto stopped = spool.for_each_batch([&](std::span<const key_hash>) -> result<void> {
            ++batches;
            return make_error(errc::full, "enough");
        });
        ASSERT_FALSE(stopped);
        EXPECT_EQ(stopped.error().what, "enough");
        EXPECT_EQ(batches, 1);
    }
}

}  // namespace
}  // namespace membrane::test
