// Each use of a hash draws from its own stream. Two streams that agreed more often than chance would raise the false
// positive rate of every kind at once, so their independence is tested pair by pair.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/hash/remix.hpp>

#include "hash/evenness.hpp"
#include "support/keys.hpp"

namespace membrane {
namespace {

// The streams in use, with the first, second and last of each numbered family.
std::vector<std::uint64_t> used_streams() {
    return {stream::start,
            stream::stride,
            stream::block,
            stream::list_word,
            stream::block_bits,
            stream::block_bits + 1,
            stream::independent,
            stream::independent + 1,
            stream::independent + 2,
            stream::independent + 63,
            stream::row,
            stream::row + 1,
            stream::row_start,
            stream::row_start + 1,
            stream::row_stride,
            stream::row_stride + 1,
            stream::candidate,
            stream::candidate + 1,
            stream::candidate + 2,
            stream::coin,
            stream::coin + 1,
            stream::coin + 2,
            stream::block_positions,
            stream::block_positions + 1,
            stream::block_positions + 11,
            stream::group + stream::start,
            stream::group + stream::stride,
            stream::group + stream::independent,
            3 * stream::group + stream::start,
            3 * stream::group + stream::stride,
            3 * stream::group + stream::independent + 63};
}

class RemixStreams : public ::testing::TestWithParam<hash_id> {};

TEST_P(RemixStreams, HaveBitsThatAgreeInHalfOfAllHashes) {
    const std::uint64_t hashes = 20000;
    const hasher hash = test::numbered_hasher(1, GetParam());
    const auto streams = used_streams();
    std::vector<std::uint64_t> words(streams.size());
    // agreements[i][j]: bits in which streams i and j agree; binomial with 64 * hashes trials if they are unrelated.
    std::vector<std::vector<double>> agreements(streams.size(), std::vector<double>(streams.size()));
    for (std::uint64_t number = 0; number < hashes; ++number) {
        const key_hash key = hash(number);
        for (std::size_t i = 0; i < streams.size(); ++i) {
            words[i] = remix(key, streams[i]);
            for (std::size_t j = 0; j < i; ++j) agreements[i][j] += 64 - std::popcount(words[i] ^ words[j]);
        }
    }
    const double mean = 32.0 * static_cast<double>(hashes);
    const double stddev = std::sqrt(16.0 * static_cast<double>(hashes));
    for (std::size_t i = 0; i < streams.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_NEAR(agreements[i][j], mean, 5 * stddev)
                << "streams " << streams[i] << " and " << streams[j];
}

TEST_P(RemixStreams, FillPairsOfBucketsEvenly) {
    const std::uint64_t buckets = 37;  // no power of two: fastrange must not favour any bucket
    const std::uint64_t hashes = buckets * buckets * 30;
    const hasher hash = test::numbered_hasher(2, GetParam());
    const auto streams = used_streams();
    for (std::size_t i = 0; i + 1 < streams.size(); ++i) {
        for (std::size_t j = i + 1; j < std::min(streams.size(), i + 4); ++j) {
            std::vector<std::uint64_t> counts(buckets * buckets);
            for (std::uint64_t number = 0; number < hashes; ++number) {
                const key_hash key = hash(number);
                ++counts[fastrange(remix(key, streams[i]), buckets) * buckets +
                         fastrange(remix(key, streams[j]), buckets)];
            }
            EXPECT_LT(std::abs(excess_sigmas(counts)), 5)
                << "streams " << streams[i] << " and " << streams[j];
        }
    }
}

TEST_P(RemixStreams, FillTheLowBitsEvenly) {
    // Blocked filters take positions from the low bits of a word; ranges take the high ones.
    const hasher hash = test::numbered_hasher(3, GetParam());
    for (const std::uint64_t number : used_streams()) {
        std::vector<std::uint64_t> counts(64 * 61);
        for (std::uint64_t key = 0; key < counts.size() * 30; ++key) {
            const std::uint64_t word = remix(hash(key), number);
            ++counts[(word & 63) * 61 + fastrange(word, 61)];
        }
        EXPECT_LT(std::abs(excess_sigmas(counts)), 5) << "stream " << number;
    }
}

INSTANTIATE_TEST_SUITE_P(Hashes, RemixStreams,
                         ::testing::Values(hash_id::siphash13, hash_id::xxh3, hash_id::mix, hash_id::fold),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace membrane
