// The hash of integers must not see their pattern: each word, and pairs of bits from both as the kinds take them, fill tables as evenly
// as random words do: neither less evenly nor, as a single multiplication does with numbers in a row, more evenly.
#include <membrane/hash/hasher.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/hash/remix.hpp>

#include "hash/evenness.hpp"
#include "support/integer_patterns.hpp"
#include "support/keys.hpp"

namespace membrane {
namespace {

// Keys from the system, and those that people give by hand.
std::vector<hash_key> hash_keys() {
    std::vector<hash_key> keys{{0, 0}, {1, 2}, {0, 1}, {UINT64_MAX, UINT64_MAX}};
    for (std::uint64_t i = 0; i < 8; ++i) keys.push_back(test::numbered_hasher(i).key);
    return keys;
}

class IntegerFold : public ::testing::TestWithParam<test::integer_pattern> {
protected:
    static constexpr std::uint64_t numbers = 100'000;
    static std::uint64_t asked() { return std::min(numbers, GetParam().count); }

    // cell_of(hash): which cell of a table of so many.
    template <class CellOf>
    static void expect_even(std::uint64_t cells, const char* what, const CellOf& cell_of) {
        for (const hash_key& key : hash_keys()) {
            std::vector<std::uint64_t> counts(cells);
            for (std::uint64_t i = 0; i < asked(); ++i)
                ++counts[cell_of(integer_fold(key, GetParam().at(i)))];
            EXPECT_LT(std::abs(excess_sigmas(counts)), 5) << what << ", key " << to_hex(key);
        }
    }
    // About 20 integers for each cell.
    static std::uint64_t many_cells() { return asked() / 20 | 1; }
};

TEST_P(IntegerFold, SpreadsTheHighBitsOfBothWords) {
    expect_even(many_cells(), "low", [](const key_hash& hash) { return fastrange(hash.low, many_cells()); });
    expect_even(many_cells(), "high",
                [](const key_hash& hash) { return fastrange(hash.high, many_cells()); });
}

TEST_P(IntegerFold, SpreadsTheLowBitsOfBothWords) {
    expect_even(64, "low", [](const key_hash& hash) { return hash.low & 63; });
    expect_even(64, "high", [](const key_hash& hash) { return hash.high & 63; });
}

TEST_P(IntegerFold, HasUnrelatedWords) {
    // As in a block: its number from the low word, a position in a lane from six bits of the high one.
    for (unsigned at = 0; at <= 58; at += 2)
        expect_even(64, "three bits of each word",
                    [&](const key_hash& hash) { return hash.low >> 61 << 3 | (hash.high >> at & 7); });
}

TEST_P(IntegerFold, FillsStreamsEvenly) {
    for (const std::uint64_t number : {stream::start, stream::stride, stream::block, stream::independent + 1})
        expect_even(many_cells(), "stream",
                    [&](const key_hash& hash) { return fastrange(remix(hash, number), many_cells()); });
}

std::string name_of_pattern(const ::testing::TestParamInfo<test::integer_pattern>& tested) {
    std::string name;
    for (const char c : std::string(tested.param.name))
        if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    return name;
}
INSTANTIATE_TEST_SUITE_P(Patterns, IntegerFold, ::testing::ValuesIn(test::integer_patterns), name_of_pattern);

}  // namespace
}  // namespace membrane
