// The filters for many threads as a program uses them: calls, files, snapshots, refusals.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/membrane.hpp>
#include <membrane/runtime/registry.hpp>

#include "support/keys.hpp"
#include "support/temporary.hpp"

namespace membrane::test {
namespace {

static_assert(!std::is_copy_constructible_v<concurrent_filter> &&
              std::is_nothrow_move_constructible_v<concurrent_filter>);
static_assert(!std::is_constructible_v<concurrent_filter, int, int> &&
              !std::is_constructible_v<concurrent_balanced_rank_filter, int, int>);

std::vector<std::uint64_t> integers(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> made;
    for (; first < last; ++first) made.push_back(first);
    return made;
}

// All calls, by one thread; the filter has room for 1000 keys.
template <class Filter>
void use(Filter& filter, bool can_erase) {
    const auto keys = integers(0, 1000);
    filter.insert_many(keys);
    EXPECT_EQ(filter.keys(), 1000u);
    std::vector<bool> answers(1000);
    EXPECT_EQ(filter.may_contain_many(keys, answers), 1000u);
    EXPECT_FALSE(filter.insert_if_absent(std::uint64_t{7}));
    EXPECT_TRUE(filter.insert_if_absent("text"));
    EXPECT_TRUE(filter.may_contain("text"));
    EXPECT_EQ(filter.keys(), 1001u);
    EXPECT_NEAR(filter.estimated_size(), 1001, 60);
    EXPECT_GT(filter.estimated_fpr_now(), 0);
    if constexpr (Filter::can_erase) {
        if (can_erase) {
            filter.insert("text");
            EXPECT_EQ(filter.count("text"), 2u);
            EXPECT_TRUE(filter.erase("text"));
            EXPECT_FALSE(filter.erase("never inserted"));
            EXPECT_EQ(filter.erase_many(integers(0, 500)), 500u);
            EXPECT_EQ(filter.keys(), 501u);
        }
    }
    // The file and the snapshot are those of the filter for one thread.
    const auto plain = filter.snapshot();
    EXPECT_EQ(plain.keys(), filter.keys());
    EXPECT_TRUE(plain.may_contain("text"));
    EXPECT_EQ(plain.to_bytes(), filter.to_bytes());
    temporary_directory folder;
    filter.save(folder.path("filter.mbr"));
    auto loaded = Filter::load(folder.path("filter.mbr"));
    EXPECT_EQ(loaded.keys(), filter.keys());
    EXPECT_TRUE(loaded.may_contain("text"));
    EXPECT_EQ(loaded.to_bytes(), filter.to_bytes());
    Filter moved(std::move(loaded));
    moved.insert("after a move");
    EXPECT_TRUE(moved.may_contain("after a move"));
}

TEST(FrontDoor, HeaderOnlyFilters) {
    concurrent_balanced_rank_filter growable(1000, 0.001);
    use(growable, false);
    concurrent_balanced_rank_filter with_room(1000, 0.001, grow_to(100'000));
    use(with_room, false);
    concurrent_erasable_balanced_rank_filter erasable_filter(1000, 0.001);
    use(erasable_filter, true);
    concurrent_blocked_bloom_filter blocks(1000, 0.001);
    use(blocks, false);
    lock_free_blocked_bloom_filter by_bits(1000, bits_per_key{16});
    use(by_bits, false);
}
TEST(FrontDoor, ConcurrentFilter) {
    concurrent_filter growable(1000, 0.001);
    EXPECT_EQ(growable.kind(), "balanced_rank");
    use(growable, false);
    concurrent_filter with_erasure(1000, 0.001, membrane::erasable);
    use(with_erasure, true);
    concurrent_filter blocks(1000, 0.001, {.fixed = true});
    EXPECT_EQ(blocks.kind(), "blocked_bloom");
    use(blocks, false);
}
TEST(FrontDoor, OfEveryVariantOfBlocks) {
    for (const std::uint64_t block_bits : {256u, 512u})
        for (const std::uint64_t lanes :
             {block_lanes::none, block_lanes::of_32_bits, block_lanes::of_64_bits}) {
            const auto entry = find_entry("blocked_bloom");
            filter_spec spec = initial_spec(kind_id::blocked_bloom, entry->rules.fields);
            spec[blocked_field::blocks] = 33;
            spec[blocked_field::block_bits] = block_bits;
            spec[blocked_field::lanes] = lanes;
            spec[blocked_field::k] = lanes == block_lanes::none ? 7 : block_bits / blocked_lane_bits(spec);
            ASSERT_TRUE(entry->rules.check_spec(spec));
            const hasher hash = numbered_hasher(3);
            concurrent_filter filter(spec, {.hash = hash});
            membrane::filter plain(spec, {.hash = hash});
            for (const std::uint64_t key : integers(0, 400)) {
                filter.insert(key);
                plain.insert(key);
            }
            EXPECT_EQ(filter.to_bytes(), plain.to_bytes());
        }
}

TEST(FrontDoor, SaysWhatItCannot) {
    concurrent_filter filter(1000, 0.01);
    EXPECT_EQ(filter.try_erase("key").error().code, errc::not_supported);
    EXPECT_EQ(filter.try_count("key").error().code, errc::not_supported);
    EXPECT_EQ(concurrent_filter::try_create(1000, 0.01, {.erasable = true, .fixed = true}).error().code,
              errc::not_supported);
    EXPECT_EQ(concurrent_filter::try_create(-1, 0.01).error().code, errc::bad_field);
    EXPECT_EQ(concurrent_filter::try_create(1000, 1.5).error().code, errc::bad_field);
    EXPECT_EQ(concurrent_balanced_rank_filter::try_create(-1, 0.01).error().code, errc::bad_field);
    const auto other_kind = concurrent_filter::try_create(membrane::filter("bloom", 1000, 0.01).spec());
    EXPECT_EQ(other_kind.error().code, errc::not_supported);
    const auto bytes = membrane::filter("bloom", 1000, 0.01).to_bytes();
    EXPECT_EQ(concurrent_filter::try_from_bytes(bytes).error().code, errc::not_supported);
    EXPECT_EQ(concurrent_balanced_rank_filter::try_from_bytes(bytes).error().code, errc::spec_mismatch);
    EXPECT_EQ(concurrent_filter(100, 0.01, {.fixed = true}).try_reserve(1000).error().code,
              errc::not_supported);
}

// A filter that may not grow refuses at last, and what it took is there.
TEST(FrontDoor, RefusesForWantOfMemory) {
    const filter_spec spec =
        *balanced_rank_numbers_spec_for(balanced_rank_form::growable, 1000, 0.001, 100'000);
    const auto size = number_payload_bytes(spec) + 64;
    concurrent_filter filter(spec, {.max_bytes = size});
    std::atomic<std::uint64_t> stored{0};
    std::vector<std::thread> running;
    std::vector<std::vector<std::uint64_t>> taken(3);
    for (std::uint64_t own = 0; own < 3; ++own)
        running.emplace_back([&, own] {
            for (std::uint64_t key = own; key < 6000; key += 3)
                if (filter.try_insert(key)) taken[own].push_back(key);
        });
    for (auto& each : running) each.join();
    for (const auto& of_thread : taken) {
        stored += of_thread.size();
        for (const std::uint64_t key : of_thread) EXPECT_TRUE(filter.may_contain(key));
    }
    EXPECT_LT(stored, 6000u);
    EXPECT_GE(stored, 1000u);
    EXPECT_EQ(filter.keys(), stored);
    EXPECT_EQ(filter.try_insert_many(integers(20'000, 24'000)).error().code, errc::out_of_memory);
    EXPECT_EQ(filter.try_reserve(1'000'000).error().code, errc::too_large);
}

TEST(FrontDoor, MakesRoomBeforehand) {
    concurrent_filter filter(1000, 0.001, {.grow_to = 1'000'000});
    filter.insert_many(integers(0, 1000));
    filter.reserve(100'000);
    const auto& layout = filter.spec();
    EXPECT_GE(layout.planned_keys, 100'000u);
    filter.insert_many(integers(1000, 100'000));
    EXPECT_EQ(&filter.spec(), &layout);
    std::vector<bool> answers(100'000);
    EXPECT_EQ(filter.may_contain_many(integers(0, 100'000), answers), 100'000u);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
// Growth by half seventeen times: without what was given back, twice the last size more would be in memory.
TEST(FrontDoor, GivesOldMemoryBack) {
    const std::uint64_t before = resident_bytes();
    concurrent_balanced_rank_filter filter(1000, 0.001, grow_to(4'000'000));
    std::vector<std::thread> running;
    for (std::uint64_t own = 0; own < 2; ++own)
        running.emplace_back([&, own] {
            for (std::uint64_t key = own; key < 1'000'000; key += 2) filter.insert(key);
        });
    for (auto& each : running) each.join();
    EXPECT_GT(filter.size_bytes(), 1'500'000u);
    EXPECT_LT(resident_bytes() - before, filter.size_bytes() * 3 / 2 + 1'500'000);
    std::uint64_t lost = 0;
    for (std::uint64_t key = 0; key < 1'000'000; ++key) lost += filter.may_contain(key) ? 0 : 1;
    EXPECT_EQ(lost, 0u);
}
#endif

// Files written while others insert: each opens, and has every key whose insertion had ended before.
template <class Filter>
void save_while_writing(Filter& filter) {
    constexpr std::uint64_t keys = 60'000;
    std::atomic<std::uint64_t> ended[2] = {0, 0};
    std::atomic<std::uint64_t> files{0};
    std::vector<std::thread> writers;
    for (std::uint64_t own = 0; own < 2; ++own)
        writers.emplace_back([&, own] {
            for (std::uint64_t i = 0; i < keys; ++i) {
                // So that at least one file is taken before the end.
                while (i == keys / 2 && files == 0) std::this_thread::yield();
                filter.insert(2 * i + own);
                ended[own].store(i + 1, std::memory_order_release);
            }
        });
    for (bool is_last = false; !is_last; ++files) {
        const std::uint64_t before[2] = {ended[0].load(std::memory_order_acquire),
                                         ended[1].load(std::memory_order_acquire)};
        is_last = before[0] + before[1] == 2 * keys;
        const auto opened = membrane::filter::try_from_bytes(filter.to_bytes());
        ASSERT_TRUE(opened);
        EXPECT_GE(opened->keys(), before[0] + before[1]);
        for (std::uint64_t own = 0; own < 2; ++own)
            for (std::uint64_t i = 0; i < before[own]; ++i) ASSERT_TRUE(opened->may_contain(2 * i + own));
    }
    for (auto& each : writers) each.join();
    EXPECT_GE(files, 2u);
    EXPECT_EQ(filter.keys(), 2 * keys);
}
// The number of keys in a file's header is that of its entries, while others insert in batches and erase.
TEST(FrontDoor, SavesTheNumberOfKeysOfTheMoment) {
    concurrent_filter filter(1000, 1e-9, {.erasable = true, .grow_to = 1'000'000});
    const auto keys = integers(0, 60'000);
    std::atomic<bool> is_over{false};
    std::thread writer([&] {
        filter.insert_many(keys);
        EXPECT_EQ(filter.erase_many(std::span(keys).first(40'000)), 40'000u);
        is_over = true;
    });
    std::uint64_t files = 0, in_between = 0;
    for (bool is_last = false; !is_last; ++files) {
        is_last = is_over;
        const auto opened = membrane::filter::try_from_bytes(filter.to_bytes());
        ASSERT_TRUE(opened);
        ASSERT_EQ(static_cast<double>(opened->keys()), opened->estimated_size());
        in_between += opened->keys() != 0 && opened->keys() != 20'000 ? 1 : 0;
    }
    writer.join();
    EXPECT_EQ(filter.keys(), 20'000u);
    EXPECT_GE(in_between, 1u);
}

// One mapped file, asked by several threads at once.
TEST(FrontDoor, ThreadsShareAMappedFile) {
    temporary_directory folder;
    const auto keys = integers(0, 20'000);
    membrane::filter made(20'000, 0.001);
    made.insert_many(keys);
    made.save(folder.path("shared.mbr"));
    const auto mapped = mapped_filter::open(folder.path("shared.mbr"));
    std::vector<bool> expected(40'000);
    const auto asked = integers(0, 40'000);
    const std::size_t present = made.may_contain_many(asked, expected);
    std::atomic<std::uint64_t> wrong{0};
    std::vector<std::thread> readers;
    for (std::uint64_t own = 0; own < 4; ++own)
        readers.emplace_back([&, own] {
            std::vector<bool> answers(asked.size());
            wrong += mapped.may_contain_many(asked, answers) != present || answers != expected ? 1 : 0;
            for (std::uint64_t key = own; key < asked.size(); key += 4)
                wrong += mapped.may_contain(key) != expected[key] ? 1 : 0;
        });
    for (auto& each : readers) each.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_GE(present, 20'000u);
}

TEST(FrontDoor, SavesWhileOthersWrite) {
    concurrent_balanced_rank_filter growable(1000, 0.001, grow_to(1'000'000));
    save_while_writing(growable);
    concurrent_filter blocks(120'000, 0.001, {.fixed = true});
    save_while_writing(blocks);
}

}  // namespace
}  // namespace membrane::test
