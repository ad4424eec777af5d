// Fields of the kind `rank` (buckets of rank-indexed chains with two pools of extensions) and the layout of its payload.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace rank_field {
enum : std::size_t {
    mode,
    buckets,
    chains,
    fingerprint_bits,
    cells,
    extension_cells,
    last_cells,
    extensions,
    last_extensions,
    value_bits,
    count
};
}
namespace rank_mode {
enum : std::uint64_t { set, counting, map, count };
}

inline constexpr std::array<std::string_view, rank_mode::count> rank_mode_names{"set", "counting", "map"};
inline constexpr std::uint64_t most_rank_cells = 4096;
inline constexpr std::uint64_t most_rank_buckets = std::uint64_t{1} << 40;

inline constexpr std::array<field_rule, rank_field::count> rank_fields{{
    {"mode", 0, rank_mode::count - 1, rank_mode::set,
     "set keeps equal keys as separate entries, counting has counters, map a value with each key",
     rank_mode_names},
    {"buckets", 1, most_rank_buckets, 0, "buckets of the first level"},
    {"chains", 1, 64, 0, "chains of a bucket"},
    {"fingerprint_bits", 1, 56, 0, "bits of an entry's fingerprint"},
    {"cells", 1, most_rank_cells, 0, "entries that a bucket holds"},
    {"extension_cells", 0, most_rank_cells, 0, "entries that an extension holds"},
    {"last_cells", 0, most_rank_cells, 0, "entries that an extension of the last level holds"},
    {"extensions", 0, most_rank_buckets, 0, "extensions of full buckets"},
    {"last_extensions", 0, most_rank_buckets, 0, "extensions of full extensions"},
    {"value_bits", 0, 56, 0, "bits of an entry's counter or value; 0 for mode=set"},
}};

inline result<void> check_rank_spec(const filter_spec& spec) {
    namespace field = rank_field;
    if (auto checked = check_fields(spec, rank_fields); !checked) return checked;
    const std::uint64_t value_bits = spec[field::value_bits];
    if ((spec[field::mode] == rank_mode::set) != (value_bits == 0))
        return make_error(errc::bad_field, "value_bits")
            .with_found(value_bits)
            .with_note("mode=set has none, mode=counting and mode=map at least one");
    if (spec[field::fingerprint_bits] + value_bits > 64)
        return make_error(errc::bad_field, "value_bits")
            .with_found(value_bits)
            .with_range(0, 64 - spec[field::fingerprint_bits])
            .with_note("fingerprint and value share 64 bits");
    struct level {
        std::size_t cells, count;
    };
    for (const level each :
         {level{field::extension_cells, field::extensions}, level{field::last_cells, field::last_extensions}})
        if ((spec[each.cells] == 0) != (spec[each.count] == 0))
            return make_error(errc::bad_field, rank_fields[each.cells].name)
                .with_found(spec[each.cells])
                .with_note("extensions and their cells are both zero or both not");
    if (spec[field::extensions] > spec[field::buckets])
        return make_error(errc::bad_field, "extensions")
            .with_found(spec[field::extensions])
            .with_range(0, spec[field::buckets]);
    if (spec[field::last_extensions] > spec[field::extensions])
        return make_error(errc::bad_field, "last_extensions")
            .with_found(spec[field::last_extensions])
            .with_range(0, spec[field::extensions]);
    return {};
}

// Bits of a pointer to one of `count` items.
constexpr unsigned pointer_bits(std::uint64_t count) {
    return count < 2 ? 0 : static_cast<unsigned>(std::bit_width(count - 1));
}

// Bit offsets of everything in the payload. Level 0: the buckets; level 1: extensions of full buckets; level 2: last extensions,
// of full extensions. In this order:
//
//   B buckets | J2 "taken" bits | J2 extensions | J3 "taken" bits | J3 last extensions
//
//   bucket          L base bits | Z1 higher bits | 1 bit: is extended | pointer to an extension      | Z1 cells
//   extension                     Z2 higher bits | 1 bit: is extended | pointer to a last extension  | Z2 cells
//   last extension                Z3 higher bits                                                     | Z3 cells
struct rank_layout {
    static constexpr unsigned levels = 3;

    std::array<std::uint64_t, levels> items{};     // B, J2, J3
    std::array<std::uint64_t, levels> items_at{};  // bit offset of the first item
    std::array<std::uint64_t, levels> taken_at{};  // bit offset of the "taken" bits; unused for level 0
    std::array<std::uint32_t, levels> cells{};     // Z1, Z2, Z3
    std::array<std::uint32_t, levels> item_bits{};
    std::array<std::uint8_t, levels> link_bits{};  // width of a pointer to the next level
    std::uint64_t size_bits = 0;

    // For a checked spec; empty if the size exceeds max_size_bits.
    static constexpr std::optional<rank_layout> of(const filter_spec& spec) {
        namespace field = rank_field;
        rank_layout made;
        made.items = {spec[field::buckets], spec[field::extensions], spec[field::last_extensions]};
        const std::uint64_t cells[levels]{spec[field::cells], spec[field::extension_cells],
                                          spec[field::last_cells]};
        const std::uint64_t cell_bits = 1 + spec[field::fingerprint_bits] + spec[field::value_bits];
        for (unsigned level = 0; level < levels; ++level) {
            made.cells[level] = static_cast<std::uint32_t>(cells[level]);
            if (level + 1 < levels)
                made.link_bits[level] = static_cast<std::uint8_t>(pointer_bits(made.items[level + 1]));
            const std::uint64_t link = level + 1 < levels ? 1 + made.link_bits[level] : 0;
            made.item_bits[level] = static_cast<std::uint32_t>((level == 0 ? spec[field::chains] : 0) +
                                                               cells[level] * cell_bits + link);
            made.taken_at[level] = made.size_bits;
            made.items_at[level] = made.size_bits + (level == 0 ? 0 : made.items[level]);
            const auto item_bits = checked_multiply(made.items[level], made.item_bits[level]);
            const auto end = item_bits ? checked_add(made.items_at[level], *item_bits) : std::nullopt;
            if (!end || *end > max_size_bits) return std::nullopt;
            made.size_bits = *end;
        }
        return made;
    }
};

}  // namespace membrane
