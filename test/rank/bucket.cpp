// rank_bucket beside the plain one: the same answers and, bit for bit, the picture that the chains demand, in one
// segment and over three.
#include <membrane/kind/rank/bucket.hpp>

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "reference_bucket.hpp"
#include "support/keys.hpp"

namespace membrane::test {
namespace {

struct bucket_case {
    std::uint64_t chains, fingerprint_bits, value_bits;
    std::array<std::uint64_t, 3> cells;  // of the bucket and of its extensions; 0 ends them
    unsigned odd_bits;                   // before each part, so that nothing is aligned by luck
};

class pair_of_buckets {
public:
    explicit pair_of_buckets(const bucket_case& made)
        : shape_{static_cast<std::uint8_t>(made.chains), static_cast<std::uint8_t>(made.fingerprint_bits),
                 static_cast<std::uint8_t>(made.value_bits)},
          plain_(made.chains),
          random_(made.chains * 65536 + made.fingerprint_bits * 256 + made.cells[0] + made.value_bits) {
        std::uint64_t bits = made.odd_bits;
        base_at_ = bits;
        bits += made.chains + made.odd_bits;
        for (const std::uint64_t cells : made.cells) {
            if (cells == 0) break;
            segments_.push_back({bits, bits + cells + made.odd_bits, cells});
            bits += cells + made.odd_bits + cells * shape_.cell_bits() + made.odd_bits;
        }
        bits_ = bits;
        memory_.assign(*packed_bits::size_bytes(bits), std::byte{0});
    }

    rank_bucket bucket() {
        rank_bucket made(packed_bits(memory_.data()), shape_, base_at_, segments_.front());
        for (std::size_t i = 1; i < segments_.size(); ++i) made.extend(segments_[i]);
        return made;
    }

    void play(unsigned operations) {
        rank_bucket tested = bucket();
        // Long enough to fill the bucket and to empty it again.
        const auto phase = static_cast<unsigned>(16 + 3 * tested.capacity());
        for (unsigned step = 0; step < operations; ++step) {
            // Few values, so that equal entries and long chains are met; a few from the whole range.
            const std::uint64_t few = std::min<std::uint64_t>(shape_.chains, 1 + random_.below(8));
            const std::uint64_t chain = random_.below(random_.below(4) == 0 ? few : shape_.chains);
            const std::uint64_t cell =
                random_.next() & (random_.below(2) == 0 ? 3 : UINT64_MAX) & low_bits(shape_.cell_bits());
            const bool grow = random_.below(100) < (step / phase % 2 == 0 ? 70u : 30u);
            if (grow && plain_.size() < tested.capacity()) {
                plain_.insert(chain, cell);
                tested.insert(chain, cell);
            } else if (!grow) {
                const auto& cells = plain_.chain(chain);
                const std::uint64_t gone =
                    cells.empty() || random_.below(4) == 0 ? cell : cells[random_.below(cells.size())];
                ASSERT_EQ(erase(tested, chain, gone), plain_.erase(chain, gone));
            }
            ASSERT_EQ(tested.size(), plain_.size());
            ASSERT_TRUE(has_cells(tested, chain, plain_.chain(chain)));
            if (step % 16 == 0) expect_same_bits();
            if (testing::Test::HasFatalFailure()) return;
        }
        while (plain_.size() != 0) {
            const std::size_t chain = random_.below(shape_.chains);
            if (plain_.chain(chain).empty()) continue;
            const std::uint64_t gone = plain_.chain(chain)[random_.below(plain_.chain(chain).size())];
            ASSERT_TRUE(erase(tested, chain, gone) && plain_.erase(chain, gone));
        }
        for (const std::byte byte : memory_) ASSERT_EQ(byte, std::byte{0});
    }

private:
    static bool erase(rank_bucket& bucket, std::uint64_t chain, std::uint64_t cell) {
        std::optional<std::uint64_t> found;
        bucket.visit_chain(chain, [&](std::uint64_t at, std::uint64_t here) {
            if (here == cell) found = at;
            return !found;
        });
        if (found) bucket.erase(chain, *found);
        return found.has_value();
    }
    static bool has_cells(const rank_bucket& bucket, std::uint64_t chain,
                          const std::vector<std::uint64_t>& wanted) {
        std::size_t seen = 0;
        bool are_equal = true;
        bucket.visit_chain(chain, [&](std::uint64_t, std::uint64_t cell) {
            are_equal = are_equal && seen < wanted.size() && wanted[seen] == cell;
            ++seen;
            return true;
        });
        return are_equal && seen == wanted.size();
    }

    // The memory is what the picture says and nothing else: zero behind the last entry and between the parts.
    void expect_same_bits() {
        plain_.draw(picture_);
        expected_.assign(memory_.size(), std::byte{0});
        for (std::size_t i = 0; i < picture_.base.size(); ++i) draw_bits(base_at_ + i, picture_.base[i]);
        std::size_t next = 0;
        for (const rank_segment& segment : segments_)
            for (std::uint64_t i = 0; i < segment.cells && next < picture_.cells.size(); ++i, ++next) {
                draw_bits(segment.index_at + i, picture_.higher[next]);
                draw_bits(segment.cells_at + i * shape_.cell_bits(), picture_.cells[next]);
            }
        ASSERT_EQ(memory_, expected_);
        ASSERT_TRUE(bucket().is_well_formed());
        std::size_t visited = 0;
        bucket().for_each([&](std::uint64_t, std::uint64_t cell) {
            ASSERT_TRUE(visited < picture_.cells.size() && picture_.cells[visited] == cell);
            ++visited;
        });
        ASSERT_EQ(visited, picture_.cells.size());
    }
    // Ones of a value that is not above its place, byte by byte: the tested code's own writer is not asked.
    void draw_bits(std::uint64_t at, std::uint64_t value) {
        for (unsigned __int128 shifted = static_cast<unsigned __int128>(value) << (at % 8); shifted != 0;
             shifted >>= 8, at += 8)
            expected_[at / 8] |= static_cast<std::byte>(shifted & 0xff);
    }

