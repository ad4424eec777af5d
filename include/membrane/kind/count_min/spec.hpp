// Fields of the kind `count_min`: `copies` groups of `depth` rows of `width` counters, and slots for the most counted keys
// (stored with their text, so that a file can name them).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/prime.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace count_min_field {
enum : std::size_t { rows, width, depth, copies, cell_bits, conservative, top_slots, top_key_bytes, count };
}

namespace rows {
enum : std::uint64_t { classic, two_hash, count };
}
inline constexpr std::array<std::string_view, rows::count> rows_names{"classic", "two_hash"};
inline constexpr std::array<std::string_view, 2> no_yes_names{"no", "yes"};

inline constexpr std::array<field_rule, count_min_field::count> count_min_fields{{
    {"rows", 0, rows::count - 1, rows::two_hash, "one hash per row, or two hashes for all rows of a copy",
     rows_names},
    {"width", 1, std::uint64_t{1} << 40, 0, "counters in a row; prime for two_hash"},
    {"depth", 1, 256, 0, "rows of a copy"},
    {"copies", 1, 64, 1, "independent groups of rows, for a smaller chance of failure"},
    {"cell_bits", 32, 64, 64, "bits of a counter: 32 or 64"},
    {"conservative", 0, 1, 0, "raise only the counters that must rise: smaller errors", no_yes_names},
    {"top_slots", 0, 1u << 20, 0, "most counted keys to remember"},
    {"top_key_bytes", 0, 1u << 16, 0, "bytes kept of each of them; longer keys are cut"},
}};

inline result<void> check_count_min_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, count_min_fields); !checked) return checked;
    const std::uint64_t bits = spec[count_min_field::cell_bits];
    if (bits != 32 && bits != 64)
        return make_error(errc::bad_field, "cell_bits")
            .with_found(bits)
            .with_note("a counter has 32 or 64 bits");
    if (spec[count_min_field::depth] * spec[count_min_field::copies] > 256)
        return make_error(errc::bad_field, "copies")
            .with_found(spec[count_min_field::copies])
            .with_note("depth times copies is at most 256");
    if (spec[count_min_field::rows] == rows::two_hash) {
        if (!is_prime(spec[count_min_field::width]))
            return make_error(errc::bad_field, "width")
                .with_found(spec[count_min_field::width])
                .with_note("rows=two_hash needs a prime width");
        if (spec[count_min_field::depth] > spec[count_min_field::width])
            return make_error(errc::bad_field, "depth")
                .with_found(spec[count_min_field::depth])
                .with_range(1, spec[count_min_field::width]);
    }
    if (spec[count_min_field::rows] == rows::classic && spec[count_min_field::copies] != 1)
        return make_error(errc::bad_field, "copies")
            .with_found(spec[count_min_field::copies])
            .with_expected(1)
            .with_note("classic rows are independent already: raise depth");
    return {};
}

constexpr std::uint64_t count_min_rows(const filter_spec& spec) {
    return spec[count_min_field::depth] * spec[count_min_field::copies];
}

// Bytes of the counters, rounded up to whole 64-byte lines to align the top section; empty on overflow.
constexpr std::optional<std::uint64_t> count_min_cell_bytes(const filter_spec& spec) {
    const auto cells = checked_multiply(spec[count_min_field::width], count_min_rows(spec));
    if (!cells) return std::nullopt;
    const auto bytes = checked_multiply(*cells, spec[count_min_field::cell_bits] / 8);
    if (!bytes) return std::nullopt;
    return round_up(*bytes, 64);
}

}  // namespace membrane
