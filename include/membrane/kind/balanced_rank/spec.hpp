// Fields of the kind `balanced_rank`: two tables of rank-indexed lines and an overflow list.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace rank_field {
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
    count
};
}
namespace rank_form {
enum : std::uint64_t { insert_only, erasable, count };
}

inline constexpr std::array<std::string_view, rank_form::count> rank_form_names{"insert_only", "erasable"};

inline constexpr std::array<field_rule, rank_field::count> balanced_rank_fields{{
    {"form", 0, rank_form::count - 1, rank_form::insert_only,
     "insert_only is smaller, erasable takes keys out again", rank_form_names},
    {"lines", 1, max_size_bits / 1024, 0, "lines of 64 bytes in the first table"},
    {"chains", 1, 63, 0, "chains of a line of the first table"},
    {"cells", 1, 64, 0, "entries that a line of the first table holds"},
    {"fingerprint_bits", 1, 32, 0, "bits of an entry's fingerprint in the first table"},
    {"served_chains", 1, 1 << 18, 0, "chains of the first table for each line of the second"},
    {"second_chains", 1, 63, 0, "chains of a line of the second table"},
    {"second_cells", 1, 64, 0, "entries that a line of the second table holds"},
    {"second_fingerprint_bits", 1, 32, 0, "bits of an entry's fingerprint in the second table"},
    {"list_slots", 0, std::uint64_t{1} << 40, 0, "slots of the overflow list"},
}};

inline constexpr std::uint64_t rank_line_bits = 512;

// L chain bits, Z cells of R bits with an index bit each, and a mark.
constexpr bool fits_rank_line(std::uint64_t chains, std::uint64_t cells, std::uint64_t fingerprint_bits) {
    return chains >= 1 && chains <= 63 && cells >= 1 && cells <= 64 && fingerprint_bits >= 1 &&
           fingerprint_bits <= 32 && chains + cells * (fingerprint_bits + 1) + 1 <= rank_line_bits;
}

constexpr std::uint64_t second_lines(const filter_spec& spec) {
    return divide_rounding_up(spec[rank_field::lines] * spec[rank_field::chains],
                              spec[rank_field::served_chains]);
}

// An entry that the second table sends on is known in the list by its line, 6 bits of chain and its fingerprint; the
// list needs at least 8 bits of a word to count.
constexpr unsigned list_group_bits(const filter_spec& spec) {
    return 6 + static_cast<unsigned>(spec[rank_field::second_fingerprint_bits]);
}
inline constexpr unsigned most_list_number_bits = 55;
// The slots behind the last home take what is moved there; src/model/rank/list_room.hpp says why so many.
constexpr std::uint64_t list_homes(const filter_spec& spec) {
    constexpr std::uint64_t most_spare = 512;
    const std::uint64_t slots = spec[rank_field::list_slots];
    return slots - std::min(slots / 2, most_spare);
}

inline result<void> check_balanced_rank_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, balanced_rank_fields); !checked) return checked;
    if (!fits_rank_line(spec[rank_field::chains], spec[rank_field::cells],
                        spec[rank_field::fingerprint_bits]))
        return make_error(errc::bad_field, "cells")
            .with_found(spec[rank_field::cells])
            .with_note("chains + cells * (fingerprint_bits + 1) + 1 bits must fit into a line of 512");
    if (!fits_rank_line(spec[rank_field::second_chains], spec[rank_field::second_cells],
                        spec[rank_field::second_fingerprint_bits]))
        return make_error(errc::bad_field, "second_cells")
            .with_found(spec[rank_field::second_cells])
            .with_note(
                "second_chains + second_cells * (second_fingerprint_bits + 1) + 1 bits must fit into 512");
    if (spec[rank_field::form] == rank_form::erasable) {
        const std::uint64_t bits = spec[rank_field::fingerprint_bits];
        const std::uint64_t second_bits = spec[rank_field::second_fingerprint_bits];
        if (second_bits < bits ||
            spec[rank_field::second_chains] << (second_bits - bits) < spec[rank_field::served_chains])
            return make_error(errc::bad_field, "second_fingerprint_bits")
                .with_found(second_bits)
                .with_note("too few to tell apart the chains that share a line of the second table");
    }
    if (static_cast<unsigned>(std::bit_width(second_lines(spec))) + list_group_bits(spec) >
        most_list_number_bits)
        return make_error(errc::bad_field, "lines")
            .with_found(spec[rank_field::lines])
            .with_note("an entry of the overflow list would not fit into 64 bits");
    return {};
}

}  // namespace membrane
