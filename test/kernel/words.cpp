// The words of rank_code: ones counted, and the cells of a chain found, beside loops over the bits.
#include <membrane/kind/balanced_rank/word_code.hpp>

#include <random>

#include <gtest/gtest.h>

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

namespace membrane::test {
namespace {

// 0 if there is no such one.
std::uint64_t one_of_rank(std::uint64_t word, unsigned rank) {
    for (; rank != 0; --rank) word &= word - 1;
    return word & (~word + 1);
}

TEST(WordCode, FindsTheCellsOfAChain) {
    if (!kernel::has_kernels()) GTEST_SKIP() << "no kernels on this machine, or none wanted";
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 3000; ++round) {
        // Words with few ones, with many, and with none.
        std::uint64_t word = random();
        if (round % 3 == 1) word &= random() & random();
        if (round % 3 == 2) word |= random() | random();
        if (round % 100 == 0) word = round % 200 == 0 ? 0 : ~std::uint64_t{0};
        ASSERT_EQ(count_ones(word), static_cast<unsigned>(std::popcount(word)));
        for (unsigned chain = 0; chain < 63; ++chain) {
            ASSERT_EQ(cut_at(word, chain), word & low_bits(chain));
            const std::uint64_t chains = random() & random() << 1, bit = std::uint64_t{1} << chain;
            const auto rank = static_cast<unsigned>(std::popcount(chains & low_bits(chain)));
            const std::uint64_t starts = ~(word << 1);
            const std::uint64_t first = one_of_rank(starts, rank), next = one_of_rank(starts, rank + 1);
            const chain_cells used = cells_of_chain(chains | bit, bit, word),
                              unused = cells_of_chain(chains & ~bit, bit, word);
            ASSERT_EQ(used.first, first) << std::hex << word << ' ' << chains << std::dec << ' ' << chain;
            ASSERT_EQ(used.behind, next) << std::hex << word << ' ' << chains << std::dec << ' ' << chain;
            ASSERT_EQ(unused.first, first);
            ASSERT_EQ(unused.mask(), 0u);
            ASSERT_EQ(start_of_chain(chains | bit, bit, word), first);
            ASSERT_EQ(start_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(mask_of_chain(chains | bit, bit, word), next - first);
            ASSERT_EQ(mask_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(end_of_chain(chains | bit, bit, word), one_of_rank(~word, rank));
            ASSERT_EQ(end_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(with_zero_at(word, bit), with_bit_inserted(word, chain, false));
        }
        if (word != 0) {
            ASSERT_EQ(highest_one(word), static_cast<unsigned>(std::bit_width(word)) - 1);
        }
        ASSERT_EQ(lowest_one(word), static_cast<unsigned>(std::countr_zero(word)));
    }
}

}  // namespace
}  // namespace membrane::test

#endif
