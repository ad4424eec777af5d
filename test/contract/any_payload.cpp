// A file that is opened with `trust` may hold anything behind its header. Kinds that then leave out their own check answer
// from any bytes within the payload, which ends with the block here so that a sanitizer sees a byte too many; what copies,
// joins or packs entries checks first.
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

class AnyPayload : public kind_test {};

using file_bytes = std::vector<std::byte>;

// A file of this spec with this payload and good checksums.
file_bytes file_with(const filter_spec& spec, std::span<const std::byte> payload) {
    file_view file = make(spec).as_file();
    file.payload = payload;
    file_bytes made = encode_file(file);
    made.shrink_to_fit();
    return made;
}

void expect_sane_numbers(const any_view& view) {
    for (const double rate : {view.fill(), view.estimated_fpr_now()}) {
        EXPECT_GE(rate, 0);
        EXPECT_LE(rate, 1);
    }
    EXPECT_GE(view.estimated_size(), 0);
    EXPECT_TRUE(std::isfinite(view.estimated_size()));
}

void ask_everything(const any_view& view, std::span<const key_hash> hashes) {
    std::vector<std::uint64_t> answers(bitmap_words(hashes.size()));
    EXPECT_LE(view.may_contain_many(hashes, answers), hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const key_hash hash = hashes[i];
        EXPECT_EQ(view.may_contain(hash), (answers[i / 64] >> (i % 64) & 1) != 0) << i;
        static_cast<void>(view.estimate(hash));
        static_cast<void>(view.values(hash));
        static_cast<void>(view.lookup_lines(hash));
    }
    EXPECT_TRUE(view.top().empty());
    expect_sane_numbers(view);
}

// All ones, random bytes, nearly all ones, nearly none, and marks and indexes full of ones with nothing else.
std::vector<std::function<void(std::span<std::byte>)>> ways_to_fill() {
    const auto random = [](unsigned seed, unsigned draws, bool joins) {
        return [=](std::span<std::byte> payload) {
            std::mt19937_64 source(seed);
            for (std::byte& byte : payload) {
                std::uint64_t bits = source();
                for (unsigned i = 1; i < draws; ++i) bits = joins ? bits | source() : bits & source();
                byte = static_cast<std::byte>(bits & 0xff);
            }
        };
    };
    const auto every_line = [](std::size_t from, std::size_t to) {
        return [=](std::span<std::byte> payload) {
            for (std::size_t i = 0; i < payload.size(); ++i)
                payload[i] = i % 64 >= from && i % 64 < to ? std::byte{0xff} : std::byte{0};
        };
    };
    return {every_line(0, 64),   random(1, 1, true), random(2, 1, true), random(3, 4, true),
            random(4, 4, false), every_line(48, 64), every_line(63, 64), every_line(0, 56)};
}

TEST_P(AnyPayload, IsAnsweredFromOrRefused) {
    const auto hashes = hashes_of(numbered_hasher(1), 0, 3000);
    auto tried = specs(500);
    // Fingerprints of many lengths have code of their own.
    if (entry().ops_for(tried.front().spec).lookups_are_safe_on_any_payload)
        for (const double fpr : {0.3, 0.1, 0.01, 0.004, 0.001, 0.0001, 1e-7})
            for (const named_spec& each :
                 planned_specs(entry(), {.keys = 500, .fpr = fpr, .bits_per_key = {}}))
                tried.push_back(each);
    for (const named_spec& each : tried) {
        SCOPED_TRACE(each.name);
        const bool is_safe = entry().ops_for(each.spec).lookups_are_safe_on_any_payload;
        for (const auto& fill : ways_to_fill()) {
            file_bytes payload(make(each.spec).size_bytes());
            fill(payload);
            const file_bytes file = file_with(each.spec, payload);
            const auto trusted = any_view::open(file, checksum::trust);
            const auto verified = any_view::open(file);
            if (verified || !is_safe) {
                EXPECT_EQ(trusted.has_value(), verified.has_value());
                continue;
            }
            ASSERT_TRUE(trusted);
            ask_everything(*trusted, std::span(hashes).first(100));
            std::vector<std::uint64_t> answers(bitmap_words(hashes.size()));
            static_cast<void>(trusted->may_contain_many(hashes, answers));

            const auto checked = trusted->check_payload();
            ASSERT_FALSE(checked);
            EXPECT_EQ(checked.error().code, verified.error().code);
            EXPECT_EQ(any_filter::copy_of(*trusted).error().code, verified.error().code);
            EXPECT_FALSE(trusted->pack());
            any_filter other = make(each.spec);
            EXPECT_FALSE(other.merge(*trusted));
            EXPECT_FALSE(other.intersect(*trusted));
            EXPECT_EQ(payload_of(other), payload_of(make(each.spec)));
        }
    }
}

MEMBRANE_FOR_EVERY_KIND(AnyPayload);

// Tables that no cache holds have lookups of their own.
TEST(AnyPayloadInMemory, IsAnsweredFrom) {
    const kind_entry& entry = *find_entry(kind_id::balanced_rank);
    for (const named_spec& each :
         planned_specs(entry, {.keys = 8'000'000, .fpr = 0.004, .bits_per_key = {}})) {
        SCOPED_TRACE(each.name);
        file_bytes payload(make(each.spec).size_bytes());
        std::mt19937_64 source(1);
        for (std::size_t at = 0; at + 8 <= payload.size(); at += 8) store_le(payload.data() + at, source());
        const file_bytes file = file_with(each.spec, payload);
        ask_everything(value_of(any_view::open(file, checksum::trust)),
                       hashes_of(numbered_hasher(1), 0, 10'000));
    }
}

}  // namespace
}  // namespace membrane::test
