// Fields of the kind `bloom`, and its sizing without the planner: with k probes a large array reaches the rate p at
// m = -k n / ln(1 - p^(1/k)) bits; a small one needs a little more (part/bloom_rate.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/part/bloom_rate.hpp>
#include <membrane/part/flat_spec.hpp>
#include <membrane/spec/bits_per_key.hpp>
#include <membrane/spec/check_wanted.hpp>

namespace membrane {

inline constexpr auto bloom_fields =
    flat_fields("size_bits", "bits of the array before folding", "sub_array_bits");

// The cheapest probes whose rate is within one percent of the standard filter's. Two keys can share a progression:
// double hashing adds about 12 n / m^2 to the rate at half fill, the cubic form 2 n / m^2 (model/less_hashing.hpp),
// which matters in small filters and at very small rates; independent probes add nothing.
inline std::uint64_t probes_for(double keys, double cells, double fpr) {
    const double shared = keys / (cells * cells);
    if (12 * shared <= 0.01 * fpr) return probes::two_hash;
    return 2 * shared <= 0.01 * fpr ? probes::enhanced : probes::independent;
}

// For `probes` of flat_spec_for: probes_for decides.
inline constexpr std::uint64_t cheapest_probes = probes::count;

// Of an array with k probes for each key, with the chance that the stranger shares its progression with a key: to first order, and a
// little more for what that leaves out.
inline double flat_rate(double keys, double cells, unsigned k, std::uint64_t probes) {
    const double throws = keys * k, plain = rate_of_cells(throws, cells, k);
    if (probes != probes::two_hash && probes != probes::enhanced) return plain;
    double shared = 2 * keys / (cells * cells);
    // Shifted progressions, of which the other positions are in use by chance.
    if (probes == probes::two_hash) shared *= 2 * (1 + 2 * std::expm1(throws / cells));
    return plain + (1 - plain) * std::min(1.0, 1.04 * shared);
}

// What (n, fpr) constructors make: the least whole words with at most this rate. Partitioned probes need the planner.
inline result<filter_spec> flat_spec_for(kind_id kind, std::span<const field_rule> rules, std::uint64_t keys,
                                         double fpr, std::uint64_t probes = cheapest_probes) {
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    const auto probes_wanted = static_cast<unsigned>(std::max(1.0, std::round(-std::log2(fpr))));
    const double keys_wanted = static_cast<double>(keys), k = probes_wanted;
    const double size = -k * keys_wanted / std::log1p(-std::pow(fpr, 1 / k));
    if (probes == cheapest_probes) probes = probes_for(keys_wanted, std::max(64.0, size), fpr);
    // rate_of_cells may be too low by this.
    constexpr double certainly = 0.9995;
    const double words =
        least_units(size / 64, static_cast<double>(max_size_bits) / 64, certainly * fpr,
                    [&](double tried) { return flat_rate(keys_wanted, 64 * tried, probes_wanted, probes); });
    if (words == 0)
        return make_error(errc::size_overflow, rules[flat_field::size].name)
            .with_note("ask for fewer keys or a larger rate");
    filter_spec spec = initial_spec(kind, rules);
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    spec[flat_field::k] = probes_wanted;
    // An array of fewer cells would have all positions of a key in use too soon.
    spec[flat_field::size] =
        64 * std::max(divide_rounding_up(2 * spec[flat_field::k], 64), static_cast<std::uint64_t>(words));
    spec[flat_field::probes] = probes;
    return spec;
}

// The probes for a number of cells per key: the least rate of a large array.
inline unsigned best_probes(double cells_per_key) {
    const auto rate = [&](double k) { return std::pow(-std::expm1(-k / cells_per_key), k); };
    const double below =
        std::clamp(std::floor(cells_per_key * 0.6931471805599453), 1.0, static_cast<double>(max_probes) - 1);
    return static_cast<unsigned>(rate(below + 1) < rate(below) ? below + 1 : below);
}

// The same of a given size: `cells_per_key` cells, rounded up to whole words.
inline result<filter_spec> flat_spec_of(kind_id kind, std::span<const field_rule> rules, std::uint64_t keys,
                                        double cells_per_key, std::uint64_t probes = cheapest_probes) {
    const double keys_wanted = static_cast<double>(keys), cells = std::ceil(cells_per_key * keys_wanted);
    if (!(cells <= static_cast<double>(max_size_bits)))
        return make_error(errc::size_overflow, rules[flat_field::size].name)
            .with_note("ask for fewer keys or bits");
    filter_spec spec = initial_spec(kind, rules);
    spec.planned_keys = keys;
    const unsigned k = best_probes(cells_per_key);
    spec[flat_field::k] = k;
    spec[flat_field::size] =
        64 * divide_rounding_up(
                 std::max({std::uint64_t{64}, std::uint64_t{2} * k, static_cast<std::uint64_t>(cells)}), 64);
    const double made = static_cast<double>(spec[flat_field::size]);
    if (probes == cheapest_probes)
        probes = probes_for(keys_wanted, made, flat_rate(keys_wanted, made, k, probes::independent));
    spec[flat_field::probes] = probes;
    spec.planned_fpr = flat_rate(keys_wanted, made, k, probes);
    return spec;
}

inline result<filter_spec> bloom_spec_for(std::uint64_t keys, double fpr,
                                          std::uint64_t probes = cheapest_probes) {
    return flat_spec_for(kind_id::bloom, bloom_fields, keys, fpr, probes);
}
inline result<filter_spec> bloom_spec_for(std::uint64_t keys, bits_per_key size,
                                          std::uint64_t probes = cheapest_probes) {
    if (auto checked = check_wanted_bits(size.value); !checked) return checked.error();
    return flat_spec_of(kind_id::bloom, bloom_fields, keys, size.value, probes);
}

}  // namespace membrane
