// Fields of the kind `blocked_bloom`: every key lives in one block of 256 or 512 bits, one cache line a lookup. Its bits lie
// anywhere in the block, or one in each lane of it, which is found in fewer instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <membrane/base/checked_math.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

namespace blocked_field {
enum : std::size_t { blocks, block_bits, k, fold_log2, lanes, count };
}

namespace block_lanes {
enum : std::uint64_t { none, of_32_bits, of_64_bits };
}
inline constexpr std::string_view block_lanes_names[]{"none", "32bit", "64bit"};

inline constexpr std::uint64_t max_block_probes = 32;

inline constexpr std::array<field_rule, blocked_field::count> blocked_bloom_fields{{
    {"blocks", 1, max_size_bits / 512, 0, "blocks before folding"},
    {"block_bits", 256, 512, 512, "bits of a block: 256 or 512"},
    {"k", 1, max_block_probes, 8, "bits per key, all in one block"},
    {"fold_log2", 0, 48, 0, "how often the array was halved after it was filled"},
    {"lanes", 0, 2, block_lanes::of_64_bits,
     "one bit in each lane of so many bits; none: anywhere in the block", block_lanes_names},
}};

// 0: no lanes. Of a value that no lanes have, some number.
constexpr std::uint64_t blocked_lane_bits(const filter_spec& spec) {
    return spec[blocked_field::lanes] == block_lanes::none
               ? 0
               : std::uint64_t{16} << (spec[blocked_field::lanes] & 3);
}

inline result<void> check_blocked_bloom_spec(const filter_spec& spec) {
    if (auto checked = check_fields(spec, blocked_bloom_fields); !checked) return checked;
    const std::uint64_t bits = spec[blocked_field::block_bits];
    if (bits != 256 && bits != 512)
        return make_error(errc::bad_field, "block_bits")
            .with_found(bits)
            .with_note("a block has 256 or 512 bits");
    const std::uint64_t lane = blocked_lane_bits(spec);
    if (lane != 0 && spec[blocked_field::k] != bits / lane)
        return make_error(errc::bad_field, "k")
            .with_found(spec[blocked_field::k])
            .with_expected(bits / lane)
            .with_note("a key has one bit in each lane; lanes=none takes any k");
    const std::uint64_t fold = spec[blocked_field::fold_log2];
    if (fold != 0 && (spec[blocked_field::blocks] >> fold) == 0)
        return make_error(errc::bad_field, "fold_log2")
            .with_found(fold)
            .with_note("there are fewer blocks than that many halvings");
    return {};
}

// Blocks after folding.
constexpr std::uint64_t blocked_blocks(const filter_spec& spec) {
    return divide_rounding_up(spec[blocked_field::blocks],
                              std::uint64_t{1} << spec[blocked_field::fold_log2]);
}

// For programs that do not link the planner: blocks of one cache line in lanes of 64 bits. From 8.5 to 22 bits per key no other
// lanes have a lower rate, and bits anywhere need at most 5 % less memory for the same; outside take those.
inline result<filter_spec> blocked_bloom_spec_for_bits(std::uint64_t keys, double bits_per_key) {
    const double blocks = std::ceil(static_cast<double>(keys) * bits_per_key / 512);
    if (!(bits_per_key > 0) ||
        !(blocks <= static_cast<double>(blocked_bloom_fields[blocked_field::blocks].most)))
        return make_error(errc::bad_field, "bits_per_key")
            .with_note("more than 0, and no more than fit into 2^56 bits");
    filter_spec spec = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    spec.planned_keys = keys;
    spec[blocked_field::blocks] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks));
    return spec;
}

// Probes for bits anywhere in the block: the optimum of the exact model (model/blocked.hpp, blocked_best_k) to within one for 4 to
// 32 bits per key.
inline double blocked_anywhere_k(double bits_per_key) {
    return std::clamp(std::round(bits_per_key * 0.6931 / (1 + bits_per_key / 75)), 1.0,
                      static_cast<double>(max_block_probes));
}

// The same with bits anywhere in the block.
inline result<filter_spec> blocked_bloom_anywhere_spec_for_bits(std::uint64_t keys, double bits_per_key) {
    auto spec = blocked_bloom_spec_for_bits(keys, bits_per_key);
    if (!spec) return spec;
    (*spec)[blocked_field::lanes] = block_lanes::none;
    (*spec)[blocked_field::k] = static_cast<std::uint64_t>(blocked_anywhere_k(bits_per_key));
    return spec;
}

}  // namespace membrane
