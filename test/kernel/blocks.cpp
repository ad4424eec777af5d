// The vector tests of a block beside the portable ones: the same answers for every number of bits, and the same bits set.
#include "kernel/block_lookups.hpp"

#include <array>
#include <random>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/bits_in_lanes.hpp>
#include <membrane/kind/blocked_bloom/bits_anywhere.hpp>

#if defined(MEMBRANE_HAVE_KERNELS)

namespace membrane::test {
namespace {

constexpr std::uint64_t most_bits = 32;
constexpr unsigned rounds = 300;

class BlockCode : public ::testing::Test {
protected:
    void SetUp() override {
        if (!kernel::has_kernels()) GTEST_SKIP() << "no kernels on this machine, or none wanted";
    }

    using line = std::array<std::byte, 64>;

    std::uint64_t random() { return random_(); }
    key_hash random_hash() { return {random(), random()}; }
    // Three bits in four are set; seven in eight where they must not be too few for many bits of a key.
    line random_line(bool is_full) {
        line made;
        for (std::byte& byte : made) {
            const std::uint64_t word = random();
            byte = static_cast<std::byte>((word | word >> 8 | (is_full ? word >> 16 : 0)) & 0xff);
        }
        return made;
    }

    // plain(line, hash) and vector(line, hash) answer; set(line, hash) makes the answer yes. Both answers must come.
    template <class Plain, class Vector, class Set>
    void expect_the_same(const Plain& plain, const Vector& vector, const Set& set) {
        unsigned yes = 0;
        for (unsigned round = 0; round < rounds; ++round) {
            alignas(64) line block = random_line(round % 2 == 0);
            const key_hash hash = random_hash();
            if (round % 3 == 0) {
                set(block, hash);
                ASSERT_TRUE(vector(block, hash));
                if (round % 2 == 0) {
                    // One bit less: of the key, often enough.
                    const std::uint64_t bit = random() % 512;
                    block[bit / 8] &= ~(std::byte{1} << (bit % 8));
                }
            }
            const bool answer = plain(block, hash);
            ASSERT_EQ(vector(block, hash), answer) << "round " << round;
            yes += answer ? 1 : 0;
        }
        EXPECT_GT(yes, 0u);
        EXPECT_LT(yes, rounds);
    }

    template <unsigned Bits>
    void expect_the_same_anywhere() {
        for (std::uint64_t k = 1; k <= most_bits; ++k) {
            SCOPED_TRACE(testing::Message() << k << " bits of " << Bits);
            const bits_anywhere<Bits> bits(k);
            expect_the_same([&](const line& at, key_hash hash) { return bits.are_set(at.data(), hash); },
                            [&](const line& at, key_hash hash) {
                                return kernel::holds_in_lanes<Bits>(at.data(), hash, k);
                            },
                            [&](line& at, key_hash hash) { bits.set(at.data(), hash); });
        }
    }
    template <unsigned Bits>
    void expect_the_same_balanced() {
        for (std::uint64_t k = 1; k <= most_bits; ++k)
            for (const std::uint64_t h : {std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{100}}) {
                SCOPED_TRACE(testing::Message() << k << " bits of " << Bits << ", threshold " << h);
                const typename bloom_block<Bits>::form form(h, h == 30);
                const auto block = [&](const line& at) {
                    return bloom_block<Bits>(const_cast<std::byte*>(at.data()), form);
                };
                expect_the_same(
                    [&](const line& at, key_hash hash) { return block(at).holds(hash, k); },
                    [&](const line& at, key_hash hash) { return kernel::holds_in_lanes(block(at), hash, k); },
                    [&](line& at, key_hash hash) { block(at).put(hash, k); });
            }
    }
    template <unsigned Bits, unsigned LaneBits>
    void expect_the_same_in_lanes() {
        SCOPED_TRACE(testing::Message() << "lanes of " << LaneBits << " bits in " << Bits);
        using plain = bits_in_lanes<Bits, LaneBits, plain_code>;
        using vector = bits_in_lanes<Bits, LaneBits, vector_code>;
        expect_the_same([](const line& at, key_hash hash) { return plain::are_set(at.data(), hash); },
                        [](const line& at, key_hash hash) { return vector::are_set(at.data(), hash); },
                        [](line& at, key_hash hash) {
                            line other = at;
                            plain::set(at.data(), hash);
                            vector::set(other.data(), hash);
                            ASSERT_EQ(other, at);
                        });
    }

private:
    std::mt19937_64 random_{1};
};

TEST_F(BlockCode, OfBitsAnywhereIsThePortableOne) {
    expect_the_same_anywhere<256>();
    expect_the_same_anywhere<512>();
}

TEST_F(BlockCode, OfBalancedBlocksIsThePortableOne) {
    expect_the_same_balanced<128>();
    expect_the_same_balanced<256>();
    expect_the_same_balanced<512>();
}

TEST_F(BlockCode, OfBitsInLanesIsThePortableOne) {
    expect_the_same_in_lanes<256, 32>();
    expect_the_same_in_lanes<256, 64>();
    expect_the_same_in_lanes<512, 32>();
    expect_the_same_in_lanes<512, 64>();
}

}  // namespace
}  // namespace membrane::test

#endif