    rank_cell_shape shape_;
    std::uint64_t base_at_ = 0, bits_ = 0;
    std::vector<rank_segment> segments_;
    std::vector<std::byte> memory_, expected_;
    reference_bucket plain_;
    reference_bucket::picture picture_;
    random_numbers random_;
};

void play(const bucket_case& made, unsigned operations) {
    SCOPED_TRACE(testing::Message() << "L " << made.chains << " R " << made.fingerprint_bits << " V "
                                    << made.value_bits << " Z " << made.cells[0] << " " << made.cells[1]
                                    << " " << made.cells[2]);
    pair_of_buckets both(made);
    both.play(operations);
}

bucket_case alone(std::uint64_t chains, std::uint64_t bits, std::uint64_t cells) {
    return {chains, bits, std::min<std::uint64_t>(64 - bits, (bits + chains + cells) % 12), {cells, 0, 0}, 0};
}
bucket_case extended(std::uint64_t chains, std::uint64_t bits, std::uint64_t cells) {
    bucket_case made = alone(chains, bits, cells);
    made.cells = {cells, 1 + chains % 20, 1 + bits};
    made.odd_bits = static_cast<unsigned>(1 + bits % 7);
    return made;
}

constexpr std::uint64_t most_chains = 64;

// Every L, and cells from one to more than the paper's buckets have, alone and with two extensions.
template <class Visit>
void for_each_sample(std::uint64_t bits, Visit visit) {
    constexpr std::uint64_t sizes[]{1, 3, 16, 64, 65, 111};
    for (std::uint64_t chains = 1; chains <= most_chains; ++chains)
        for (const std::uint64_t cells : sizes) {
            visit(alone(chains, bits, cells));
            visit(extended(chains, bits, cells));
        }
}

TEST(RankBucket, IsItsChains) {
    unsigned number = 0;
    for (std::uint64_t bits = 1; bits <= 56; ++bits)
        for_each_sample(bits, [&](const bucket_case& made) {
            if (number++ % 211 == 0) play(made, 1500);
        });
}

TEST(RankBucket, OfThePapersShapesIsItsChains) {
    for (const bucket_case& made :
         {bucket_case{64, 7, 0, {87, 16, 57}, 0}, bucket_case{64, 10, 0, {70, 14, 53}, 0},
          bucket_case{64, 14, 0, {111, 18, 63}, 0}, bucket_case{64, 6, 2, {64, 10, 54}, 3},
          bucket_case{64, 32, 32, {20, 5, 5}, 1}, bucket_case{1, 3, 0, {5, 5, 5}, 0}})
        play(made, 20'000);
}

class LongRankBucket : public testing::TestWithParam<std::uint64_t> {};

constexpr unsigned long_operations = 100'000;

// Every L, and every Z up to twice a word of ranks: the paper's largest bucket has 111.
TEST_P(LongRankBucket, OfEveryShapeIsItsChains) {
    for (std::uint64_t chains = 1; chains <= most_chains; ++chains)
        for (std::uint64_t cells = 1; cells <= 128; ++cells)
            play(alone(chains, GetParam(), cells), long_operations);
}

TEST_P(LongRankBucket, WithExtensionsIsItsChains) {
    for_each_sample(GetParam(), [](const bucket_case& made) {
        if (made.cells[1] != 0) play(made, long_operations);
    });
}

// Up to the most cells that a specification may ask for; some L, since few chains are long ones.
TEST_P(LongRankBucket, OfManyCellsIsItsChains) {
    for (const std::uint64_t chains : {1u, 7u, 33u, 64u})
        for (const std::uint64_t cells : {129u, 200u, 511u, 1000u, 4096u})
            play(alone(chains, GetParam(), cells), long_operations);
}

INSTANTIATE_TEST_SUITE_P(Bits, LongRankBucket, testing::Range<std::uint64_t>(3, 33));

TEST(RankBucket, SeesThatBytesAreNotOfABucket) {
    const rank_cell_shape shape{8, 4, 0};
    std::vector<std::byte> memory(*packed_bits::size_bytes(8 + 5 + 20));
    packed_bits bits(memory.data());
    rank_bucket bucket(bits, shape, 0, {8, 13, 5});
    for (std::uint64_t i = 0; i < 4; ++i) bucket.insert(i % 3, i + 1);
    EXPECT_TRUE(bucket.is_well_formed());
    for (std::uint64_t bit = 8 + 4; bit < 8 + 5; ++bit) {
        bits.put(bit, true);
        EXPECT_FALSE(bucket.is_well_formed()) << "a higher bit behind the last entry";
        bits.put(bit, false);
    }
    bits.put(13 + 16, true);
    EXPECT_FALSE(bucket.is_well_formed()) << "a cell behind the last entry";
    bits.put(13 + 16, false);
    for (std::uint64_t chain = 3; chain < 8; ++chain) bits.put(chain, true);
    EXPECT_FALSE(bucket.is_well_formed()) << "more chains than cells";
    EXPECT_LE(bucket.size(), bucket.capacity());
}

}  // namespace
}  // namespace membrane::test
