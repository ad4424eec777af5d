// Fields of the kind `balanced_bloom`: Bloom blocks that stop taking keys at a threshold of their own, up to three
// sub-tables of them, and an exact list for the few keys that no block took.
//
// Table i has blocks_i blocks, takes keys below load h_i and at load h_i with chance p_i / 2^32. multi_level uses the
// first d tables, one candidate in each; sequential draws d candidates from the first table; single one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace balanced_field {
// Table i (0, 1, 2) begins at `tables` + 3 i.
enum : std::size_t { scheme, rule, block_bits, k, d, list_slots, accesses_permille, tables, count = 16 };
constexpr std::size_t blocks(std::size_t table) { return tables + 3 * table; }
constexpr std::size_t h(std::size_t table) { return tables + 3 * table + 1; }
constexpr std::size_t p(std::size_t table) { return tables + 3 * table + 2; }
}  // namespace balanced_field

namespace scheme {
enum : std::uint64_t { single, sequential, multi_level, count };
}
inline constexpr std::array<std::string_view, scheme::count> scheme_names{"single", "sequential",
                                                                          "multi_level"};
// In the order of part/placement/acceptance.hpp's stop_rule.
inline constexpr std::array<std::string_view, 4> stop_rule_names{"load", "coin", "flag", "flag_coin"};
inline constexpr std::uint64_t default_stop_rule = 3;

inline constexpr std::uint64_t most_tables = 3;
inline constexpr std::uint64_t most_balanced_k = 48;
inline constexpr std::uint64_t most_block_load = 4095;
inline constexpr std::uint64_t most_balanced_blocks = max_size_bits / 2048;
inline constexpr std::uint64_t coin_unit = std::uint64_t{1} << 32;

inline constexpr std::array<field_rule, balanced_field::count> balanced_bloom_fields{{
    {"scheme", 0, scheme::count - 1, scheme::multi_level,
     "candidates of a key: one, d in one table, one in each of d tables", scheme_names},
    {"rule", 0, stop_rule_names.size() - 1, default_stop_rule, "what lets a query stop at a block",
     stop_rule_names},
    {"block_bits", 128, 512, 512, "bits of a block: 128, 256 or 512"},
    {"k", 1, most_balanced_k, 8, "bits per key, all in one block"},
    {"d", 1, most_tables, 2, "candidate blocks of a key"},
    {"list_slots", 0, std::uint64_t{1} << 40, 0, "room of the list for keys that no block took"},
    {"accesses_permille", 0, 1000 * most_tables, 0,
     "block accesses per insertion that it is designed for, in thousandths (0: the planner's own design); "
     "the "
     "budget of scheme=sequential"},
    {"blocks1", 1, most_balanced_blocks, 0, "blocks of the first table"},
    {"h1", 1, most_block_load, 1, "load up to which its blocks take every key"},
    {"p1", 0, coin_unit - 1, 0, "chance to take one more, in units of 2^-32"},
    {"blocks2", 0, most_balanced_blocks, 0, "the same of the second table, 0 if there is none"},
    {"h2", 0, most_block_load, 0, "as h1"},
    {"p2", 0, coin_unit - 1, 0, "as p1"},
    {"blocks3", 0, most_balanced_blocks, 0, "the same of the third table, 0 if there is none"},
    {"h3", 0, most_block_load, 0, "as h1"},
    {"p3", 0, coin_unit - 1, 0, "as p1"},
}};

constexpr std::uint64_t balanced_tables(const filter_spec& spec) {
    return spec[balanced_field::scheme] == scheme::multi_level ? spec[balanced_field::d] : 1;
}

inline result<void> check_balanced_bloom_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, balanced_bloom_fields); !checked) return checked;
    const std::uint64_t bits = spec[balanced_field::block_bits];
    if (bits != 128 && bits != 256 && bits != 512)
        return make_error(errc::bad_field, "block_bits")
            .with_found(bits)
            .with_note("a block has 128, 256 or 512 bits");
    if (spec[balanced_field::scheme] == scheme::single && spec[balanced_field::d] != 1)
        return make_error(errc::bad_field, "d")
            .with_found(spec[balanced_field::d])
            .with_expected(1)
            .with_note("scheme=single has one candidate");
    for (std::size_t table = 0; table < most_tables; ++table) {
        const std::uint64_t blocks = spec[balanced_field::blocks(table)];
        const bool is_used = table < balanced_tables(spec);
        if (is_used && blocks == 0)
            return make_error(errc::bad_field, balanced_bloom_fields[balanced_field::blocks(table)].name)
                .with_found(blocks)
                .with_range(1, most_balanced_blocks)
                .with_note("scheme=multi_level has d tables");
        for (std::size_t field = balanced_field::blocks(table); field <= balanced_field::p(table); ++field)
            if (!is_used && spec[field] != 0)
                return make_error(errc::bad_field, balanced_bloom_fields[field].name)
                    .with_found(spec[field])
                    .with_expected(0)
                    .with_note("there is no such table");
    }
    return {};
}

constexpr std::uint64_t balanced_blocks(const filter_spec& spec) {
    std::uint64_t sum = 0;
    for (std::size_t table = 0; table < balanced_tables(spec); ++table)
        sum += spec[balanced_field::blocks(table)];
    return sum;
}

// Whether block accesses are counted, and how many there may be before keys go straight to the list.
constexpr bool has_access_budget(const filter_spec& spec) {
    return spec[balanced_field::scheme] == scheme::sequential && spec[balanced_field::accesses_permille] != 0;
}
constexpr std::uint64_t access_budget(const filter_spec& spec) {
    const auto thousandths = checked_multiply(spec.planned_keys, spec[balanced_field::accesses_permille]);
    return thousandths ? divide_rounding_up(*thousandths, 1000) : UINT64_MAX;
}

// Blocks, rounded up to whole 64-byte lines; they cannot overflow.
constexpr std::uint64_t balanced_block_bytes(const filter_spec& spec) {
    return *round_up(balanced_blocks(spec) * (spec[balanced_field::block_bits] / 8), 64);
}

}  // namespace membrane
