// Header-only filters in units with and without AVX2, linked into one program: each unit runs its own target, and both give the same
// answers, refusals and bytes. Nothing of the library is linked. test/native/symbols.py looks at the symbols of the two objects.
#include <algorithm>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/kind/bloom/spec.hpp>

#include "native/unit.hpp"

namespace membrane::test {
namespace {

void expect_same(const filter_spec& spec, std::uint64_t keys, bool may_refuse) {
    const outcome expected = portable_unit().play(spec, keys);
    EXPECT_EQ(expected.stored < keys, may_refuse);
    EXPECT_EQ(expected.answers, expected.single_answers);
    for (std::uint64_t i = 0; i < expected.stored && !may_refuse; ++i)
        ASSERT_TRUE((expected.answers[i / 64] >> (i % 64) & 1) != 0) << i;
    EXPECT_TRUE(expected == avx2_unit().play(spec, keys));
}

struct rank_case {
    std::uint64_t bits, chains, second_bits;
};

// Of 8 bits the lines are tight with 52 chains, and not with 50.
filter_spec rank_spec_of(std::uint64_t form, const rank_case& wanted, std::uint64_t lines) {
    constexpr std::uint64_t second_chains = 55, served = 400;
    filter_spec spec = initial_spec(kind_id::balanced_rank, balanced_rank_fields);
    spec[balanced_rank_field::form] = form;
    spec[balanced_rank_field::lines] = lines;
    spec[balanced_rank_field::chains] = wanted.chains;
    spec[balanced_rank_field::cells] = std::min<std::uint64_t>(64, (511 - wanted.chains) / (wanted.bits + 1));
    spec[balanced_rank_field::fingerprint_bits] = wanted.bits;
    spec[balanced_rank_field::served_chains] = served;
    spec[balanced_rank_field::second_chains] = second_chains;
    spec[balanced_rank_field::second_cells] =
        std::min<std::uint64_t>(64, (511 - second_chains) / (wanted.second_bits + 1));
    spec[balanced_rank_field::second_fingerprint_bits] = wanted.second_bits;
    spec[balanced_rank_field::list_slots] = 300;
    if (has_universe(form))
        spec[balanced_rank_field::universe] =
            universe_of_at_least(static_cast<double>(rank_places(lines, wanted.chains, wanted.bits)) / 3);
    return spec;
}

// Every class of layouts, with second tables of the same class and of another; until the list refuses, and a little further.
void expect_same_rank(std::uint64_t lines, bool is_far) {
    for (const std::uint64_t bits : {6u, 7u, 8u, 10u, 13u})
        for (const std::uint64_t chains : {52u, 50u})
            for (const std::uint64_t more_bits : {0u, 3u, 5u})
                for (const std::uint64_t form : {balanced_rank_form::fixed, balanced_rank_form::growable,
                                                 balanced_rank_form::erasable}) {
                    const filter_spec spec = rank_spec_of(form, {bits, chains, bits + more_bits}, lines);
                    if (!check_balanced_rank_spec(spec)) continue;
                    SCOPED_TRACE(testing::Message()
                                 << bits << " bits, " << chains << " chains, second table of "
                                 << bits + more_bits << " bits, form " << form);
                    const std::uint64_t cells = spec[balanced_rank_field::cells];
                    expect_same(spec, is_far ? lines / 4096 * cells : lines * (cells + 12), !is_far);
                }
}

TEST(NativeUnits, RunTheTargetTheyAreCompiledFor) {
    EXPECT_EQ(portable_unit().target, "portable");
    EXPECT_EQ(avx2_unit().target, "avx2");
}
TEST(NativeUnits, HaveTheSameRankIndexedLines) { expect_same_rank(150, false); }
TEST(NativeUnits, HaveTheSameRankIndexedLinesInMemory) { expect_same_rank(140'000, true); }
TEST(NativeUnits, HaveTheSameBlocks) {
    expect_same(*blocked_bloom_spec_for_bits(5000, 10), 5000, false);
    expect_same(*blocked_bloom_anywhere_spec_for_bits(5000, 14), 5000, false);
}
TEST(NativeUnits, HaveTheSameFlatArrays) {
    filter_spec spec = *bloom_spec_for(20'000, 0.001);
    spec[flat_field::probes] = probes::two_hash;
    expect_same(spec, 20'000, false);
}

}  // namespace
}  // namespace membrane::test
