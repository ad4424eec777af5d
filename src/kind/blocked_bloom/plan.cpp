#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/model/blocked.hpp>
#include <membrane/model/lanes.hpp>

#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

bool has_lanes(const filter_spec& spec) { return spec[blocked_field::lanes] != block_lanes::none; }
model::lanes_of_block lanes_of(const filter_spec& spec) {
    return {spec[blocked_field::k], blocked_lane_bits(spec)};
}

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    const auto fpr = [&](std::uint64_t some_keys, std::uint64_t blocks) {
        return has_lanes(spec) ? model::lanes_fpr(some_keys, blocks, lanes_of(spec))
                               : model::blocked_bloom_fpr(some_keys, blocks, spec[blocked_field::block_bits],
                                                          spec[blocked_field::k]);
    };
    // Folding joins groups of blocks; the last group may be smaller and then gets fewer keys.
    const std::uint64_t base = spec[blocked_field::blocks];
    const std::uint64_t whole_groups = base >> spec[blocked_field::fold_log2];
    const std::uint64_t in_whole_groups = whole_groups << spec[blocked_field::fold_log2];
    if (in_whole_groups == base) return fpr(keys, whole_groups);
    const double share = static_cast<double>(in_whole_groups) / static_cast<double>(base);
    const auto their_keys = static_cast<std::uint64_t>(std::round(share * static_cast<double>(keys)));
    return share * fpr(their_keys, whole_groups) + (1 - share) * fpr(keys - std::min(keys, their_keys), 1);
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    return has_lanes(spec)
               ? model::lanes_fpr_stddev_between(keys, blocked_blocks(spec), lanes_of(spec))
               : model::blocked_bloom_fpr_stddev_between(
                     keys, blocked_blocks(spec), spec[blocked_field::block_bits], spec[blocked_field::k]);
}

// Blocks are aligned to their size, so none crosses a line.
lookup_costs predicted_costs(const filter_spec&, std::uint64_t) { return one_line; }

double bits_of(const filter_spec& spec) {
    return static_cast<double>(spec[blocked_field::blocks]) *
           static_cast<double>(spec[blocked_field::block_bits]);
}

std::uint64_t best_k_anywhere(const filter_spec& spec, std::uint64_t keys) {
    const double bits_per_key = bits_of(spec) / std::max(1.0, static_cast<double>(keys));
    return std::clamp<std::uint64_t>(model::blocked_best_k(bits_per_key, spec[blocked_field::block_bits]), 1,
                                     max_block_probes);
}

// With the given number of blocks, or as many as fit into the bits.
result<filter_spec> size_by_bits(filter_spec spec, const requirement& wanted, const given_fields& given) {
    const double block_bits = static_cast<double>(spec[blocked_field::block_bits]);
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    if (!given.is_given[blocked_field::blocks]) {
        const double blocks = std::ceil(*wanted.bits_per_key * keys / block_bits);
        if (!(blocks <= static_cast<double>(blocked_bloom_fields[blocked_field::blocks].most)))
            return make_error(errc::size_overflow, "blocks").with_note("ask for fewer keys or bits");
        spec[blocked_field::blocks] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks));
    }
    if (!has_lanes(spec) && !given.is_given[blocked_field::k])
        spec[blocked_field::k] = best_k_anywhere(spec, wanted.keys);
    if (auto checked = check_blocked_bloom_spec(spec); !checked) return checked.error();
    spec.planned_fpr = predicted_fpr(spec, wanted.keys);
    return spec;
}

// Sets the number of blocks before folding so that this many are left after it.
result<void> set_folded_blocks(filter_spec& spec, std::uint64_t blocks) {
    const std::uint64_t most =
        blocked_bloom_fields[blocked_field::blocks].most >> spec[blocked_field::fold_log2];
    if (blocks > most)
        return make_error(errc::size_overflow, "blocks").with_note("ask for fewer keys or folds");
    spec[blocked_field::blocks] = std::max<std::uint64_t>(1, blocks) << spec[blocked_field::fold_log2];
    return check_blocked_bloom_spec(spec);
}

