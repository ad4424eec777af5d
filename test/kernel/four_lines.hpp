// What a batch asks of four lines at once is what it asks of each of them.
#include <membrane/base/target.hpp>

#if defined(MEMBRANE_TARGET_AVX2)

#include <array>
#include <random>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/kind/balanced_rank/four_lines.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

#include "support/oracle_line.hpp"

MEMBRANE_TARGET_BEGIN
namespace four_lines_test {

constexpr std::size_t keys = 4;

// The hash of a key that has this entry.
inline key_hash hash_with(line_entry entry, const line_layout& layout, std::uint64_t random) {
    const std::uint64_t upper = (entry.chain << 32) / layout.chains() + 1;
    const std::uint64_t between = random & low_bits(32) & ~low_bits(layout.fingerprint_bits());
    return {random, upper << 32 | between | entry.fingerprint};
}

inline hash_digits digits_of(const line_layout& layout) {
    filter_spec spec;
    spec[balanced_rank_field::lines] = 1;
    spec[balanced_rank_field::chains] = layout.chains();
    spec[balanced_rank_field::fingerprint_bits] = layout.fingerprint_bits();
    return hash_digits(spec);
}
// As the walk of a filter of numbers keeps it.
struct place {
    std::byte* line;
    line_entry entry;
};

template <layout_class Class>
void compare(const line_layout& layout) {
    SCOPED_TRACE(testing::Message() << "L " << layout.chains() << " Z " << layout.cells() << " R "
                                    << layout.fingerprint_bits());
    std::mt19937_64 random(layout.chains() * 64 + layout.cells());
    std::array<std::array<unsigned, 2>, 3> seen{};  // how often each answer was no and yes
    for (unsigned round = 0; round < 300; ++round) {
        alignas(64) std::array<std::array<std::byte, 64>, keys> bytes{};
        std::array<std::byte*, keys> lines{};
        std::array<key_hash, keys> hashes{};
        for (std::size_t i = 0; i < keys; ++i) {
            lines[i] = bytes[i].data();
            test::oracle_line line(layout, lines[i]);
            line_entry last{};
            const std::uint64_t entries =
                random() % 3 == 0 ? layout.cells() : random() % (layout.cells() + 1);
            while (line.count() < entries) {
                last = {random() % layout.chains(), random() & low_bits(layout.fingerprint_bits())};
                if (!line.contains(last)) line.insert(last);
            }
            line.set_forwarded(line.is_full() && random() % 2 == 0);
            const line_entry other{random() % layout.chains(), last.fingerprint};
            hashes[i] = random() % 2 == 0 ? hash_with(random() % 2 == 0 ? last : other, layout, random())
                                          : key_hash{random(), random()};
        }
        const four_lines<Class> together(layout, lines.data(), hashes.data());
        const std::uint64_t may_hold = together.may_hold(), contain = together.template contain<true>(),
                            contain_once = together.template contain<false>(),
                            may_have_forwarded = together.may_have_forwarded();
        std::array<place, keys> places{};
        for (std::size_t i = 0; i < keys; ++i) places[i] = {lines[i], digits_of(layout).of(hashes[i]).entry};
        const four_lines<Class> of_places(layout, places.data());
        ASSERT_EQ(of_places.may_hold(), may_hold);
        ASSERT_EQ(of_places.template contain<true>(), contain);
        ASSERT_EQ(of_places.may_have_forwarded(), may_have_forwarded);
        for (std::size_t i = 0; i < keys; ++i) {
            const auto of_key = [&](std::uint64_t bits) { return bits >> (keys - 1 - i) & 1; };
            const line<Class> alone(layout, lines[i]);
            const test::oracle_line oracle(layout, lines[i]);
            const line_entry entry = digits_of(layout).of(hashes[i]).entry;
            ASSERT_EQ(of_key(may_hold), alone.may_hold(entry)) << round;
            ASSERT_EQ(of_key(contain), oracle.contains(entry) ? 1u : 0u) << round;
            ASSERT_EQ(of_key(contain_once), oracle.contains(entry) ? 1u : 0u) << round;
            ASSERT_EQ(of_key(may_have_forwarded), oracle.may_have_forwarded(entry.chain) ? 1u : 0u) << round;
            ASSERT_TRUE(alone.may_hold(entry) == 1 || !oracle.contains(entry)) << round;
            ++seen[0][of_key(may_hold)], ++seen[1][of_key(contain)], ++seen[2][of_key(may_have_forwarded)];
        }
        ASSERT_EQ((may_hold | contain | contain_once | may_have_forwarded) >> keys, 0u);
    }
    for (const auto& answer : seen) {
        EXPECT_GT(answer[0], 0u);
        EXPECT_GT(answer[1], 0u);
    }
}

template <layout_class Class>
void compare_layouts(unsigned bits) {
    for (const unsigned chains : {2u, 31u, 47u, 52u, 62u, 63u}) {
        unsigned cells = 64;
        while (!fits_rank_line(chains, cells, bits)) --cells;
        for (const line_layout layout :
             {line_layout(chains, cells, bits), line_layout(chains, cells / 2, bits)})
            if (Class != layout_class::wide || layout.has_planes_in_words()) compare<Class>(layout);
    }
}
inline void compare_all() {
    compare_layouts<layout_class::bits_7>(7);
    for (const unsigned bits : {8u, 9u, 10u, 13u, 17u, 32u}) compare_layouts<layout_class::wide>(bits);
    for (const unsigned cells : {50u, 51u, 56u}) compare<layout_class::tight_8>({511 - 9 * cells, cells, 8});
}

}  // namespace four_lines_test
MEMBRANE_TARGET_END

#endif
