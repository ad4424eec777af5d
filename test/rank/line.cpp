// The obvious line, which the targets are compared with, beside a plain sorted list: every legal layout of a sample, random operations.
#include "support/oracle_line.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/spec.hpp>

#include "support/keys.hpp"

namespace membrane::test {
namespace {

class reference_line {
public:
    explicit reference_line(unsigned cells) : cells_(cells) {}
    bool is_full() const { return entries_.size() == cells_; }
    void insert(line_entry entry) {
        entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry), entry);
    }
    bool erase(line_entry entry) {
        const auto at = std::find(entries_.begin(), entries_.end(), entry);
        if (at == entries_.end()) return false;
        entries_.erase(at);
        return true;
    }
    const std::vector<line_entry>& entries() const { return entries_; }

private:
    std::size_t cells_;
    std::vector<line_entry> entries_;
};

void play(std::uint64_t chains, std::uint64_t cells, std::uint64_t bits, unsigned operations) {
    SCOPED_TRACE(testing::Message() << "L " << chains << " Z " << cells << " R " << bits);
    const line_layout layout(chains, cells, bits);
    alignas(64) std::array<std::byte, 64> bytes{};
    oracle_line line(layout, bytes.data());
    reference_line plain(layout.cells());
    random_numbers random(chains * 4096 + cells * 64 + bits);
    // Few values, so that equal entries and long chains are met; a few from the whole range.
    const auto draw = [&] {
        const std::uint64_t few = std::min<std::uint64_t>(chains, 1 + random.below(8));
        const std::uint64_t mask = random.below(2) == 0 ? 3 : low_bits(bits);
        const std::uint64_t chain = random.below(random.below(4) == 0 ? few : chains);
        return line_entry{chain, random.next() & mask & low_bits(bits)};
    };
    for (unsigned step = 0; step < operations; ++step) {
        const line_entry entry = draw();
        const bool grow = random.below(100) < (step / 200 % 2 == 0 ? 70 : 30);
        if (grow && !plain.is_full()) {
            plain.insert(entry);
            line.insert(entry);
        } else if (!grow) {
            const line_entry gone = random.below(2) == 0 || plain.entries().empty()
                                        ? entry
                                        : plain.entries()[random.below(plain.entries().size())];
            ASSERT_EQ(line.erase(gone), plain.erase(gone));
        }
        ASSERT_EQ(line.count(), plain.entries().size());
        ASSERT_EQ(line.count_of(entry), std::count(plain.entries().begin(), plain.entries().end(), entry));
        if (step % 16 != 0) continue;
        std::vector<line_entry> found;
        line.for_each([&](line_entry each) { found.push_back(each); });
        ASSERT_EQ(found, plain.entries());
        ASSERT_TRUE(line.is_well_formed());
        for (const bool is_marked : {line.is_full(), false}) {
            line.set_forwarded(is_marked);
            for (std::uint64_t chain = 0; chain < chains; ++chain)
                ASSERT_EQ(line.may_have_forwarded(chain), is_marked && chain >= line.largest_chain());
        }
        if (!found.empty()) {
            ASSERT_EQ(line.largest(), plain.entries().back());
        }
    }
    while (!plain.entries().empty()) {
        const line_entry last = plain.entries()[random.below(plain.entries().size())];
        ASSERT_TRUE(line.erase(last) && plain.erase(last));
    }
    ASSERT_EQ(bytes, (std::array<std::byte, 64>{}));
}

template <class Visit>
void for_each_layout(std::uint64_t bits, Visit visit) {
    for (std::uint64_t chains = 1; chains <= 63; ++chains)
        for (std::uint64_t cells = 1; cells <= 64; ++cells)
            if (fits_rank_line(chains, cells, bits)) visit(chains, cells);
}

TEST(RankLine, IsASortedList) {
    unsigned number = 0;
    for (std::uint64_t bits = 1; bits <= 32; ++bits)
        for_each_layout(bits, [&](std::uint64_t chains, std::uint64_t cells) {
            const bool is_widest = !fits_rank_line(chains, cells + 1, bits) && chains % 9 == 7;
            if (is_widest || ++number % 997 == 0) play(chains, cells, bits, 300);
        });
}

class LongRankLine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LongRankLine, OfEveryLayoutIsASortedList) {
    for_each_layout(GetParam(), [](std::uint64_t chains, std::uint64_t cells) {
        play(chains, cells, GetParam(), 100'000);
    });
}

INSTANTIATE_TEST_SUITE_P(Bits, LongRankLine, testing::Range<std::uint64_t>(1, 33));

TEST(RankLine, KeepsTheFlagBesideItsEntries) {
    const line_layout layout(52, 51, 8);
    std::array<std::byte, 64> bytes{};
    oracle_line line(layout, bytes.data());
    for (std::uint64_t i = 0; i < 51; ++i) line.insert({i % 40, i});
    line.set_forwarded(true);
    EXPECT_TRUE(line.is_well_formed() && line.has_forwarded() && line.is_full());
    EXPECT_FALSE(line.may_have_forwarded(38));
    EXPECT_TRUE(line.may_have_forwarded(39));
    EXPECT_TRUE(line.may_have_forwarded(51));
    EXPECT_TRUE(line.erase({0, 0}));
    EXPECT_FALSE(line.is_well_formed()) << "a line that forwarded is full";
}

}  // namespace
}  // namespace membrane::test
