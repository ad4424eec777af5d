// Fields of the kind `bloom`, and its own sizing formula (no model needed): with k probes the asymptotic rate p is
// reached at m = -k n / ln(1 - p^(1/k)) bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/part/flat_spec.hpp>

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

// What --fpr and (n, fpr) constructors make. Refuses rates outside (0, 1) and sizes past max_size_bits.
inline result<filter_spec> flat_spec_for(kind_id kind, std::span<const field_rule> rules, std::uint64_t keys,
                                         double fpr) {
    if (!(fpr > 0 && fpr < 1))
        return make_error(errc::bad_field, "fpr")
            .with_note("a false positive rate lies between 0 and 1, both excluded");
    filter_spec spec = initial_spec(kind, rules);
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    const double probes_wanted =
        std::clamp(std::round(-std::log2(fpr)), 1.0, static_cast<double>(max_probes));
    const double keys_wanted = static_cast<double>(keys);
    const double size = -probes_wanted * keys_wanted / std::log1p(-std::pow(fpr, 1 / probes_wanted));
    if (!(size <= static_cast<double>(max_size_bits)))
        return make_error(errc::size_overflow, rules[flat_field::size].name)
            .with_note("ask for fewer keys or a larger rate");
    spec[flat_field::k] = static_cast<std::uint64_t>(probes_wanted);
    spec[flat_field::size] =
        *round_up(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(size))), 64);
    spec[flat_field::probes] = probes_for(keys_wanted, static_cast<double>(spec[flat_field::size]), fpr);
    return spec;
}

inline result<filter_spec> bloom_spec_for(std::uint64_t keys, double fpr) {
    return flat_spec_for(kind_id::bloom, bloom_fields, keys, fpr);
}

}  // namespace membrane
