// Real lookups of strangers in filters with choices, against the model: independent and strided places, all groups in one
// block, keys that came one by one and keys that chose together.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <membrane/kind/blocked_bloom/spec.hpp>

#include "statistics/choice_specs.hpp"

namespace membrane::test {
namespace {

struct choice_scheme {
    const char* name;
    std::uint64_t probed, growth, strides;
};
constexpr choice_scheme independent_places{"independent", probes::independent, growth::cube,
                                           strides::coprime};
constexpr choice_scheme odd_strides{"odd strides", probes::two_hash, growth::cube, strides::coprime};
constexpr choice_scheme any_strides{"any strides", probes::two_hash, growth::cube, strides::any};
constexpr choice_scheme cubic{"any strides, cubic", probes::enhanced, growth::cube, strides::any};
constexpr choice_scheme odd_tetrahedral{"odd strides, tetrahedral", probes::enhanced, growth::tetrahedral,
                                        strides::coprime};
constexpr choice_scheme blocked{"blocked", choice_probes::blocked, growth::cube, strides::coprime};

filter_spec spec_of(const choice_scheme& places, std::uint64_t size_bits, std::uint64_t choices,
                    std::uint64_t k, std::uint64_t rounds = 1) {
    filter_spec spec =
        choice_spec(size_bits / 512 * 512, choices, k, rounds, search::annealed, places.probed);
    spec[choice_field::growth] = places.growth;
    spec[choice_field::strides] = places.strides;
    return spec;
}

struct trial {
    std::uint64_t keys, filters, strangers;
};

// The mean over filters with hash keys of their own.
double measured_rate(const filter_spec& spec, const trial& made) {
    model::running_summary rates;
    for (std::uint64_t i = 0; i < made.filters; ++i) {
        const hasher hash = numbered_hasher(400 + i);
        const any_filter filter = chosen(spec, hashes_of(hash, 0, made.keys), hash);
        rates.add(static_cast<double>(false_positives(filter, hash, made.strangers)) /
                  static_cast<double>(made.strangers));
    }
    return rates.mean();
}

// The table of keys that chose together is good to 0.3 % of the ones (model/choice_offline.hpp), and the rate is their k-th
// power.
double table_error_of(std::uint64_t k) { return 0.003 * static_cast<double>(k); }

// `table_error`: of the model itself, where it rests on a table.
double expect_predicted(const filter_spec& spec, const trial& made, double table_error = 0) {
    const kind_entry& kind = *find_entry(kind_id::choice_bloom);
    const double predicted = kind.plan.predicted_fpr(spec, made.keys);
    const double measured = measured_rate(spec, made);
    const auto accepted = model::five_sigma(predicted, made.strangers, made.filters,
                                            kind.plan.fpr_stddev_between(spec, made.keys));
    EXPECT_GE(measured, accepted.low - table_error * predicted) << "predicted " << predicted;
    EXPECT_LE(measured, accepted.high + table_error * predicted) << "predicted " << predicted;
    return measured;
}

struct size_and_groups {
    std::uint64_t bits_per_key, choices, k;
    trial made;
};
// The best k of each row.
constexpr size_and_groups online_rows[] = {{8, 2, 7, {5000, 8, 50'000}},
                                           {8, 3, 7, {5000, 8, 50'000}},
                                           {16, 2, 13, {3000, 8, 500'000}},
                                           {16, 3, 13, {3000, 8, 500'000}}};

TEST(ChoiceRates, OfKeysThatCameOneByOneAreTheModels) {
    for (const choice_scheme& places :
         {independent_places, odd_strides, any_strides, cubic, odd_tetrahedral, blocked})
        for (const size_and_groups& row : online_rows) {
            SCOPED_TRACE(std::string(places.name) + ", " + std::to_string(row.bits_per_key) + " bits");
            expect_predicted(spec_of(places, row.bits_per_key * row.made.keys, row.choices, row.k), row.made);
        }
}

TEST(ChoiceRates, OfKeysThatChoseTogetherAreTheModels) {
    for (const choice_scheme& places : {independent_places, odd_strides, blocked})
        for (const size_and_groups& row : {size_and_groups{8, 2, 8, {4000, 6, 50'000}},
                                           {8, 3, 8, {4000, 6, 50'000}},
                                           {16, 2, 13, {3000, 6, 400'000}},
                                           {16, 3, 14, {3000, 6, 400'000}}}) {
            SCOPED_TRACE(std::string(places.name) + ", " + std::to_string(row.bits_per_key) + " bits");
            expect_predicted(spec_of(places, row.bits_per_key * row.made.keys, row.choices, row.k, 30),
                             row.made, table_error_of(row.k));
        }
}

// Keys that share start and stride, or run into each other's progression, are taken for one another. At 32 bits per key that
// is most of the rate; f(i) = i^3 leaves a small part of it.
void expect_strides_penalty_and_remedy(const trial& made) {
    const auto rate = [&](const choice_scheme& places) {
        SCOPED_TRACE(places.name);
        return expect_predicted(spec_of(places, 32 * made.keys, 2, 24), made);
    };
    const kind_entry& kind = *find_entry(kind_id::choice_bloom);
    const double from_ones =
        kind.plan.predicted_fpr(spec_of(independent_places, 32 * made.keys, 2, 24), made.keys);
    const double strided = rate(any_strides), odd = rate(odd_strides), remedied = rate(cubic);
    const double odd_remedied = rate(odd_tetrahedral);
    EXPECT_GT(odd, 10 * from_ones);
    EXPECT_GT(strided, 2 * odd);
    EXPECT_LT(remedied, strided / 10);
    EXPECT_LT(odd_remedied, odd / 2);
}
TEST(ChoiceRates, At32BitsSufferFromStridesAndTheCubicFormHelps) {
    expect_strides_penalty_and_remedy({992, 40, 100'000});
}
TEST(LongChoiceRates, At32BitsSufferFromStridesAndTheCubicFormHelps) {
    expect_strides_penalty_and_remedy({10'000, 40, 2'500'000});
}

// i odd + i^3 has the parity of the start: the keys would gather in one half of the array.
TEST(ChoiceRates, WouldSufferFromGroupsOfOneParity) {
    for (const std::uint64_t how : {growth::square, growth::cube}) {
        filter_spec spec = spec_of(odd_tetrahedral, 32000, 2, 24);
        spec[choice_field::growth] = how;
        const auto refused = check_choice_bloom_spec(spec);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().what, "growth");
        spec[choice_field::strides] = strides::any;
        EXPECT_TRUE(check_choice_bloom_spec(spec));
    }
}

// One line a lookup and, with the keys at hand, a lower rate in the same memory.
TEST(BlockedChoice, HasTheModelsRateBelowThatOfBlockedBloomWhereKeysChoseTogether) {
    const kind_entry& other = *find_entry(kind_id::blocked_bloom);
    for (const double bits : {8.0, 12.0, 16.0}) {
        const trial made{20'000, 2, bits < 10 ? 50'000u : 400'000u};
        const auto rival = value_of(other.plan.size({.keys = made.keys, .bits_per_key = bits}, {}));
        const std::uint64_t size_bits = rival[blocked_field::blocks] * rival[blocked_field::block_bits];
        const auto k = static_cast<std::uint64_t>(bits < 10 ? 8 : bits < 14 ? 11 : 13);
        const auto spec = spec_of(blocked, size_bits, 3, k, 40);
        SCOPED_TRACE(bits);
        const double measured = expect_predicted(spec, made, table_error_of(k));
        EXPECT_LT(measured, other.plan.predicted_fpr(rival, made.keys));
    }
}

TEST(BlockedChoice, ReadsOneLineForMembersAndStrangers) {
    const hasher hash = numbered_hasher(31);
    const auto keys = hashes_of(hash, 0, 2000);
    const any_filter filter = filled(spec_of(blocked, 16384, 4, 9), keys, hash);
    for (const key_hash& key : keys) EXPECT_EQ(value_of(filter.lookup_lines(key)), 1u);
    for (const key_hash& stranger : hashes_of(hash, 1 << 30, 2000))
        EXPECT_EQ(value_of(filter.lookup_lines(stranger)), 1u);
}

TEST(BlockedChoice, WithOneGroupHasTheBitsOfBlockedBloom) {
    const hasher hash = numbered_hasher(32);
    const auto keys = hashes_of(hash, 0, 500);
    filter_spec rival = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    rival[blocked_field::blocks] = 12;
    rival[blocked_field::k] = 11;
    rival[blocked_field::lanes] = block_lanes::none;
    auto bits = payload_of(filled(spec_of(blocked, 12 * 512, 1, 11), keys, hash));
    bits.resize(bits.size() - sizeof(std::uint64_t));  // the key sum
    EXPECT_EQ(bits, payload_of(filled(rival, keys, hash)));
}

}  // namespace
}  // namespace membrane::test
