#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/base/packed_bits.hpp>
#include <membrane/model/rank_reads.hpp>

#include "kind/rank/shapes.hpp"
#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

namespace field = rank_field;

constexpr std::uint64_t counter_bits = 2;  // as in Table IV of the paper
constexpr std::uint64_t map_value_bits = 8;
constexpr std::uint64_t least_planned_keys = 8;  // with fewer cells a single additional key would be refused
// What a payload may have in addition to its shape: padding to whole words and the slack for the last load.
constexpr double most_padding_bits = 8 * packed_bits::slack_bytes + 56;

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0) return 0;
    const double places =
        std::ldexp(static_cast<double>(spec[field::buckets]) * static_cast<double>(spec[field::chains]),
                   static_cast<int>(spec[field::fingerprint_bits]));
    return -std::expm1(static_cast<double>(keys) * std::log1p(-1 / places));
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    const auto deviation = model::rank_fpr_stddev_between(rank_shape_of(spec), keys);
    return deviation ? *deviation : 0;
}

// An insertion moves the cells behind it in its bucket: it writes nearly every line of the bucket.
lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    const auto reads = model::rank_lookup_reads(rank_shape_of(spec), std::max<std::uint64_t>(1, keys));
    if (!reads) return {};
    return {{reads->negative, reads->worst}, {reads->positive, reads->worst}, {reads->worst, reads->worst}};
}

std::uint64_t mode_for(const requirement& wanted, const given_fields& given) {
    if (given.is_given[field::mode]) return given.spec[field::mode];
    if (given.is_given[field::value_bits] && given.spec[field::value_bits] != 0) return rank_mode::counting;
    return wanted.needs.count ? rank_mode::counting : rank_mode::set;
}

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind_id::rank, rank_fields, wanted, given);
    spec[field::mode] = mode_for(wanted, given);
    if (!given.is_given[field::value_bits] && spec[field::mode] != rank_mode::set)
        spec[field::value_bits] = spec[field::mode] == rank_mode::map ? map_value_bits : counter_bits;
    // Check the given fields before anything is computed from them; the others still have their initial values.
    filter_spec probe = spec;
    for (std::size_t i = 0; i < rank_fields.size(); ++i)
        if (!given.is_given[i]) probe[i] = std::max(probe[i], rank_fields[i].least);
    if (auto checked = check_fields(probe, rank_fields); !checked) return checked.error();
    if ((spec[field::mode] == rank_mode::set) != (spec[field::value_bits] == 0) ||
        spec[field::value_bits] + probe[field::fingerprint_bits] > 64)
        return make_error(errc::bad_field, "value_bits")
            .with_found(spec[field::value_bits])
            .with_note("none for mode=set; with the fingerprint at most 64 for the others");
    if (wanted.keys > model::max_rank_keys)
        return make_error(errc::size_overflow, "keys").with_found(wanted.keys);

    const rank_wishes wishes{std::max(least_planned_keys, wanted.keys), spec[field::value_bits], spec,
                             given.is_given};
    const double fpr = wanted.fpr.value_or(default_fpr);
    const double asked_bits =
        wanted.bits_per_key.value_or(0) * static_cast<double>(std::max<std::uint64_t>(1, wanted.keys));
    // In a filter of a few bytes the padding would leave no room: it may be larger than requested.
    const auto shape =
        wanted.bits_per_key
            ? best_rank_shape_within(asked_bits - std::min(most_padding_bits, asked_bits / 12), wishes)
            : smallest_rank_shape(fpr, wishes);
    if (!shape)
        return make_error(errc::bad_field, wishes.gives_cells() ? "cells" : "buckets")
            .with_note("no shape with these fields holds so many keys at this rate");
    set_rank_shape(spec, *shape);
    if (auto checked = check_rank_spec(spec); !checked) return checked.error();
    spec.planned_fpr = wanted.bits_per_key ? predicted_fpr(spec, wanted.keys) : fpr;
    return spec;
}

}  // namespace

const kind_plan rank_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
