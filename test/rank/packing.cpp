// A packed filter is the filter without its empty cells: it comes back with every answer, and nothing that was not packed
// by us is taken for one.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/base/packed_bits.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/hash/xxh3.hpp>

#include "rank/rank_specs.hpp"

namespace membrane::test {
namespace {

any_filter filled_in(std::uint64_t mode, std::uint64_t keys, double fpr) {
    any_filter filter = make(planned_rank(mode, keys, fpr));
    const auto hashes = hashes_of(numbered_hasher(1), 0, keys);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (mode == rank_mode::map) expect_done(filter.insert_value(hashes[i], i % 200));
        else EXPECT_TRUE(filter.insert(hashes[i]));
    }
    return filter;
}

TEST(Packing, GivesBackEveryAnswer) {
    for (const std::uint64_t keys : {0u, 1u, 30u, 3000u})
        for (std::uint64_t mode = 0; mode < rank_mode::count; ++mode) {
            const any_filter filter = filled_in(mode, keys, 0.02);
            const auto packed = value_of(filter.pack());
            const any_filter again = value_of(any_filter::unpack(packed));
            EXPECT_EQ(again.keys(), keys);
            EXPECT_EQ(again.spec(), filter.spec());
            EXPECT_EQ(again.estimated_size(), filter.estimated_size());
            for (const key_hash& hash : hashes_of(numbered_hasher(1), 0, 2 * keys + 100)) {
                ASSERT_EQ(value_of(again.estimate(hash)), value_of(filter.estimate(hash)));
                if (mode == rank_mode::map) {
                    ASSERT_EQ(value_of(again.values(hash)), value_of(filter.values(hash)));
                }
            }
            EXPECT_EQ(value_of(again.pack()), packed) << "packing again changes nothing";
            EXPECT_TRUE(any_view::open(file_of(again)));
        }
}

TEST(Packing, SendsNoEmptyCell) {
    for (const double fpr : {0.01, 0.001, 0.0001}) {
        constexpr std::uint64_t keys = 20'000;
        const any_filter filter = filled_in(rank_mode::set, keys, fpr);
        const filter_spec& spec = filter.spec();
        const double expected = static_cast<double>(spec[rank_field::buckets] * spec[rank_field::chains]) +
                                static_cast<double>(keys * (1 + spec[rank_field::fingerprint_bits]));
        const double header = 8.0 * (8 + 192 + 16);
        const double sent = 8.0 * static_cast<double>(value_of(filter.pack()).size());
        EXPECT_GE(sent, expected + header);
        EXPECT_LE(sent, expected + header + 128);
        EXPECT_LT(sent, 0.9 * 8 * static_cast<double>(filter.file_bytes()));
    }
}

TEST(Packing, OfOtherKindsIsRefused) {
    const any_filter bloom = make(contract_specs(*find_entry("bloom"), 10).front().spec);
    EXPECT_EQ(bloom.pack().error().code, errc::not_supported);
    EXPECT_EQ(any_filter::unpack(file_of(bloom)).error().code, errc::not_a_membrane_file);
}

TEST(Packing, TakesNoOtherLength) {
    const auto packed = value_of(filled_in(rank_mode::counting, 40, 0.1).pack());
    for (std::size_t length = 0; length < packed.size(); ++length)
        ASSERT_FALSE(any_filter::unpack(std::span(packed).first(length))) << length;
    auto longer = packed;
    longer.push_back(std::byte{0});
    EXPECT_EQ(any_filter::unpack(longer).error().code, errc::trailing_bytes);
    EXPECT_EQ(any_filter::unpack(packed, 16).error().code, errc::too_large);
}

TEST(Packing, SeesEveryChangedBit) {
    auto packed = value_of(filled_in(rank_mode::set, 40, 0.1).pack());
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
        packed[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_FALSE(any_filter::unpack(packed)) << bit;
        packed[bit / 8] ^= std::byte{1} << (bit % 8);
    }
}

// Whoever can write the bytes can write their checksum: what is unpacked then is refused or a filter like any other.
TEST(Packing, IsSafeWhenTheChecksumIsRight) {
    auto packed = value_of(filled_in(rank_mode::set, 60, 0.1).pack());
    const std::size_t bytes_at = 8 + layout::header_bytes(rank_field::count) + 16;
    std::size_t refused_inside = 0;
    for (std::size_t bit = 8 * bytes_at; bit < 8 * packed.size(); ++bit) {
        packed[bit / 8] ^= std::byte{1} << (bit % 8);
        store_le(packed.data() + bytes_at - 8, checksum64(std::span(packed).subspan(bytes_at)));
        const auto made = any_filter::unpack(packed);
        ASSERT_FALSE(made);
        // The header's checksum of the payload is the last to see a fingerprint that was changed.
        refused_inside += made.error().code == errc::bad_payload ? 1 : 0;
        packed[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_GT(refused_inside, 0u);
}

// The bytes of a filter with more buckets than were sent are too few before any memory is taken for it.
TEST(Packing, OfFewerBytesThanBucketsIsTruncated) {
    filter_spec spec = initial_spec(kind_id::rank, rank_fields);
    spec[rank_field::buckets] = 1000;
    spec[rank_field::chains] = 16;
    spec[rank_field::fingerprint_bits] = spec[rank_field::cells] = 8;
    auto packed = value_of(make(spec).pack());
    const std::size_t least = 1000 * 16 / 8 + packed_bits::slack_bytes;
    const std::size_t bytes_at = packed.size() - least;
    packed.resize(packed.size() - 8);
    store_le(packed.data() + bytes_at - 16, static_cast<std::uint64_t>(least - 8));
    store_le(packed.data() + bytes_at - 8, checksum64(std::span(packed).subspan(bytes_at)));
    const auto refused = any_filter::unpack(packed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::truncated);
    EXPECT_EQ(refused.error().found, least - 8);
    EXPECT_EQ(refused.error().least, least);
}

}  // namespace
}  // namespace membrane::test
