// What a batch asks of four lines at once is what it asks of each of them.
#include <membrane/kind/balanced_rank/looks.hpp>

#include <array>
#include <random>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/line_code.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

#include "kernel/level.hpp"

#if defined(MEMBRANE_HAVE_AVX2)

namespace membrane::test {
namespace {

constexpr std::size_t looked_up_keys = 4;

struct answers {
    std::uint64_t may_hold, contain, contain_once, may_have_forwarded;
};
template <class Looks>
[[gnu::noinline]] MEMBRANE_NEW_CODE answers answers_of(const rank_line_shape& shape, std::byte* const* lines,
                                                       const key_hash* hashes) {
    const Looks at(shape, lines, hashes);
    return {at.may_hold(), at.template contain<true>(), at.template contain<false>(),
            at.may_have_forwarded()};
}

// The hash of a key that has this entry.
key_hash hash_with(line_entry entry, const rank_line_shape& shape, std::uint64_t random) {
    const std::uint64_t upper = (entry.chain << 32) / shape.chains() + 1;
    const std::uint64_t between = random & low_bits(32) & ~low_bits(shape.fingerprint_bits());
    return {random, upper << 32 | between | entry.fingerprint};
}

template <unsigned Bits>
void compare(const rank_line_shape& shape) {
    SCOPED_TRACE(testing::Message() << "L " << shape.chains() << " Z " << shape.cells() << " R " << Bits);
    std::mt19937_64 random(shape.chains() * 64 + shape.cells());
    std::array<std::array<unsigned, 2>, 4> seen{};  // of each answer the noes and the yeses
    for (unsigned round = 0; round < 300; ++round) {
        alignas(64) std::array<std::array<std::byte, 64>, looked_up_keys> bytes{};
        std::array<std::byte*, looked_up_keys> lines{};
        std::array<key_hash, looked_up_keys> hashes{};
        for (std::size_t i = 0; i < looked_up_keys; ++i) {
            lines[i] = bytes[i].data();
            rank_line line(shape, lines[i]);
            line_entry last{};
            const std::uint64_t entries = random() % 3 == 0 ? shape.cells() : random() % (shape.cells() + 1);
            while (line.count() < entries) {
                last = {random() % shape.chains(), random() & low_bits(Bits)};
                if (!line.contains(last)) line.insert(last);
            }
            line.set_forwarded(line.is_full() && random() % 2 == 0);
            const line_entry other{random() % shape.chains(), last.fingerprint};
            hashes[i] = random() % 2 == 0 ? hash_with(random() % 2 == 0 ? last : other, shape, random())
                                          : key_hash{random(), random()};
        }
        const answers together = answers_of<look_at_four_lines<Bits>>(shape, lines.data(), hashes.data());
        for (std::size_t i = 0; i < looked_up_keys; ++i) {
            const auto of_key = [&](std::uint64_t bits) { return bits >> (looked_up_keys - 1 - i) & 1; };
            const answers alone = answers_of<look_at_one_line<rank_code<Bits>>>(shape, &lines[i], &hashes[i]);
            const look_at_one_line<plain_line_code> plain(shape, &lines[i], &hashes[i]);
            ASSERT_EQ(of_key(together.may_hold), alone.may_hold) << round;
            ASSERT_EQ(of_key(together.contain), plain.contain<true>()) << round;
            ASSERT_EQ(of_key(together.contain_once), plain.contain<true>()) << round;
            ASSERT_EQ(of_key(together.may_have_forwarded), plain.may_have_forwarded()) << round;
            ASSERT_TRUE(alone.may_hold == 1 || alone.contain == 0) << round;
            ++seen[0][alone.may_hold], ++seen[1][alone.contain], ++seen[2][alone.contain_once],
                ++seen[3][alone.may_have_forwarded];
        }
        ASSERT_EQ(
            (together.may_hold | together.contain | together.contain_once | together.may_have_forwarded) >>
                looked_up_keys,
            0u);
    }
    for (const auto& answer : seen) {
        EXPECT_GT(answer[0], 0u);
        EXPECT_GT(answer[1], 0u);
    }
}

template <unsigned Bits>
void compare_shapes() {
    for (const unsigned chains : {2u, 31u, 47u, 52u, 62u, 63u}) {
        unsigned cells = 64;
        while (!fits_rank_line(chains, cells, Bits)) --cells;
        compare<Bits>({chains, cells, Bits});
        compare<Bits>({chains, cells / 2, Bits});
    }
}

TEST(RankLooks, AtFourLinesAreThoseAtEach) {
    if (!kernel::has_kernels()) GTEST_SKIP() << "this machine has no kernels";
    compare_shapes<7>();
    compare_shapes<8>();
    compare_shapes<10>();
    compare_shapes<13>();
}

}  // namespace
}  // namespace membrane::test

#endif
