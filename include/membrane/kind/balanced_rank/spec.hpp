// Fields of the kind `balanced_rank`: two tables of rank-indexed lines and an overflow list.
//
// Three forms. `fixed` is the smallest and is built for a number of keys. `growable` (a set) and `erasable` (a multiset) stand for
// numbers below `universe`, from which any other layout can be made without the keys (address.hpp, growth.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace balanced_rank_field {
enum : std::size_t {
    form,
    lines,
    chains,
    cells,
    fingerprint_bits,
    served_chains,
    second_chains,
    second_cells,
    second_fingerprint_bits,
    list_slots,
    universe,
    count
};
}
namespace balanced_rank_form {
enum : std::uint64_t { fixed, growable, erasable, count };
}

inline constexpr std::array<std::string_view, balanced_rank_form::count> balanced_rank_form_names{
    "fixed", "growable", "erasable"};

inline constexpr std::array<field_rule, balanced_rank_field::count> balanced_rank_fields{{
    {"form", 0, balanced_rank_form::count - 1, balanced_rank_form::growable,
     "fixed is smaller and full above its plan, growable grows, erasable grows and takes keys out again",
     balanced_rank_form_names},
    {"lines", 1, max_size_bits / 1024, 0, "lines of 64 bytes in the first table"},
    {"chains", 1, 63, 0, "chains of a line of the first table"},
    {"cells", 1, 64, 0, "entries that a line of the first table holds"},
    {"fingerprint_bits", 1, 40, 0, "bits of an entry's fingerprint in the first table"},
    {"served_chains", 1, 1 << 18, 0, "chains of the first table for each line of the second"},
    {"second_chains", 1, 63, 0, "chains of a line of the second table"},
    {"second_cells", 1, 64, 0, "entries that a line of the second table holds"},
    {"second_fingerprint_bits", 1, 44, 0, "bits of an entry's fingerprint in the second table"},
    {"list_slots", 0, std::uint64_t{1} << 40, 0, "slots of the overflow list"},
    {"universe", 0, std::uint64_t{1} << 54, 0, "growable, erasable: the numbers that keys are mapped to"},
}};

inline constexpr std::uint64_t rank_line_bits = 512;

// L chain bits, Z cells of R bits with an index bit each, and a mark.
constexpr bool fits_rank_line(std::uint64_t chains, std::uint64_t cells, std::uint64_t fingerprint_bits) {
    return chains >= 1 && chains <= 63 && cells >= 1 && cells <= 64 && fingerprint_bits >= 1 &&
           fingerprint_bits <= 44 && chains + cells * (fingerprint_bits + 1) + 1 <= rank_line_bits;
}

constexpr std::uint64_t second_lines(const filter_spec& spec) {
    return divide_rounding_up(spec[balanced_rank_field::lines] * spec[balanced_rank_field::chains],
                              spec[balanced_rank_field::served_chains]);
}

// An entry that the second table sends on is known in the list by its line, 6 bits of chain and its fingerprint; the
// list needs at least 8 bits of a word to count.
constexpr unsigned list_group_bits(const filter_spec& spec) {
    return 6 + static_cast<unsigned>(spec[balanced_rank_field::second_fingerprint_bits]);
}
inline constexpr unsigned most_list_number_bits = 55;
// The slots behind the last home take what is moved there; src/model/rank/list_room.hpp says why so many.
constexpr std::uint64_t list_homes(const filter_spec& spec) {
    constexpr std::uint64_t most_spare = 512;
    const std::uint64_t slots = spec[balanced_rank_field::list_slots];
    return slots - std::min(slots / 2, most_spare);
}

// ---- growable and erasable: a key is a number x below U, and h = x S with S = floor(2^64 / U) is its place among 2^64. The layout
// cuts h into line, chain and fingerprint, which are digits of h / 2^64 in the bases B, L and 2^R. They tell all numbers apart if
// there are B L 2^R >= 2^64 / S of them.

constexpr bool has_universe(std::uint64_t form) { return form != balanced_rank_form::fixed; }

// U = m 2^v with m below this, so that U can be halved v times.
inline constexpr std::uint64_t most_universe_mantissa = 4096;
inline constexpr unsigned least_universe_halvings = 8;  // of a new filter
// The largest universe that has a layout for any number of keys: a word of the overflow list has 55 bits for a place.
inline constexpr std::uint64_t most_universe = std::uint64_t{1} << 54;
inline constexpr std::uint64_t least_universe = 2;

