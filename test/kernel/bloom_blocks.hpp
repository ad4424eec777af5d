// Whether a Bloom block holds a key's bits, in one target, beside loops over the bits.
#include <array>
#include <random>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/bits_anywhere.hpp>
#include <membrane/kind/blocked_bloom/bits_in_lanes.hpp>
#include <membrane/part/bloom_block.hpp>

#include "support/targets.hpp"

MEMBRANE_TARGET_BEGIN

class block_test {
    static constexpr std::uint64_t most_bits = 32;
    static constexpr unsigned rounds = 300;
    using block = std::array<std::byte, 64>;

public:
    void compare_anywhere() {
        compare_anywhere<256>();
        compare_anywhere<512>();
    }
    void compare_balanced() {
        compare_balanced<128>();
        compare_balanced<256>();
        compare_balanced<512>();
    }
    void compare_lanes() {
        compare_lanes<256, 32>();
        compare_lanes<256, 64>();
        compare_lanes<512, 32>();
        compare_lanes<512, 64>();
    }

private:
    static bool test(const block& at, std::uint64_t bit) {
        return (at[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0};
    }
    // Three bits in four are set; seven in eight where they must not be too few for many bits of a key.
    block random_block(bool is_full) {
        block made;
        for (std::byte& byte : made) {
            const std::uint64_t word = random_();
            byte = static_cast<std::byte>((word | word >> 8 | (is_full ? word >> 16 : 0)) & 0xff);
        }
        return made;
    }
    // obvious(block, hash) and tested(block, hash) answer; set(block, hash) makes the answer yes. Both answers must come.
    template <class Obvious, class Tested, class Set>
    void expect_the_same(const Obvious& obvious, const Tested& tested, const Set& set) {
        unsigned yes = 0;
        for (unsigned round = 0; round < rounds; ++round) {
            alignas(64) block at = random_block(round % 2 == 0);
            const key_hash hash{random_(), random_()};
            if (round % 3 == 0) {
                set(at, hash);
                ASSERT_TRUE(tested(at, hash));
                if (round % 2 == 0) {
                    // One bit less: of the key, often enough.
                    const std::uint64_t bit = random_() % 512;
                    at[bit / 8] &= ~(std::byte{1} << (bit % 8));
                }
            }
            const bool answer = obvious(at, hash);
            ASSERT_EQ(tested(at, hash), answer) << "round " << round;
            yes += answer ? 1 : 0;
        }
        EXPECT_GT(yes, 0u);
        EXPECT_LT(yes, rounds);
    }
    template <unsigned Bits>
    void compare_anywhere() {
        for (std::uint64_t k = 1; k <= most_bits; ++k) {
            SCOPED_TRACE(testing::Message() << k << " bits of " << Bits);
            const bits_anywhere<Bits> bits(k);
            expect_the_same(
                [&](const block& at, key_hash hash) {
                    bool all = true;
                    for_each_block_bit<Bits>(hash, stream::block_bits, k,
                                             [&](std::uint64_t bit) { all = all && test(at, bit); });
                    return all;
                },
                [&](const block& at, key_hash hash) { return bits.are_set(at.data(), hash); },
                [&](block& at, key_hash hash) { bits.set(at.data(), hash); });
        }
    }
    template <unsigned Bits>
    void compare_balanced() {
        for (std::uint64_t k = 1; k <= most_bits; ++k)
            for (const std::uint64_t h : {std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{100}}) {
                SCOPED_TRACE(testing::Message() << k << " bits of " << Bits << ", threshold " << h);
                const typename bloom_block<Bits>::form form(h, h == 30);
                const auto of = [&](const block& at) {
                    return bloom_block<Bits>(const_cast<std::byte*>(at.data()), form);
                };
                const auto obvious = [&](const block& at, key_hash hash, std::uint64_t count) {
                    bool all = true;
                    for (std::uint64_t i = 0; i < count; ++i) {
                        const std::uint64_t word = remix(hash, stream::block_positions + i / 4);
                        all = all && test(at, (word >> (16 * (i % 4)) & 0xffff) * form.usable_bits >> 16);
                    }
                    return all;
                };
                expect_the_same([&](const block& at, key_hash hash) { return obvious(at, hash, k); },
                                [&](const block& at, key_hash hash) {
                                    EXPECT_EQ(of(at).may_hold(hash, k),
                                              obvious(at, hash, std::min<std::uint64_t>(k, 8)));
                                    return of(at).holds(hash, k);
                                },
                                [&](block& at, key_hash hash) { of(at).put(hash, k); });
            }
    }
    template <unsigned Bits, unsigned LaneBits>
    void compare_lanes() {
        SCOPED_TRACE(testing::Message() << "lanes of " << LaneBits << " bits in " << Bits);
        using scalar = scalar_bits_in_lanes<Bits, LaneBits>;
        using tested = bits_in_lanes<Bits, LaneBits>;
        expect_the_same([](const block& at, key_hash hash) { return scalar::are_set(at.data(), hash); },
                        [](const block& at, key_hash hash) { return tested::are_set(at.data(), hash); },
                        [](block& at, key_hash hash) {
                            block other = at;
                            scalar::set(at.data(), hash);
                            tested::set(other.data(), hash);
                            ASSERT_EQ(other, at);
                        });
    }

    std::mt19937_64 random_{1};
};

MEMBRANE_TARGET_END
