// The line operations of one target beside the obvious implementation: the same answers, and the same bytes after every operation.
// Compiled once for each target (line_operations_*.cpp).
#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

#include "support/oracle_line.hpp"
#include "support/targets.hpp"

MEMBRANE_TARGET_BEGIN
namespace line_test {

using test::oracle_cell;
using test::oracle_line;

// Chains of cells in words, beside loops over the bits.
inline std::uint64_t obvious_one_of_rank(std::uint64_t word, unsigned rank) {
    for (; rank != 0; --rank) word &= word - 1;
    return word & (~word + 1);
}
inline void compare_words() {
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 3000; ++round) {
        // Words with few ones, with many, and with none.
        std::uint64_t word = random();
        if (round % 3 == 1) word &= random() & random();
        if (round % 3 == 2) word |= random() | random();
        if (round % 100 == 0) word = round % 200 == 0 ? 0 : ~std::uint64_t{0};
        ASSERT_EQ(count_ones(word), static_cast<unsigned>(std::popcount(word)));
        ASSERT_EQ(lowest_one(word), static_cast<unsigned>(std::countr_zero(word)));
        if (word != 0) {
            ASSERT_EQ(highest_one(word), static_cast<unsigned>(std::bit_width(word)) - 1);
        }
        ASSERT_EQ(with_answer(round, word), 2 * std::uint64_t{round} + (word != 0 ? 1 : 0));
        for (unsigned chain = 0; chain < 63; ++chain) {
            ASSERT_EQ(cut_at(word, chain), word & low_bits(chain));
            const std::uint64_t chains = random() & random() << 1, bit = std::uint64_t{1} << chain;
            const auto rank = static_cast<unsigned>(std::popcount(chains & low_bits(chain)));
            const std::uint64_t starts = ~(word << 1);
            const std::uint64_t first = obvious_one_of_rank(starts, rank),
                                next = obvious_one_of_rank(starts, rank + 1);
            ASSERT_EQ(start_of_chain(chains | bit, bit, word), first)
                << std::hex << word << ' ' << chains << std::dec << ' ' << chain;
            ASSERT_EQ(start_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(mask_of_chain(chains | bit, bit, word), next - first);
            ASSERT_EQ(mask_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(end_of_chain(chains | bit, bit, word), obvious_one_of_rank(~word, rank));
            ASSERT_EQ(end_of_chain(chains & ~bit, bit, word), 0u);
            ASSERT_EQ(with_zero_at(word, bit), with_bit_inserted(word, chain, false));
            ASSERT_EQ(without_bit_at(word, bit), with_bit_removed(word, chain));
            const std::uint64_t other = random();
            std::int64_t sum = 0;
            ASSERT_EQ(overflows(word, reinterpret_cast<const std::byte*>(&other)),
                      __builtin_add_overflow(static_cast<std::int64_t>(word),
                                             static_cast<std::int64_t>(other), &sum));
            ASSERT_EQ(fastrange_of(other, chains), fastrange(other, chains));
        }
    }
}

// Searches, in a line that both have alike.
template <layout_class Class>
void search(const oracle_line& oracle, line<Class>& tested, line_entry asked) {
    const line_layout& layout = oracle.layout();
    ASSERT_EQ(tested.template contains<true>(asked), oracle.contains(asked));
    ASSERT_EQ(tested.count_of(asked), oracle.count_of(asked));
    ASSERT_TRUE(tested.may_hold(asked) == 1 || !oracle.contains(asked));
    ASSERT_LE(tested.may_hold(asked), 1u);
    ASSERT_TRUE(tested.has_equal_byte_for(asked) || !oracle.contains(asked));
    if (layout.fingerprint_bits() >= 8) {
        const auto wanted = static_cast<std::byte>(asked.fingerprint & 0xff);
        ASSERT_EQ(tested.has_equal_byte_for(asked),
                  std::find(oracle.data(), oracle.data() + 64, wanted) != oracle.data() + 64);
    }
    if (oracle.is_well_formed(false)) {  // no entry is twice in it
        ASSERT_EQ(tested.template contains<false>(asked), oracle.contains(asked));
    }
    ASSERT_EQ(tested.is_well_formed(true), oracle.is_well_formed(true));
    ASSERT_EQ(tested.is_well_formed(false), oracle.is_well_formed(false));
    ASSERT_EQ(tested.count(), oracle.count());
    ASSERT_EQ(tested.is_full(), oracle.is_full());
    ASSERT_EQ(tested.has_forwarded(), oracle.has_forwarded());
    ASSERT_EQ(tested.may_have_forwarded(asked.chain), oracle.may_have_forwarded(asked.chain));
    if (oracle.count() != 0) {
        ASSERT_EQ(tested.largest(), oracle.largest());
    }
    if (oracle.is_full()) {
        ASSERT_EQ(tested.largest_of_full(), oracle.largest());
    }
    for (unsigned low_count = 0; low_count <= layout.fingerprint_bits(); ++low_count) {
        const line_cell found = tested.find_alike(asked, low_count);
        const oracle_cell expected = oracle.find_alike(asked, low_count);
        ASSERT_EQ(found.chain_cells, expected.chain_cells) << "but for " << low_count << " bits";
        if (!expected) continue;
        ASSERT_EQ(found.at, expected.at) << "but for " << low_count << " bits";
        ASSERT_EQ(tested.low_fingerprint(found.at, low_count), oracle.low_fingerprint(found.at, low_count));
    }
    std::vector<line_entry> expected, found;
    oracle.for_each([&](line_entry entry) { expected.push_back(entry); });
    tested.for_each([&](line_entry entry) { found.push_back(entry); });
    ASSERT_EQ(found, expected);
}

// Quick insertion. True: inserted, and the oracle has the entry, too.
template <layout_class Class>
bool insert_quickly(oracle_line& oracle, line<Class>& tested, line_entry entry, bool keeps_equal) {
    const bool is_present = !keeps_equal && oracle.contains(entry);
    const bool is_inserted = keeps_equal ? tested.template insert_quickly<true>(entry)
                                         : tested.template insert_quickly<false>(entry);
    if (is_inserted) {
        EXPECT_FALSE(oracle.is_full() || is_present);
        oracle.insert(entry);
    } else {
        // It cannot tell only if the line is full, or an equal byte stands where the entry would.
        const auto mask = static_cast<std::byte>(low_bits(oracle.layout().fingerprint_bits()));
        const bool has_equal_byte =
            std::any_of(oracle.data(), oracle.data() + rank_line_bytes, [&](std::byte byte) {
                return (byte & mask) == (static_cast<std::byte>(entry.fingerprint) & mask);
            });
        EXPECT_TRUE(oracle.is_full() || (!keeps_equal && has_equal_byte));
    }
    EXPECT_TRUE(std::equal(oracle.data(), oracle.data() + rank_line_bytes, tested.data()));
    return is_inserted;
}

// Replaces an entry of a full line by one that is below none.
template <layout_class Class>
void replace(oracle_line& oracle, line<Class>& tested, line_entry gone, std::uint64_t more) {
    const line_cell cell = tested.find(gone);
    if (!cell || !oracle.is_full()) return;
    const line_entry largest = oracle.largest();
    const line_layout& layout = oracle.layout();
    line_entry last{largest.chain + more % (layout.chains() - largest.chain), more >> 8};
    last.fingerprint &= low_bits(layout.fingerprint_bits());
    if (last < largest) last = largest;
    tested.replace(gone.chain, cell, last);
    oracle.remove(gone.chain, {cell.chain_cells, cell.at});
    oracle.insert(last);
}

// KeepsEqual: entries may come more than once.
template <layout_class Class, bool KeepsEqual>
void play(const line_layout& layout, unsigned operations) {
    SCOPED_TRACE(testing::Message() << "L " << layout.chains() << " Z " << layout.cells() << " R "
                                    << layout.fingerprint_bits() << " class " << static_cast<int>(Class));
    alignas(64) std::array<std::byte, 64> oracle_bytes{}, tested_bytes{};
    oracle_line oracle(layout, oracle_bytes.data());
    line<Class> tested(layout, tested_bytes.data());
    std::mt19937_64 random(layout.chains() * 4096 + layout.cells() * 64 + layout.fingerprint_bits());
    const auto set_forwarded = [&](bool yes) {
        oracle.set_forwarded(yes);
        tested.set_forwarded(yes);
    };
    for (unsigned step = 0; step < operations; ++step) {
        const std::uint64_t few = std::min<std::uint64_t>(layout.chains(), 1 + random() % 8);
        const std::uint64_t mask = random() % 2 == 0 ? 3 : ~std::uint64_t{0};
        const line_entry entry{random() % (random() % 4 == 0 ? few : layout.chains()),
                               random() & mask & low_bits(layout.fingerprint_bits())};
        if (random() % 100 < (step / 200 % 2 == 0 ? 70u : 30u)) {
            const bool is_full = oracle.is_full();
            if (oracle.contains(entry)) {
                ASSERT_EQ(tested.template insert<false>(entry), insertion::present);
                if constexpr (line<Class>::has_quick_insert) {
                    ASSERT_FALSE(insert_quickly(oracle, tested, entry, false));
                }
                ASSERT_EQ(tested_bytes, oracle_bytes);
                if (!KeepsEqual) continue;
            }
            const bool keeps_equal = random() % 2 == 0 || oracle.contains(entry);
            if constexpr (line<Class>::has_quick_insert)
                if (step % 3 != 0) {
                    const bool is_inserted = insert_quickly(oracle, tested, entry, keeps_equal);
                    ASSERT_FALSE(testing::Test::HasFailure()) << "in operation " << step;
                    if (is_inserted) continue;
                }
            ASSERT_EQ(
                keeps_equal ? tested.template insert<true>(entry) : tested.template insert<false>(entry),
                is_full ? insertion::refused : insertion::inserted);
            if (is_full) {
                ASSERT_EQ(tested_bytes, oracle_bytes);
                set_forwarded(step % 2 == 0);  // which only full lines are
                ASSERT_EQ(tested.template insert<true>(entry), insertion::refused);
                if (!(entry < oracle.largest())) continue;
                tested.insert_instead_of_largest(entry);
            }
            oracle.insert(entry);
        } else {
            set_forwarded(false);
            const line_cell cell = tested.find(entry);
            ASSERT_EQ(static_cast<bool>(cell), oracle.erase(entry));
            if (cell) tested.remove(entry.chain, cell);
        }
        ASSERT_EQ(tested_bytes, oracle_bytes) << "after operation " << step;
        if (oracle.is_full()) {
            set_forwarded(step % 2 == 0);
            if (KeepsEqual) replace(oracle, tested, entry, random());
        }
        ASSERT_EQ(tested_bytes, oracle_bytes) << "after operation " << step;
        search(oracle, tested, entry);
        search(oracle, tested, {random() % layout.chains(), entry.fingerprint});
        if (testing::Test::HasFatalFailure()) return;
    }
}
template <layout_class Class>
void play_both(const line_layout& layout, unsigned operations) {
    play<Class, true>(layout, operations);
    play<Class, false>(layout, operations);
}
inline void play_in_every_class(const line_layout& layout, unsigned operations) {
    play_both<layout_class::any>(layout, operations);
    if (layout.fingerprint_bits() == 7) play_both<layout_class::bits_7>(layout, operations);
    if (layout.fingerprint_bits() >= 8 && layout.has_planes_in_words())
        play_both<layout_class::wide>(layout, operations);
    if (layout.is_tight()) play_both<layout_class::tight_8>(layout, operations);
}

// A sample of all legal layouts; the widest ones and all tight ones among them.
inline void play_all() {
    unsigned number = 0, tight = 0;
    for (unsigned bits = 1; bits <= 32; ++bits)
        for (unsigned chains = 1; chains <= 63; ++chains)
            for (unsigned cells = 1; cells <= 64; ++cells) {
                if (!fits_rank_line(chains, cells, bits)) continue;
                const line_layout layout(chains, cells, bits);
                const bool is_widest = !fits_rank_line(chains, cells + 1, bits) && chains % 9 == 7;
                if (!layout.is_tight() && !is_widest && ++number % 499 != 0) continue;
                tight += layout.is_tight() ? 1 : 0;
                play_in_every_class(layout, 300);
                if (testing::Test::HasFatalFailure()) return;
            }
    EXPECT_EQ(tight, 7u);
}

}  // namespace line_test
MEMBRANE_TARGET_END
