// Sizing of balanced_rank in programs that do not link the planner: at most a tenth of a millisecond, no memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/fixed_layout.hpp>
#include <membrane/part/bloom_rate.hpp>
#include <membrane/spec/bits_per_key.hpp>
#include <membrane/spec/check_wanted.hpp>

namespace membrane {

// The smallest form, for exactly so many keys: more are refused when the list is full.
inline result<filter_spec> balanced_rank_fixed_spec_for(std::uint64_t keys, double fpr) {
    using namespace layout_choice;
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    if (fpr < least_fixed_fpr)
        return make_error(errc::bad_field, "fpr")
            .with_note("fingerprints of 32 bits, the most of a fixed filter, have a rate of 1e-10 or more");
    const fixed_shape shape = fixed_search(fpr).run();
    filter_spec spec = initial_spec(kind_id::balanced_rank, balanced_rank_fields);
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    spec[balanced_rank_field::form] = balanced_rank_form::fixed;
    spec[balanced_rank_field::chains] = spec[balanced_rank_field::second_chains] = shape.chains;
    spec[balanced_rank_field::cells] = spec[balanced_rank_field::second_cells] = shape.cells;
    spec[balanced_rank_field::fingerprint_bits] = spec[balanced_rank_field::second_fingerprint_bits] =
        shape.bits;
    spec[balanced_rank_field::served_chains] =
        static_cast<std::uint64_t>(shape.chains / shape.share * (1 + 1e-12));
    // The approximations may be too low by this.
    const double n = static_cast<double>(keys), certainly = fpr * (1 - 1e-4);
    const auto rate_with = [&](double lines) {
        spec[balanced_rank_field::lines] = static_cast<std::uint64_t>(lines);
        return fixed_load_of(spec, n).rate;
    };
    const double most = static_cast<double>(balanced_rank_fields[balanced_rank_field::lines].most);
    double lines = std::max(1.0, std::ceil(n / std::min(shape.keys_per_line, fpr * shape.places())));
    if (lines <= most && rate_with(lines) > certainly) lines = least_units(lines, most, certainly, rate_with);
    if (lines == 0 || lines > most)
        return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys or a larger rate");
    spec[balanced_rank_field::lines] = static_cast<std::uint64_t>(lines);
    const double slots = std::min(list_sizing::slots_for(fixed_load_of(spec, n).second_load, shape.cells,
                                                         static_cast<double>(second_lines(spec))),
                                  2 * n + 8);
    if (!(slots <= static_cast<double>(balanced_rank_fields[balanced_rank_field::list_slots].most)))
        return make_error(errc::size_overflow, "list_slots").with_note("ask for fewer keys");
    spec[balanced_rank_field::list_slots] = static_cast<std::uint64_t>(slots);
    if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
    return spec;
}

// What growable and erasable filters of these keys and rate need: the planner's choice as well. Room for `keys` keys at first, the rate is
// kept up to `grow_to`, which is 0 (up to `keys`) or not fewer than `keys`.
inline result<filter_spec> balanced_rank_numbers_spec_for(std::uint64_t form, std::uint64_t keys, double fpr,
                                                          std::uint64_t grow_to) {
    if (auto checked = check_wanted_fpr(fpr); !checked) return checked.error();
    if (auto checked = check_wanted_growth(keys, grow_to); !checked) return checked.error();
    const double numbers = static_cast<double>(std::max({keys, grow_to, std::uint64_t{1}})) / fpr;
    const std::uint64_t universe = universe_of_at_least(numbers);
    if (universe == 0)
        return make_error(errc::bad_field, "fpr")
            .with_note("keys / rate are more than the 2^54 numbers that a growable filter tells apart");
    filter_spec spec = number_layout(form, universe, keys);
    if (spec[balanced_rank_field::lines] == 0)
        return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys");
    spec.planned_keys = keys;
    spec.planned_fpr = fpr;
    return spec;
}
inline result<filter_spec> balanced_rank_growable_spec_for(std::uint64_t keys, double fpr,
                                                           std::uint64_t grow_to = 0) {
    return balanced_rank_numbers_spec_for(balanced_rank_form::growable, keys, fpr, grow_to);
}
inline result<filter_spec> balanced_rank_erasable_spec_for(std::uint64_t keys, double fpr,
                                                           std::uint64_t grow_to = 0) {
    return balanced_rank_numbers_spec_for(balanced_rank_form::erasable, keys, fpr, grow_to);
}

}  // namespace membrane
