// Sizing of blocked_bloom in programs that do not link the planner: tens of microseconds, no memory. blocked_bloom_spec_for makes
// lines in lanes of 64 bits, the layout of blocked_bloom_filter; blocked_bloom_anywhere_spec_for bits anywhere in a line. From a rate of
// 2e-4 to 0.02 the lanes need at most 5 % more memory, 7 % at 1e-4 and 0.03, a third at 1e-6. The planner chooses among these and three
// other layouts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/part/bloom_rate.hpp>
#include <membrane/spec/bits_per_key.hpp>
#include <membrane/spec/check_wanted.hpp>

namespace membrane {

namespace blocked_sizing {

inline constexpr double most_bits_per_key = 128, line_bits = 512, lane_bits = 64, lanes = 8;

// Of a block in lanes that holds `load` keys.
inline double rate_in_lanes(double load) {
    const double in_lane = -std::expm1(load * std::log1p(-1 / lane_bits));
    const double square = in_lane * in_lane, fourth = square * square;
    return fourth * fourth;
}
inline double rate_of_lanes(double keys, double blocks) {
    return mean_over_loads(keys, blocks, rate_in_lanes);
}
inline double rate_anywhere(double keys, double blocks, unsigned k) {
    return mean_over_loads(keys, blocks, [&](double load) { return rate_of_cells(load * k, line_bits, k); });
}

inline double most_blocks(double keys) {
    return std::clamp(std::ceil(keys * most_bits_per_key / line_bits), 1.0,
                      static_cast<double>(max_size_bits) / line_bits);
}
inline error not_reached(double keys) {
    if (keys * most_bits_per_key > static_cast<double>(max_size_bits))
        return make_error(errc::size_overflow, "blocks").with_note("ask for fewer keys or a larger rate");
    return make_error(errc::bad_field, "fpr")
        .with_note(
            "not reached with blocks of this size and 128 bits per key; use larger blocks or another kind");
}

inline filter_spec spec_with(std::uint64_t keys, double fpr, std::uint64_t lanes_used, double k,
                             double blocks) {
    filter_spec spec = initial_spec(kind_id::blocked_bloom, blocked_bloom_fields);
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    spec[blocked_field::lanes] = lanes_used;
    spec[blocked_field::k] = static_cast<std::uint64_t>(k);
    spec[blocked_field::blocks] = static_cast<std::uint64_t>(blocks);
    return spec;
}

}  // namespace blocked_sizing

inline result<filter_spec> blocked_bloom_spec_for(std::uint64_t keys, double fpr) {
    using namespace blocked_sizing;
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    const double n = static_cast<double>(keys);
    // If all blocks had equal loads; they differ, which costs up to half as much again.
    const double load = std::log1p(-std::pow(fpr, 1 / lanes)) / std::log1p(-1 / lane_bits);
    const double halvings = -std::log2(fpr), uneven = 1 + 6e-4 * halvings * halvings;
    const double blocks = least_units(uneven * n / load, most_blocks(n), fpr * (1 - 1e-7),
                                      [&](double tried) { return rate_of_lanes(n, tried); });
    if (blocks == 0) return not_reached(n);
    return spec_with(keys, fpr, block_lanes::of_64_bits, lanes, blocks);
}

inline result<filter_spec> blocked_bloom_anywhere_spec_for(std::uint64_t keys, double fpr) {
    using namespace blocked_sizing;
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    const double n = static_cast<double>(keys);
    // rate_anywhere may be too low by this.
    const double certainly = 0.9998 * fpr;
    // Bits per key in a filter of very many blocks, to one percent from 1e-9 to 0.3.
    const double halvings = -std::log2(fpr);
    const double bits = 1.44 * halvings * (1 + halvings * halvings * (8.2e-4 + 4e-6 * halvings));
    // Not rounded, so that the k of a filter of a few blocks does not depend on what rounding adds.
    const double guess = std::clamp(n * bits / line_bits, 1.0, most_blocks(n));
    const auto rate_with = [&](double probes, double blocks) {
        return rate_anywhere(n, blocks, static_cast<unsigned>(probes));
    };
    double k = blocked_anywhere_k(bits), rate = rate_with(k, guess);
    const auto try_k = [&](double other) {
        if (other < 1 || other > static_cast<double>(max_block_probes)) return false;
        const double tried = rate_with(other, guess);
        if (!(tried < rate)) return false;
        k = other;
        rate = tried;
        return true;
    };
    if (try_k(k - 1)) {
        while (try_k(k - 1)) {
        }
    } else {
        while (try_k(k + 1)) {
        }
    }
    const double blocks =
        least_units(guess, most_blocks(n), certainly, [&](double tried) { return rate_with(k, tried); });
    if (blocks == 0) return not_reached(n);
    return spec_with(keys, fpr, block_lanes::none, k, blocks);
}

inline result<filter_spec> blocked_bloom_spec_for(std::uint64_t keys, bits_per_key size) {
    using namespace blocked_sizing;
    if (auto checked = check_wanted_bits(size.value); !checked) return checked.error();
    auto spec = blocked_bloom_spec_for_bits(keys, size.value);
    if (spec)
        spec->planned_fpr =
            rate_of_lanes(static_cast<double>(keys), static_cast<double>((*spec)[blocked_field::blocks]));
    return spec;
}
inline result<filter_spec> blocked_bloom_anywhere_spec_for(std::uint64_t keys, bits_per_key size) {
    using namespace blocked_sizing;
    if (auto checked = check_wanted_bits(size.value); !checked) return checked.error();
    auto spec = blocked_bloom_anywhere_spec_for_bits(keys, size.value);
    if (spec)
        spec->planned_fpr =
            rate_anywhere(static_cast<double>(keys), static_cast<double>((*spec)[blocked_field::blocks]),
                          static_cast<unsigned>((*spec)[blocked_field::k]));
    return spec;
}

}  // namespace membrane