result<filter_spec> size_by_rate(filter_spec spec, const requirement& wanted, const given_fields& given) {
    spec.planned_fpr = wanted.fpr.value_or(default_fpr);
    if (has_lanes(spec)) {
        const auto blocks = model::lanes_blocks_for_fpr(wanted.keys, spec.planned_fpr, lanes_of(spec));
        if (!blocks) return blocks.error();
        if (auto set = set_folded_blocks(spec, *blocks); !set) return set.error();
        return spec;
    }
    const auto sized = model::blocks_for_fpr(wanted.keys, spec.planned_fpr, spec[blocked_field::block_bits]);
    if (!sized) return sized.error();
    if (!given.is_given[blocked_field::k])
        spec[blocked_field::k] = std::clamp<std::uint64_t>(sized->k, 1, max_block_probes);
    if (auto set = set_folded_blocks(spec, sized->blocks); !set) return set.error();
    if (spec[blocked_field::k] != sized->k) {
        const std::uint64_t limit = spec[blocked_field::blocks] * 64;
        spec[blocked_field::blocks] =
            grow_until(spec[blocked_field::blocks], limit, [&](std::uint64_t blocks) {
                filter_spec tried = spec;
                tried[blocked_field::blocks] = blocks;
                return predicted_fpr(tried, wanted.keys) <= spec.planned_fpr;
            });
        if (predicted_fpr(spec, wanted.keys) > spec.planned_fpr)
            return make_error(errc::bad_field, "k")
                .with_found(spec[blocked_field::k])
                .with_note("no size reaches the rate with this k");
    }
    return spec;
}

// Lanes are faster, which is worth this factor of memory over bits anywhere in the block at the same rate.
constexpr double lanes_worth_memory = 1.05;

// Rate of bits anywhere in less memory by that factor, to compare filters of one size.
double rate_anywhere_in_less_memory(filter_spec anywhere, std::uint64_t keys, bool is_k_given) {
    const double blocks = static_cast<double>(anywhere[blocked_field::blocks]) / lanes_worth_memory;
    anywhere[blocked_field::blocks] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks));
    if (!is_k_given) anywhere[blocked_field::k] = best_k_anywhere(anywhere, keys);
    return predicted_fpr(anywhere, keys);
}

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    const filter_spec start = start_spec(kind_id::blocked_bloom, blocked_bloom_fields, wanted, given);
    const bool is_by_bits = wanted.bits_per_key || given.is_given[blocked_field::blocks];
    const auto sized = [&](std::uint64_t block_bits, std::uint64_t lanes) {
        filter_spec spec = start;
        spec[blocked_field::block_bits] = block_bits;
        spec[blocked_field::lanes] = lanes;
        if (has_lanes(spec) && !given.is_given[blocked_field::k])
            spec[blocked_field::k] = block_bits / blocked_lane_bits(spec);
        // Refuse an inconsistent shape before anything is computed from it.
        filter_spec largest = spec;
        largest[blocked_field::blocks] = blocked_bloom_fields[blocked_field::blocks].most;  // may be folded
        if (auto checked = check_blocked_bloom_spec(largest); !checked)
            return result<filter_spec>(checked.error());
        return is_by_bits ? size_by_bits(spec, wanted, given) : size_by_rate(spec, wanted, given);
    };
    // If only a number of blocks is given, the block size is the default.
    const auto is_offered = [&](std::size_t field, std::uint64_t value) {
        const bool is_fixed = given.is_given[field] ||
                              (field == blocked_field::block_bits && given.is_given[blocked_field::blocks]);
        return !is_fixed || start[field] == value;
    };

    std::optional<filter_spec> best;
    for (const std::uint64_t block_bits : {512, 256})
        for (const std::uint64_t lanes : {block_lanes::of_64_bits, block_lanes::of_32_bits}) {
            if (!is_offered(blocked_field::block_bits, block_bits) ||
                !is_offered(blocked_field::lanes, lanes))
                continue;
            const auto made = sized(block_bits, lanes);
            if (!made) continue;
            if (!best ||
                (is_by_bits ? made->planned_fpr < best->planned_fpr : bits_of(*made) < bits_of(*best)))
                best = *made;
        }
    if (best && given.is_given[blocked_field::lanes]) return *best;
    const auto anywhere = sized(start[blocked_field::block_bits], given.is_given[blocked_field::lanes]
                                                                      ? start[blocked_field::lanes]
                                                                      : std::uint64_t{block_lanes::none});
    if (!best) return anywhere;
    if (!anywhere) return *best;
    const bool is_worth_lanes =
        is_by_bits ? best->planned_fpr <= rate_anywhere_in_less_memory(*anywhere, wanted.keys,
                                                                       given.is_given[blocked_field::k])
                   : bits_of(*best) <= lanes_worth_memory * bits_of(*anywhere);
    return is_worth_lanes ? *best : anywhere;
}

}  // namespace

const kind_plan blocked_bloom_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
