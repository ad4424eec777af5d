// Fields of the flat kinds, bloom and counting_bloom: an array of cells (bits or counters) and a way to probe it.
//
// fold_log2: positions are derived for the base size and their 64-cell word is then halved this many times, so that
// a filter that turned out too large can shrink without its keys (cells are joined, nothing is lost).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace flat_field {
enum : std::size_t { size, k, probes, growth, strides, sub_array, fold_log2, count };
}

namespace probes {
enum : std::uint64_t { independent, two_hash, enhanced, partitioned, count };
}
namespace growth {
enum : std::uint64_t { square, cube, tetrahedral, count };
}
namespace strides {
enum : std::uint64_t { coprime, any, count };
}

inline constexpr std::array<std::string_view, probes::count> probes_names{"independent", "double", "enhanced",
                                                                          "partitioned"};
inline constexpr std::array<std::string_view, growth::count> growth_names{"square", "cube", "tetrahedral"};
inline constexpr std::array<std::string_view, strides::count> strides_names{"coprime", "any"};

inline constexpr std::uint64_t max_probes = 64;

constexpr std::array<field_rule, flat_field::count> flat_fields(std::string_view size_name,
                                                                std::string_view size_meaning,
                                                                std::string_view sub_array_name) {
    return {{
        {size_name, 1, max_size_bits, 0, size_meaning},
        {"k", 1, max_probes, 7, "probes per key"},
        {"probes", 0, probes::count - 1, probes::two_hash, "how positions come from the hash", probes_names},
        {"growth", 0, growth::count - 1, growth::tetrahedral, "f(i) of probes=enhanced: i^2, i^3, (i^3-i)/6",
         growth_names},
        {"strides", 0, strides::count - 1, strides::coprime,
         "of double and enhanced: coprime (odd) never repeats a position, any is the paper's", strides_names},
        {sub_array_name, 0, max_size_bits, 0,
         "size of each of the k sub-arrays of probes=partitioned, otherwise 0"},
        {"fold_log2", 0, 48, 0, "how often the array was halved after it was filled"},
    }};
}

constexpr std::uint64_t flat_base_words(const filter_spec& spec) {
    return divide_rounding_up(spec[flat_field::size], 64);
}

// 64-cell words after folding.
constexpr std::uint64_t flat_words(const filter_spec& spec) {
    return divide_rounding_up(flat_base_words(spec), std::uint64_t{1} << spec[flat_field::fold_log2]);
}

// Odd strides never repeat a position where the size is a multiple of 64 (part/probe/probe_ring.hpp).
constexpr bool flat_needs_whole_words(const filter_spec& spec) {
    return (spec[flat_field::probes] == probes::two_hash || spec[flat_field::probes] == probes::enhanced) &&
           spec[flat_field::strides] == strides::coprime;
}

inline result<void> check_flat_spec(const filter_spec& spec, std::span<const field_rule> rules) {
    if (auto checked = check_fields(spec, rules); !checked) return checked;
    const std::uint64_t size = spec[flat_field::size];
    const std::uint64_t sub_array = spec[flat_field::sub_array];
    if (flat_needs_whole_words(spec) && size % 64 != 0)
        return make_error(errc::bad_field, rules[flat_field::size].name)
            .with_found(size)
            .with_note("with strides=coprime it must be a multiple of 64");
    if (spec[flat_field::probes] == probes::partitioned) {
        const auto used = checked_multiply(sub_array, spec[flat_field::k]);
        if (sub_array == 0 || !used || *used > size)
            return make_error(errc::bad_field, rules[flat_field::sub_array].name)
                .with_found(sub_array)
                .with_range(1, size / spec[flat_field::k])
                .with_note("k sub-arrays must fit into the array");
    } else if (sub_array != 0) {
        return make_error(errc::bad_field, rules[flat_field::sub_array].name)
            .with_found(sub_array)
            .with_expected(0)
            .with_note("only probes=partitioned has sub-arrays");
    }
    if (spec[flat_field::fold_log2] != 0 && (flat_base_words(spec) >> spec[flat_field::fold_log2]) == 0)
        return make_error(errc::bad_field, "fold_log2")
            .with_found(spec[flat_field::fold_log2])
            .with_note("the array has fewer words than that many halvings");
    return {};
}

}  // namespace membrane
