// The numbers of growable and erasable filters: their map to addresses and back, everywhere in small universes and at the borders of
// lines in large ones, and the layouts that are chosen for them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/model/balanced_rank.hpp>

#include "rank/owned.hpp"
#include "support/instrumented.hpp"

namespace membrane::test {
namespace {

filter_spec digits_spec(std::uint64_t universe, std::uint64_t lines, std::uint64_t chains,
                        std::uint64_t bits) {
    filter_spec spec;
    spec[balanced_rank_field::universe] = universe;
    spec[balanced_rank_field::lines] = lines;
    spec[balanced_rank_field::chains] = chains;
    spec[balanced_rank_field::fingerprint_bits] = bits;
    return spec;
}

// The same digits by division: the place of number x in a table of so many places.
std::uint64_t place_by_division(std::uint64_t number, std::uint64_t universe, std::uint64_t places) {
    __extension__ using uint128 = unsigned __int128;
    const uint128 h = static_cast<uint128>(number) * number_stride(universe);
    return static_cast<std::uint64_t>(h * places >> 64);
}

TEST(RankNumbers, GoToAPlaceOfTheirOwnAndBackInOrder) {
    std::uint64_t maps = 0;
    for (std::uint64_t universe = least_universe; universe <= 64; ++universe)
        for (std::uint64_t lines = 1; lines <= std::min<std::uint64_t>(8, universe - 1); ++lines)
            for (std::uint64_t chains = 1; chains <= 8; ++chains)
                for (std::uint64_t bits = 1; bits <= 8; ++bits) {
                    const std::uint64_t places = rank_places(lines, chains, bits);
                    if (lines >= universe || !tells_numbers_apart(places, universe)) continue;
                    ++maps;
                    const number_digits digits(digits_spec(universe, lines, chains, bits));
                    const number_reader reader(digits);
                    std::uint64_t last = UINT64_MAX, next_number = 0;
                    for (std::uint64_t number = 0; number < universe; ++number) {
                        const rank_address at = digits.of_number(number);
                        ASSERT_LT(at.line, lines);
                        ASSERT_LT(at.entry.chain, chains);
                        ASSERT_EQ(at.entry.fingerprint >> bits, 0u);
                        const std::uint64_t place = digits.place_of(at);
                        ASSERT_EQ(place, place_by_division(number, universe, places));
                        ASSERT_TRUE(last == UINT64_MAX || place > last);
                        last = place;
                        ASSERT_EQ(reader.number_at(at), number);
                    }
                    // Places of no number.
                    for (std::uint64_t place = 0; place < places; ++place) {
                        const rank_address at{place / (chains << bits),
                                              {(place >> bits) % chains, place & low_bits(bits)}};
                        const bool is_one = next_number < universe &&
                                            place_by_division(next_number, universe, places) == place;
                        ASSERT_EQ(reader.number_at(at).has_value(), is_one) << place;
                        next_number += is_one ? 1 : 0;
                    }
                    for (std::uint64_t line = 0; line <= lines; ++line) {
                        std::uint64_t first = 0;
                        while (first < universe && digits.of_number(first).line < line) ++first;
                        ASSERT_EQ(reader.first_number_of(line), first);
                    }
                }
    EXPECT_GT(maps, 20'000u);
}

TEST(RankNumbers, OfLargeUniversesComeBackAtTheBordersOfLines) {
    std::mt19937_64 random(1);
    unsigned layouts = 0;
    while (layouts < 300) {
        const std::uint64_t universe =
            universe_of_at_least(std::exp2(10 + static_cast<double>(random() % 4600) / 100));
        const std::uint64_t chains = 1 + random() % 63, bits = 1 + random() % 40;
        const std::uint64_t lines = 1 + (random() >> (20 + random() % 44));
        const std::uint64_t places = rank_places(lines, chains, bits);
        if (universe == 0 || lines >= universe || places == UINT64_MAX ||
            !tells_numbers_apart(places, universe))
            continue;
        ++layouts;
        const number_digits digits(digits_spec(universe, lines, chains, bits));
        const number_reader reader(digits);
        for (unsigned i = 0; i < 2000; ++i) {
            const std::uint64_t line = i < 2 ? i * (lines - 1) : random() % lines;
            const std::uint64_t first = reader.first_number_of(line);
            ASSERT_TRUE(first == universe || digits.of_number(first).line >= line);
            ASSERT_TRUE(first == 0 || digits.of_number(first - 1).line < line);
            const std::uint64_t from =
                i % 2 == 0 ? first - std::min<std::uint64_t>(first, 3) : random() % universe;
            std::uint64_t last = UINT64_MAX;
            for (std::uint64_t number = from; number < std::min(universe, from + 6); ++number) {
                const rank_address at = digits.of_number(number);
                ASSERT_LT(at.line, lines);
                ASSERT_LT(at.entry.chain, chains);
                ASSERT_TRUE(last == UINT64_MAX || digits.place_of(at) > last);
                last = digits.place_of(at);
                ASSERT_EQ(last, place_by_division(number, universe, places));
                ASSERT_EQ(reader.number_at(at), number);
            }
        }
    }
}

TEST(RankNumbers, OfACoarserUniverseAreTheSameWithoutTheirLowBits) {
    std::mt19937_64 random(2);
    for (unsigned i = 0; i < 100'000; ++i) {
        const std::uint64_t universe = universe_of_at_least(std::exp2(12 + random() % 43));
        const unsigned bits =
            static_cast<unsigned>(random() % (static_cast<unsigned>(std::countr_zero(universe)) + 1));
        if (universe >> bits < least_universe) continue;
        const std::uint64_t word = random();
        ASSERT_EQ(fastrange(word, universe >> bits), fastrange(word, universe) >> bits);
    }
}

// ---- layouts

model::balanced_rank_shape shape_of(const filter_spec& spec, double keys) {
    model::balanced_rank_shape shape;
    shape.form = model::rank_model_form::erasable;
    shape.first = {spec[balanced_rank_field::fingerprint_bits], spec[balanced_rank_field::chains],
                   spec[balanced_rank_field::cells]};
    shape.second = {spec[balanced_rank_field::second_fingerprint_bits],
                    spec[balanced_rank_field::second_chains], spec[balanced_rank_field::second_cells]};
    shape.second_share =
        static_cast<double>(second_lines(spec)) / static_cast<double>(spec[balanced_rank_field::lines]);
    shape.keys_per_line = keys / static_cast<double>(spec[balanced_rank_field::lines]);
    return shape;
}

// The quick choice's objective by the exact model: bits per key, a second read at four bits, the list's entries at about what they take.
constexpr std::uint64_t priced_entry_bits = 90;
double bits_by_model(const model::balanced_rank_shape& shape, double most_reads, bool& is_good) {
    auto priced = shape;
    priced.list_entry_bits = priced_entry_bits;
    const auto numbers = model::balanced_rank_at(priced);
    is_good = numbers && numbers->negative_reads <= most_reads;
    return numbers
               ? numbers->bits_per_key + layout_choice::bits_of_a_second_read * (numbers->negative_reads - 1)
               : INFINITY;
}

// Every R and Z, loads in steps of 2 %, second tables in steps of 4 %: what the quick choice is compared with.
double searched_bits(double numbers_per_key, double most_reads) {
    double least = INFINITY;
    const double usual = std::log2(numbers_per_key);
    for (auto bits = static_cast<std::uint64_t>(std::max(7.0, usual - 2));
         bits <= static_cast<std::uint64_t>(usual + 3); ++bits)
        for (std::uint64_t cells = std::min<std::uint64_t>(64, 510 / (bits + 1)); cells != 0; --cells) {
            const std::uint64_t chains = std::min<std::uint64_t>(63, 511 - cells * (bits + 1));
            // Keys of a line whose places are enough.
            const double most_keys =
                static_cast<double>(chains) * std::exp2(static_cast<double>(bits)) / numbers_per_key;
            for (double load = 0.84; load < 1.14; load += 0.02) {
                const double keys = std::min(most_keys, load * static_cast<double>(cells));
                if (512 / keys >= least) continue;
                for (double share = 0.03; share < 0.4; share *= 1.04) {
                    model::balanced_rank_shape shape;
                    shape.form = model::rank_model_form::erasable;
                    shape.first = {bits, chains, cells};
                    shape.keys_per_line = keys;
                    shape.second_share = share;
                    if (512 * (1 + share) / keys >= least) break;
                    std::uint64_t more = 0;
                    while (63 * std::exp2(static_cast<double>(more)) < static_cast<double>(chains) / share)
                        ++more;
                    const auto needed = static_cast<std::uint64_t>(std::ceil(
                        static_cast<double>(chains) / share / std::exp2(static_cast<double>(more))));
                    const std::uint64_t second_cells =
                        std::min<std::uint64_t>(64, (511 - needed) / (bits + more + 1));
                    shape.second = {bits + more,
                                    std::min<std::uint64_t>(63, 511 - second_cells * (bits + more + 1)),
                                    second_cells};
                    bool is_good = false;
                    const double all = bits_by_model(shape, most_reads, is_good);
                    if (is_good) least = std::min(least, all);
                }
                if (keys == most_keys) break;
            }
            if (chains == 63) break;
        }
    return least;
}

TEST(RankLayoutChoice, IsWithinOnePercentOfASearchByTheModel) {
    constexpr double keys = 1e7;
    for (const double numbers_per_key : {70.0, 250.0, 3000.0}) {
        const filter_spec spec =
            number_layout(balanced_rank_form::growable, universe_of_at_least(keys * numbers_per_key),
                          static_cast<std::uint64_t>(keys));
        bool is_good = false;
        const double chosen = bits_by_model(shape_of(spec, keys), 1.15, is_good);
        EXPECT_TRUE(is_good) << numbers_per_key;
        EXPECT_LE(chosen, 1.01 * searched_bits(numbers_per_key, 1.15)) << numbers_per_key;
    }
}

// Of the processor's time.
TEST(RankLayoutChoice, TakesLessThanATenthOfAMillisecond) {
    double most = 0;
    for (double universe_log2 = 10; universe_log2 <= 54; universe_log2 += 2.1)
        for (double keys = 1; keys < 3e10; keys *= 3.7) {
            const std::uint64_t universe = universe_of_at_least(std::exp2(universe_log2));
            std::clock_t least = CLOCKS_PER_SEC;
            for (unsigned round = 0; round < 5; ++round) {
                const std::clock_t start = std::clock();
                const filter_spec layout =
                    number_layout(balanced_rank_form::erasable, universe, static_cast<std::uint64_t>(keys));
                least = std::min(least, std::clock() - start);
                ASSERT_EQ(layout.kind, kind_id::balanced_rank);
            }
            most = std::max(most, 1e6 * static_cast<double>(least) / CLOCKS_PER_SEC);
        }
    RecordProperty("most_microseconds", std::to_string(most));
#if defined(__OPTIMIZE__) && !defined(MEMBRANE_TEST_IS_INSTRUMENTED)
    EXPECT_LT(most, 100);
#endif
}

// The layouts that fill a block are looked for near the first one only: within two percent of what a search of all gives.
TEST(RankLayoutChoice, FillsBlocksWithLayoutsAsSmallAsASearchOfAllGives) {
    // As jemalloc has it: four sizes for each power of two.
    const auto block_bytes = [](std::uint64_t bytes) {
        const std::uint64_t step = std::bit_floor(bytes) / 4;
        return divide_rounding_up(bytes, step) * step;
    };
    int larger = 0;
    for (const std::uint64_t form : {balanced_rank_form::growable, balanced_rank_form::erasable})
        for (const double numbers_per_key : {5.0, 20.0, 100.0, 1334.0, 1e5, 1e9})
            for (double keys = 300; keys < 1e8; keys *= 1.37) {
                const auto n = static_cast<std::uint64_t>(keys);
                const std::uint64_t universe = universe_of_at_least(keys * numbers_per_key);
                if (universe == 0) continue;
                const filter_spec filling = number_layout_in_block(form, universe, n, block_bytes);
                const std::uint64_t bytes = number_payload_bytes(filling);
                const filter_spec first = number_layout(form, universe, n);
                ASSERT_LE(bytes + 64, block_bytes(number_payload_bytes(first) + 64)) << n;
                ASSERT_GE(filling.planned_keys, n);
                larger += filling.planned_keys > n ? 1 : 0;
                // Fingerprints of fewer than seven bits must save as much as choose_layout.hpp says.
                const auto price = [](const filter_spec& spec) {
                    const bool is_in_bytes =
                        spec[balanced_rank_field::fingerprint_bits] >= layout_choice::least_bits_in_bytes;
                    return static_cast<double>(number_payload_bytes(spec)) /
                           (is_in_bytes ? 1 : layout_choice::share_without_bytes);
                };
                const filter_spec best = number_layout(form, universe, filling.planned_keys);
                EXPECT_LE(price(filling), 1.02 * price(best)) << n << ' ' << numbers_per_key;
            }
    EXPECT_GT(larger, 100);
}

// What is promised: bits above log2(U / n), reads, and that every layout passes the kind's rules.
TEST(RankLayoutChoice, KeepsItsPromisesForEveryNumberOfKeysAndEveryUniverse) {
    for (double universe_log2 = 10; universe_log2 <= 56; universe_log2 += 0.7)
        for (double keys = 1; keys < 3e10; keys *= 1.9) {
            const std::uint64_t universe = universe_of_at_least(std::exp2(universe_log2));
            const auto n = static_cast<std::uint64_t>(keys);
            const filter_spec spec = number_layout(balanced_rank_form::growable, universe, n);
            if (spec[balanced_rank_field::lines] == 0) {
                ASSERT_TRUE(n > std::uint64_t{1} << 30 || universe_log2 > 54) << universe_log2 << ' ' << n;
                continue;
            }
            ASSERT_TRUE(check_balanced_rank_spec(spec)) << universe_log2 << ' ' << keys;
            const double spread = std::log2(static_cast<double>(universe) / static_cast<double>(n));
            if (n < 30'000 || spread < 6 || spread > 25 || universe_log2 > 52) continue;
            const double bits =
                8 * static_cast<double>(*growable_rank_view::payload_bytes(spec)) / static_cast<double>(n);
            // Lines of 28 cells and fewer do not divide as evenly.
            EXPECT_LE(bits, spread + (spread <= 14.6 ? 4.5
                                      : spread <= 16 ? 4.7
                                                     : 6.5))
                << universe_log2 << ' ' << n;
            const auto numbers = model::balanced_rank_at(shape_of(spec, static_cast<double>(n)));
            ASSERT_TRUE(numbers);
            EXPECT_LE(numbers->negative_reads, 1.15) << universe_log2 << ' ' << n;
        }
}

// A universe that is a power of two, and as many keys as want a line for each number: the numbers must stay different, and come back.
TEST(RankLayoutChoice, HasFewerLinesThanNumbers) {
    for (const std::uint64_t universe : {256, 257 * 256, 1 << 20}) {
        filter_spec spec = number_layout(balanced_rank_form::erasable, universe, universe * 4000);
        ASSERT_TRUE(check_balanced_rank_spec(spec)) << universe;
        const number_digits digits(spec);
        const number_reader reader(digits);
        for (std::uint64_t number = 0; number < universe; ++number)
            ASSERT_EQ(reader.number_at(digits.of_number(number)), number);
        spec[balanced_rank_field::lines] = universe;
        EXPECT_EQ(check_balanced_rank_spec(spec).error().what, "lines");
    }
}

}  // namespace
}  // namespace membrane::test
