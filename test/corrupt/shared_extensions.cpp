// Files of the kind rank in which two buckets own one extension: whatever else agrees, they are refused. An insertion into
// one of the buckets would take keys from the other, and leave both with levels that their cells do not hold.
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/rank/view.hpp>

#include "small_files.hpp"

namespace membrane::corrupt {
namespace {

namespace field = rank_field;

filter_spec rank_of(std::uint64_t buckets, std::uint64_t last_extensions) {
    filter_spec spec = initial_spec(kind_id::rank, rank_fields);
    spec[field::buckets] = spec[field::extensions] = buckets;
    spec[field::chains] = spec[field::fingerprint_bits] = 2;
    spec[field::cells] = spec[field::extension_cells] = 1;
    spec[field::last_extensions] = last_extensions;
    spec[field::last_cells] = last_extensions == 0 ? 0 : 1;
    return spec;
}

std::vector<std::uint64_t> one_to_one(std::uint64_t count) {
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    return all;
}

enum class orphans : bool { taken, free };

struct pointers {
    std::vector<std::uint64_t> extension_of;  // of each bucket
    std::vector<std::uint64_t> last_of;       // of the extensions of the first buckets
};

// As many entries in every bucket as it and its extensions have cells.
file_bytes file_of(const filter_spec& spec, const pointers& to, orphans left) {
    auto made = any_filter::create(spec, {hash_id::siphash13, {1, 2}});
    file_bytes file = file_bytes_of(*made);
    packed_bits bits(file.data() + file.size() - made->payload().size());
    const rank_layout layout = *rank_layout::of(spec);
    const auto item_at = [&](unsigned level, std::uint64_t item) {
        return layout.items_at[level] + item * layout.item_bits[level];
    };
    const auto point = [&](std::uint64_t link_at, unsigned level, std::uint64_t own, std::uint64_t number) {
        bits.put(link_at, true);
        bits.write(link_at + 1, layout.link_bits[level], number);
        bits.put(layout.taken_at[level + 1] + (left == orphans::taken ? own : number), true);
    };
    for (std::uint64_t i = 0; i < to.extension_of.size(); ++i) {
        const std::uint64_t bucket = item_at(0, i), extension = item_at(1, to.extension_of[i]);
        bits.write(bucket, 2, 0b11);
        point(bucket + 3, 0, i, to.extension_of[i]);
        if (i >= to.last_of.size()) continue;
        bits.put(bucket + 2, true);
        point(extension + 1, 1, i, to.last_of[i]);
    }
    repair_checksums(file);
    return file;
}

void expect_refused(const file_bytes& file, std::uint64_t bucket) {
    const auto opened = any_view::open(file);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, errc::bad_payload);
    EXPECT_EQ(opened.error().what, "pointer to an extension of another bucket");
    EXPECT_EQ(opened.error().found, bucket);
    EXPECT_EQ(opened.error().offset, 192u);
}

TEST(shared_extensions, extensions_of_their_own_are_accepted) {
    for (const std::uint64_t last : {0u, 3u}) {
        const auto file = file_of(rank_of(5, last), {one_to_one(5), one_to_one(last)}, orphans::taken);
        const auto opened = any_view::open(file);
        ASSERT_TRUE(opened) << describe(opened.error());
        EXPECT_EQ(opened->estimated_size(), 10 + static_cast<double>(last));
        exercise(*opened, true);
    }
}

TEST(shared_extensions, any_two_owners_of_one) {
    for (const orphans left : {orphans::taken, orphans::free})
        for (std::uint64_t bucket = 0; bucket < 5; ++bucket)
            for (std::uint64_t other = 0; other < 5; ++other) {
                if (bucket == other) continue;
                pointers to{one_to_one(5), {}};
                to.extension_of[bucket] = other;
                expect_refused(file_of(rank_of(5, 0), to, left), std::max(bucket, other));
                if (bucket >= 3 || other >= 3) continue;
                to = {one_to_one(5), one_to_one(3)};
                to.last_of[bucket] = other;
                expect_refused(file_of(rank_of(5, 3), to, left), std::max(bucket, other));
            }
}

// Four numbers taken twice for four that are missing, chosen by a birthday search so that the sums of
// finalise64(finalise64(number + 1)) over the pointers and over the taken ones are equal.
TEST(shared_extensions, sets_of_equal_sums) {
    constexpr std::uint64_t buckets = 20480;
    constexpr std::array<std::array<std::uint64_t, 2>, 4> swaps{
        {{1857, 3297}, {7400, 8170}, {11899, 15064}, {15552, 18998}}};
    pointers to{one_to_one(buckets), {}};
    std::uint64_t difference = 0;
    for (const auto& [bucket, other] : swaps) {
        to.extension_of[bucket] = other;
        difference += finalise64(finalise64(other + 1)) - finalise64(finalise64(bucket + 1));
    }
    ASSERT_EQ(difference, 0u);
    expect_refused(file_of(rank_of(buckets, 0), to, orphans::taken), 3297);
}

// The store itself, should bytes get past the check: an insertion is refused where a level has no cells.
TEST(shared_extensions, insertions_into_broken_buckets_are_refused) {
    const filter_spec spec = rank_of(1, 0);
    file_bytes payload(static_cast<std::size_t>(*rank_store::payload_bytes(spec)));
    rank_set_view view(spec, payload.data());
    packed_bits bits(payload.data());
    bits.write(0, 2, 0b11);
    const file_bytes before = payload;
    for (std::uint64_t key = 0; key < 8; ++key)
        EXPECT_FALSE(view.insert(key_hash{key * 0x9e3779b97f4a7c15, ~key}));
    EXPECT_EQ(payload, before);
}

}  // namespace
}  // namespace membrane::corrupt