// S. A universe of 2 or more.
constexpr std::uint64_t number_stride(std::uint64_t universe) {
    return UINT64_MAX / universe + (UINT64_MAX % universe == universe - 1 ? 1 : 0);
}
// The smallest universe of a new filter with at least so many numbers; 0 if there is none.
constexpr std::uint64_t universe_of_at_least(double numbers) {
    if (!(numbers <= static_cast<double>(most_universe))) return 0;
    auto whole = static_cast<std::uint64_t>(numbers);
    if (static_cast<double>(whole) < numbers) ++whole;
    unsigned halvings = least_universe_halvings;
    while (divide_rounding_up(whole, std::uint64_t{1} << halvings) >= most_universe_mantissa) ++halvings;
    const std::uint64_t mantissa = divide_rounding_up(whole, std::uint64_t{1} << halvings);
    return (mantissa == 0 ? 1 : mantissa) << halvings;
}
// Places (line, chain, fingerprint) of the first table; UINT64_MAX if more than the 2^62 that arithmetic on them allows.
constexpr std::uint64_t rank_places(std::uint64_t lines, std::uint64_t chains,
                                    std::uint64_t fingerprint_bits) {
    const std::uint64_t of_chains = lines * chains;
    if (fingerprint_bits >= 62 || of_chains > (std::uint64_t{1} << 62 >> fingerprint_bits)) return UINT64_MAX;
    return of_chains << fingerprint_bits;
}
constexpr bool tells_numbers_apart(std::uint64_t places, std::uint64_t universe) {
    return multiply_wide(places, number_stride(universe)).high != 0;
}

inline result<void> check_universe(const filter_spec& spec) {
    const std::uint64_t universe = spec[balanced_rank_field::universe];
    const auto wrong = [&](const char* note) {
        return make_error(errc::bad_field, "universe").with_found(universe).with_note(note);
    };
    if (!has_universe(spec[balanced_rank_field::form])) {
        if (universe != 0) return wrong("the form `fixed` has none: 0");
        if (spec[balanced_rank_field::fingerprint_bits] > 32)
            return make_error(errc::bad_field, "fingerprint_bits")
                .with_found(spec[balanced_rank_field::fingerprint_bits])
                .with_range(1, 32);
        return {};
    }
    if (universe < least_universe) return wrong("at least 2");
    if (universe >> std::countr_zero(universe) >= most_universe_mantissa)
        return wrong("a number below 4096 times a power of two");
    // An address multiplies by S B in one step, which must not reach 2^64 (number_digits).
    if (spec[balanced_rank_field::lines] >= universe)
        return make_error(errc::bad_field, "lines")
            .with_found(spec[balanced_rank_field::lines])
            .with_range(1, universe - 1)
            .with_note("fewer lines than numbers");
    const std::uint64_t places =
        rank_places(spec[balanced_rank_field::lines], spec[balanced_rank_field::chains],
                    spec[balanced_rank_field::fingerprint_bits]);
    if (places == UINT64_MAX)
        return make_error(errc::bad_field, "lines")
            .with_found(spec[balanced_rank_field::lines])
            .with_note("lines * chains * 2^fingerprint_bits is more than 2^62");
    if (!tells_numbers_apart(places, universe))
        return wrong("lines * chains * 2^fingerprint_bits places are too few to tell its numbers apart");
    return {};
}

inline result<void> check_balanced_rank_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, balanced_rank_fields); !checked) return checked;
    if (!fits_rank_line(spec[balanced_rank_field::chains], spec[balanced_rank_field::cells],
                        spec[balanced_rank_field::fingerprint_bits]))
        return make_error(errc::bad_field, "cells")
            .with_found(spec[balanced_rank_field::cells])
            .with_note("chains + cells * (fingerprint_bits + 1) + 1 bits must fit into a line of 512");
    if (!fits_rank_line(spec[balanced_rank_field::second_chains], spec[balanced_rank_field::second_cells],
                        spec[balanced_rank_field::second_fingerprint_bits]))
        return make_error(errc::bad_field, "second_cells")
            .with_found(spec[balanced_rank_field::second_cells])
            .with_note(
                "second_chains + second_cells * (second_fingerprint_bits + 1) + 1 bits must fit into 512");
    if (auto checked = check_universe(spec); !checked) return checked;
    if (has_universe(spec[balanced_rank_field::form])) {
        const std::uint64_t bits = spec[balanced_rank_field::fingerprint_bits];
        const std::uint64_t second_bits = spec[balanced_rank_field::second_fingerprint_bits];
        if (second_bits < bits || spec[balanced_rank_field::second_chains] << (second_bits - bits) <
                                      spec[balanced_rank_field::served_chains])
            return make_error(errc::bad_field, "second_fingerprint_bits")
                .with_found(second_bits)
                .with_note("too few to tell apart the chains that share a line of the second table");
    }
    if (static_cast<unsigned>(std::bit_width(second_lines(spec))) + list_group_bits(spec) >
        most_list_number_bits)
        return make_error(errc::bad_field, "lines")
            .with_found(spec[balanced_rank_field::lines])
            .with_note("an entry of the overflow list would not fit into 64 bits");
    return {};
}

}  // namespace membrane
