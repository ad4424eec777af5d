// The lines' code for newer machines beside the lines' own: the same answers and the same bytes after every operation.
#include <membrane/kind/balanced_rank/rank_code.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/planned_lines.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_KERNELS)

namespace membrane::test {
namespace {

// Called and not inlined, as through the library's tables of functions.
template <class Tested>
struct called {
    using tested = Tested;

    [[gnu::noinline]] MEMBRANE_NEW_CODE static void insert(rank_line& line, line_entry entry) {
        tested::insert(line, entry);
    }
    template <bool KeepsEqual>
    [[gnu::noinline]] MEMBRANE_NEW_CODE static line_offer offer(rank_line& line, line_entry entry) {
        return tested::template offer<KeepsEqual>(line, entry);
    }
    template <bool KeepsEqual>
    [[gnu::noinline]] MEMBRANE_NEW_CODE static line_offer quick_offer(rank_line& line, line_entry entry) {
        return tested::template quick_offer<KeepsEqual>(line, entry);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool erase(rank_line& line, line_entry entry) {
        const line_cell cell = tested::find(line, entry);
        if (cell) tested::remove(line, entry.chain, cell);
        return static_cast<bool>(cell);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool is_full(const rank_line& line) {
        return tested::is_full(line);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static line_cell find_alike(const rank_line& line, line_entry entry,
                                                                    unsigned low_count) {
        return tested::find_alike(line, entry, low_count);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static void exchange(rank_line& line, std::uint64_t chain,
                                                             const line_cell& cell, line_entry last) {
        tested::exchange(line, chain, cell, last);
    }
    template <bool KeepsEqual>
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool contains(const rank_line& line, line_entry entry) {
        return tested::template contains<KeepsEqual>(line, entry);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool has_alike(const rank_line& line, line_entry entry) {
        return tested::has_alike(line, entry);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool may_hold(const rank_line& line, line_entry entry) {
        return tested::may_hold(line, entry);
    }
    [[gnu::noinline]] MEMBRANE_NEW_CODE static bool may_have_forwarded(const rank_line& line,
                                                                       std::uint64_t chain) {
        return tested::may_have_forwarded(line, chain);
    }
};

template <unsigned Bits, bool IsTight = false>
using code = called<rank_code<Bits, 0, IsTight>>;

// Searches, in a line that both have alike.
template <class Code>
void search(const rank_line& plain, const rank_line& other, line_entry asked) {
    ASSERT_EQ(Code::template contains<true>(other, asked), plain.contains(asked));
    ASSERT_TRUE(Code::may_hold(other, asked) || !plain.contains(asked));
    ASSERT_TRUE(Code::has_alike(other, asked) || !plain.contains(asked));
    const rank_line_shape& shape = plain.shape();
    if (shape.fingerprint_bits() >= 8) {
        const auto wanted = static_cast<std::byte>(asked.fingerprint & 0xff);
        ASSERT_EQ(Code::has_alike(other, asked),
                  std::find(plain.data(), plain.data() + 64, wanted) != plain.data() + 64);
    }
    if (plain.is_well_formed(false)) {  // no entry is twice in it
        ASSERT_EQ(Code::template contains<false>(other, asked), plain.contains(asked));
    }
    ASSERT_EQ(Code::is_full(other), plain.is_full());
    ASSERT_EQ(Code::may_have_forwarded(other, asked.chain), plain.may_have_forwarded(asked.chain));
    for (unsigned low_count = 0; low_count <= plain.shape().fingerprint_bits(); ++low_count) {
        const line_cell found = Code::find_alike(other, asked, low_count);
        const line_cell expected = plain.find_alike(asked, low_count);
        ASSERT_EQ(found.chain_cells, expected.chain_cells) << "but for " << low_count << " bits";
        if (expected) {
            ASSERT_EQ(found.at, expected.at) << "but for " << low_count << " bits";
        }
    }
}

// The quick offer: as the other, or undecided. True: it was taken; `plain` has the entry then, too.
template <class Code>
bool offer_quickly(rank_line& plain, rank_line& other, line_entry entry, bool keeps_equal) {
    const line_offer found = keeps_equal ? Code::template quick_offer<true>(other, entry)
                                         : Code::template quick_offer<false>(other, entry);
    const bool is_present = !keeps_equal && plain.contains(entry);
    if (found == line_offer::taken) {
        EXPECT_FALSE(plain.is_full() || is_present);
        plain.insert(entry);
    } else if (found == line_offer::present) {
        EXPECT_TRUE(is_present);
    } else if (found == line_offer::full) {
        EXPECT_TRUE(plain.is_full() && !is_present);
    } else {
        // Full, or a byte that equals the fingerprint's stands where the entry would.
        const auto byte = static_cast<std::byte>(entry.fingerprint & 0xff);
        const bool is_like_another = !keeps_equal && std::find(plain.data(), plain.data() + rank_line_bytes,
                                                               byte) != plain.data() + rank_line_bytes;
        EXPECT_TRUE(plain.is_full() || is_like_another);
    }
    EXPECT_TRUE(std::equal(plain.data(), plain.data() + rank_line_bytes, other.data()));
    return found == line_offer::taken;
}

// An entry of a full line for one that is not below any.
template <class Code>
void exchange(rank_line& plain, rank_line& other, line_entry gone, std::uint64_t more) {
    const line_cell cell = plain.find(gone);
    if (!cell || !plain.is_full()) return;
    const line_entry largest = plain.largest_of_full();
    ASSERT_EQ(largest, plain.largest());
    const rank_line_shape& shape = plain.shape();
    line_entry last{largest.chain + more % (shape.chains() - largest.chain), more >> 8};
    last.fingerprint &= low_bits(shape.fingerprint_bits());
    if (last < largest) last = largest;
    Code::exchange(other, gone.chain, cell, last);
    plain_line_code::exchange(plain, gone.chain, cell, last);
}

// `KeepsEqual`: entries may come more than once.
template <class Code, bool KeepsEqual = true>
void play(const rank_line_shape& shape, unsigned operations) {
    SCOPED_TRACE(testing::Message() << "L " << shape.chains() << " Z " << shape.cells() << " R "
                                    << shape.fingerprint_bits());
    alignas(64) std::array<std::byte, 64> plain_bytes{}, new_bytes{};
    ASSERT_TRUE(Code::tested::suits(shape));
    rank_line plain(shape, plain_bytes.data());
    rank_line other(Code::tested::shape_of(shape), new_bytes.data());
    std::mt19937_64 random(shape.chains() * 4096 + shape.cells() * 64 + shape.fingerprint_bits());
    for (unsigned step = 0; step < operations; ++step) {
        const std::uint64_t few = std::min<std::uint64_t>(shape.chains(), 1 + random() % 8);
        const std::uint64_t mask = random() % 2 == 0 ? 3 : ~std::uint64_t{0};
        const line_entry entry{random() % (random() % 4 == 0 ? few : shape.chains()),
                               random() & mask & low_bits(shape.fingerprint_bits())};
        if (random() % 100 < (step / 200 % 2 == 0 ? 70u : 30u)) {
            const bool is_full = plain.is_full();
            if (plain.contains(entry)) {
                ASSERT_EQ(Code::template offer<false>(other, entry), line_offer::present);
                ASSERT_FALSE(offer_quickly<Code>(plain, other, entry, false));
                ASSERT_EQ(new_bytes, plain_bytes);
                if (!KeepsEqual) continue;
            }
            const bool keeps_equal = random() % 2 == 0 || plain.contains(entry);
            if (step % 3 != 0) {
                const bool is_taken = offer_quickly<Code>(plain, other, entry, keeps_equal);
                ASSERT_FALSE(testing::Test::HasFailure()) << "in operation " << step;
                if (is_taken) continue;
            }
            ASSERT_EQ(keeps_equal ? Code::template offer<true>(other, entry)
                                  : Code::template offer<false>(other, entry),
                      is_full ? line_offer::full : line_offer::taken);
            if (is_full) {
                ASSERT_EQ(new_bytes, plain_bytes);
                // Now and then with the mark that only full lines have.
                plain.set_forwarded(step % 2 == 0);
                other.set_forwarded(step % 2 == 0);
                ASSERT_EQ(Code::template offer<true>(other, entry), line_offer::full);
                if (!(entry < plain.largest())) continue;
                Code::insert(other, entry);
            }
            plain.insert(entry);
        } else {
            plain.set_forwarded(false);
            other.set_forwarded(false);
            ASSERT_EQ(Code::erase(other, entry), plain.erase(entry));
        }
        ASSERT_EQ(new_bytes, plain_bytes) << "after operation " << step;
        if (plain.is_full()) {
            plain.set_forwarded(step % 2 == 0);
            other.set_forwarded(step % 2 == 0);
            if (KeepsEqual) exchange<Code>(plain, other, entry, random());
        }
        ASSERT_EQ(new_bytes, plain_bytes) << "after operation " << step;
        search<Code>(plain, other, entry);
        search<Code>(plain, other, {random() % shape.chains(), entry.fingerprint});
    }
}

TEST(RankLineCode, IsTheLinesOwn) {
    if (!kernel::has_kernels()) GTEST_SKIP() << "this machine has no kernels";
    unsigned number = 0, tight = 0;
    for (unsigned bits = 1; bits <= 32; ++bits)
        for (unsigned chains = 1; chains <= 63; ++chains)
            for (unsigned cells = 1; cells <= 64; ++cells) {
                if (!fits_rank_line(chains, cells, bits)) continue;
                const bool is_widest = !fits_rank_line(chains, cells + 1, bits) && chains % 9 == 7;
                if (!is_widest && ++number % 499 != 0) continue;
                const rank_line_shape shape(chains, cells, bits);
                tight += shape.is_tight() ? 1 : 0;
                play<code<0>>(shape, 600);
                play<code<0>, false>(shape, 300);
                // Those of the usual rates, in the first table and in the second.
                if (bits == 7) play<code<7>>(shape, 600);
                if (bits == 7) play<code<7>, false>(shape, 600);
                if (bits == 8) play<code<8>>(shape, 600);
                if (bits == 8) play<code<8>, false>(shape, 600);
                if (shape.is_tight()) play<code<8, true>>(shape, 600);
                if (shape.is_tight()) play<code<8, true>, false>(shape, 600);
                if (bits == 10) play<code<10>>(shape, 600);
                if (bits == 10) play<code<10>, false>(shape, 600);
                if (bits == 11) play<code<11>>(shape, 600);
                if (bits == 12) play<code<12>>(shape, 600);
                if (bits == 13) play<code<13>>(shape, 600);
                if (bits == 15) play<code<15>>(shape, 600);
            }
    EXPECT_EQ(tight, 7u);
}

template <class Planned>
void play_planned(const rank_line_shape& first, const rank_line_shape& second) {
    play<called<Planned>>(first, 3000);
    play<called<Planned>, false>(first, 3000);
    play<called<typename Planned::second>>(second, 3000);
    play<called<typename Planned::second>, false>(second, 3000);
}
template <unsigned Bits>
void play_planned_for() {
    play_planned<planned_rank_code<Bits, false>>(planned_line<Bits>, planned_line<Bits>);
    play_planned<planned_rank_code<Bits, true>>(planned_line<Bits>, planned_carried_line<Bits>);
    EXPECT_FALSE((planned_rank_code<Bits, true>::suits(planned_carried_line<Bits>)));
}

TEST(RankLineCode, ThatKnowsTheShapeIsTheLinesOwn) {
    if (!kernel::has_kernels()) GTEST_SKIP() << "this machine has no kernels";
    play_planned_for<7>();
    play_planned_for<8>();
    play_planned_for<10>();
    play_planned_for<13>();
}

}  // namespace
}  // namespace membrane::test

#endif
