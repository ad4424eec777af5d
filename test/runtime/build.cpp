// A filter from a spool: the bytes of direct insertion, within the limits, and no page touched that the keys do not need.
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <membrane/runtime/build.hpp>
#include <membrane/runtime/planner.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

constexpr std::uint64_t tiny_memory = 16 * 1024;  // 1024 hashes, the least that a spool takes

class BuildFrom : public kind_test {};

TEST_P(BuildFrom, GivesTheSameBytesAsDirectInsertion) {
    const auto hashes = hashes_of(numbered_hasher(1), 0, 5000);
    for (const std::uint64_t memory : {tiny_memory, hash_spool::default_memory_bytes}) {
        hash_spool spool(duplicates::drop, memory);
        expect_done(spool.add(hashes));
        expect_done(spool.add(hashes));
        build_request request;
        request.kind = &entry();
        request.wanted.fpr = 0.01;
        request.hash = numbered_hasher(1);
        std::uint64_t last_done = 0, last_total = 0;
        const auto progress = [&](std::uint64_t done, std::uint64_t total) {
            EXPECT_GT(done, last_done);
            last_done = done;
            last_total = total;
        };
        const any_filter built = value_of(build_from(spool, request, progress));
        EXPECT_EQ(last_done, 5000u);
        EXPECT_EQ(last_total, 5000u);
        const auto spec = value_of(entry().plan.size({.keys = 5000, .fpr = 0.01, .bits_per_key = {}}, {}));
        // In the order of the spool: some kinds remember who came first.
        std::vector<key_hash> ordered;
        expect_done(spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
            ordered.insert(ordered.end(), batch.begin(), batch.end());
            return {};
        }));
        ASSERT_EQ(ordered.size(), hashes.size());
        EXPECT_EQ(file_of(built), file_of(filled(spec, ordered)));
        EXPECT_EQ(false_negatives(built, hashes), 0u);
    }
}

TEST_P(BuildFrom, IsTheSameAsItsStepsOneByOne) {
    const auto hashes = hashes_of(numbered_hasher(1), 0, 5000);
    for (const std::uint64_t memory : {tiny_memory, hash_spool::default_memory_bytes}) {
        hash_spool spool(duplicates::drop, memory), again(duplicates::drop, memory);
        expect_done(spool.add(hashes));
        expect_done(again.add(hashes));
        build_request request;
        request.kind = &entry();
        request.wanted.fpr = 0.01;
        request.hash = numbered_hasher(1);

        plan::requirement wanted{.keys = value_of(spool.finish()), .fpr = 0.01, .bits_per_key = {}};
        EXPECT_EQ(spool.size(), hashes.size());
        const filter_spec spec = value_of(choose(&entry(), {}, wanted)).spec;
        EXPECT_GE(value_of(working_bytes(spec, spool.size())), *entry().rules.payload_bytes(spec));
        any_filter filter = make(spec);
        expect_done(fill(filter, spool));
        EXPECT_EQ(file_of(filter), file_of(value_of(build_from(again, request))));
    }
}

TEST_P(BuildFrom, OfNothingIsAnEmptyFilter) {
    hash_spool spool(duplicates::drop);
    build_request request;
    request.kind = &entry();
    request.hash = numbered_hasher(1);
    const any_filter built = value_of(build_from(spool, request));
    EXPECT_EQ(built.keys(), 0u);
    EXPECT_FALSE(built.may_contain("anything"));
}

TEST_P(BuildFrom, RefusesASizeAboveTheLimit) {
    hash_spool spool(duplicates::drop);
    expect_done(spool.add(hashes_of(numbered_hasher(1), 0, 100000)));
    build_request request;
    request.kind = &entry();
    request.hash = numbered_hasher(1);
    request.max_bytes = 1000;
    const auto built = build_from(spool, request);
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().code, errc::too_large);
}

MEMBRANE_FOR_EVERY_KIND(BuildFrom);

// Pages of the payload that are in memory.
std::size_t resident_pages(const any_view& filter) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(filter.payload().data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(filter.payload().data()) + filter.size_bytes();
    std::vector<unsigned char> resident((end - begin + page - 1) / page);
    if (::mincore(reinterpret_cast<void*>(begin), end - begin, resident.data()) != 0)
        throw std::runtime_error("mincore");
    std::size_t pages = 0;
    for (const unsigned char each : resident) pages += each & 1u;
    return pages;
}

// Reading zeros to see that they are zeros would bring every page of a new filter into memory before it is filled.
TEST(BuildOfANewFilter, ReadsNoPageToFindItEmpty) {
    const auto spec = value_of(find_entry("bloom")->plan.size({.keys = 50'000'000, .fpr = 0.01}, {}));
    any_filter filter = make(spec);
    const std::size_t before = resident_pages(filter);
    ASSERT_LT(before, 10u) << "the system gives no untouched pages: nothing to see here";
    expect_done(filter.build(hash_batches(std::span<const key_hash>())));
    EXPECT_EQ(resident_pages(filter), before);

    // A copy may hold anything: it is read.
    any_filter copy = value_of(any_filter::copy_of(filter));
    EXPECT_EQ(copy.keys(), 0u);
    expect_done(copy.build(hashes_of(numbered_hasher(1), 0, 10)));
    EXPECT_EQ(copy.build(hashes_of(numbered_hasher(1), 0, 10)).error().code, errc::bad_field);
}

}  // namespace
}  // namespace membrane::test
