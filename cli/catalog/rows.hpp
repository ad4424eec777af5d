// Helpers with which the families of the catalogue are written, and the list of the families.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <cli/catalog/catalog.hpp>

namespace membrane::model::rows {

using arguments = const catalog_arguments&;
using values = std::vector<catalog_value>;
using outcome = result<values>;

constexpr catalog_parameter number(std::string_view name, std::string_view unit, std::string_view meaning,
                                   double least, double most) {
    return {name, unit, meaning, least, most};
}
constexpr catalog_parameter whole(std::string_view name, std::string_view unit, std::string_view meaning,
                                  double least, double most) {
    return {name, unit, meaning, least, most, catalog_form::whole};
}
constexpr catalog_parameter list(std::string_view name, std::string_view unit, std::string_view meaning,
                                 double least, double most) {
    return {name, unit, meaning, least, most, catalog_form::list};
}
constexpr catalog_parameter choice(std::string_view name, std::string_view meaning,
                                   std::span<const std::string_view> choices, double initial) {
    return {name, "",      meaning, 0, static_cast<double>(choices.size() - 1), catalog_form::choice,
            true, initial, choices};
}

// Parameters shared by several functions.
inline constexpr double least_r = 1e-3;
inline constexpr catalog_parameter accesses =
    number("a", "blocks/key", "blocks read per inserted key", 1, 64);
inline constexpr catalog_parameter tables = whole("d", "tables", "tables, or tries of a key", 1, 64);
inline constexpr catalog_parameter keys_per_block =
    number("r", "keys/block", "keys per block", least_r, 1024);
inline constexpr catalog_parameter overflow_share =
    number("gamma", "share", "share of the keys that the list may take", 0, 0.999999);
inline constexpr catalog_parameter fill =
    number("fill", "share", "keys that are in, as a share of the design's", 1e-6, 16).otherwise(1);
inline constexpr catalog_parameter table_h =
    whole("h", "keys", "load up to which a block takes every key", 0, 8192);
inline constexpr catalog_parameter table_p =
    number("p", "chance", "chance that a block of load h takes a key", 0, 1);
inline constexpr catalog_parameter block_bits =
    whole("block_bits", "bits", "size of a block", 16, 65536).otherwise(512);
inline constexpr catalog_parameter probes = whole("k", "bits", "bits that a key sets", 1, 64);
inline constexpr catalog_parameter bits_per_key =
    number("bits_per_key", "bits/key", "size of the filter", 0.25, 1000);
inline constexpr catalog_parameter keys = whole("n", "keys", "number of keys", 1, 1e12);
inline constexpr catalog_parameter rate = number("fpr", "rate", "false positive rate", 1e-18, 0.999999);

inline constexpr catalog_output whole_output(std::string_view name, std::string_view unit,
                                             std::string_view meaning) {
    return {name, unit, meaning, catalog_form::whole};
}
inline constexpr catalog_output list_output(std::string_view name, std::string_view unit,
                                            std::string_view meaning) {
    return {name, unit, meaning, catalog_form::list};
}

inline catalog_value of(std::uint64_t count) { return static_cast<double>(count); }

inline catalog_value or_nothing(const result<double>& value) {
    return value ? catalog_value(*value) : catalog_value();
}

// exp(logarithm), and log10 of a chance given by its natural logarithm; no value for a chance of 0.
double chance_of_log(double logarithm);
catalog_value log10_of_log(double logarithm);

std::span<const catalog_function> placement_functions();
std::span<const catalog_function> sub_table_functions();
std::span<const catalog_function> balanced_bloom_functions();
std::span<const catalog_function> choice_functions();
std::span<const catalog_function> less_hashing_functions();
std::span<const catalog_function> block_functions();
std::span<const catalog_function> count_min_functions();
std::span<const catalog_function> rank_functions();
std::span<const catalog_function> comparison_functions();
std::span<const catalog_function> balanced_rank_functions();
std::span<const catalog_function> measuring_functions();

}  // namespace membrane::model::rows
