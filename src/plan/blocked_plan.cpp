#include <membrane/plan/blocked_plan.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/blocked.hpp>
#include <membrane/spec/blocked_bloom_spec.hpp>

#include "sizing.hpp"

namespace membrane::plan {

namespace {

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    const auto fpr = [&](std::uint64_t some_keys, std::uint64_t blocks) {
        return model::blocked_bloom_fpr(some_keys, blocks, spec[blocked_field::block_bits],
                                        spec[blocked_field::k]);
    };
    // Folding joins groups of blocks; the last group may be smaller than the others and then gets fewer keys.
    const std::uint64_t base = spec[blocked_field::blocks];
    const std::uint64_t whole_groups = base >> spec[blocked_field::fold_log2];
    const std::uint64_t in_whole_groups = whole_groups << spec[blocked_field::fold_log2];
    if (in_whole_groups == base) return fpr(keys, whole_groups);
    const double share = static_cast<double>(in_whole_groups) / static_cast<double>(base);
    const auto their_keys = static_cast<std::uint64_t>(std::round(share * static_cast<double>(keys)));
    return share * fpr(their_keys, whole_groups) + (1 - share) * fpr(keys - std::min(keys, their_keys), 1);
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    return model::blocked_bloom_fpr_stddev_between(keys, blocked_blocks(spec),
                                                   spec[blocked_field::block_bits], spec[blocked_field::k]);
}

// Blocks are aligned to their own size, so none of them crosses a line.
lookup_costs predicted_costs(const filter_spec&, std::uint64_t) { return one_line; }

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind_id::blocked_bloom, blocked_bloom_fields, wanted, given);
    if (spec[blocked_field::block_bits] != 256 && spec[blocked_field::block_bits] != 512) {
        spec[blocked_field::blocks] = 1;
        return check_blocked_bloom_spec(spec).error();
    }
    const double block_bits = static_cast<double>(spec[blocked_field::block_bits]);
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    const bool is_k_given = given.is_given[blocked_field::k];

    if (wanted.bits_per_key || given.is_given[blocked_field::blocks]) {
        if (!given.is_given[blocked_field::blocks]) {
            const double blocks = std::ceil(*wanted.bits_per_key * keys / block_bits);
            if (!(blocks <= static_cast<double>(blocked_bloom_fields[blocked_field::blocks].most)))
                return make_error(errc::size_overflow, "blocks").with_note("ask for fewer keys or bits");
            spec[blocked_field::blocks] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks));
        }
        const double bits_per_key = static_cast<double>(spec[blocked_field::blocks]) * block_bits / keys;
        if (!is_k_given)
            spec[blocked_field::k] = std::clamp<std::uint64_t>(
                model::blocked_best_k(bits_per_key, spec[blocked_field::block_bits]), 1, max_block_probes);
        if (auto checked = check_blocked_bloom_spec(spec); !checked) return checked.error();
        spec.planned_fpr = predicted_fpr(spec, wanted.keys);
        return spec;
    }

    spec.planned_fpr = wanted.fpr.value_or(default_fpr);
    const auto sized = model::blocks_for_fpr(wanted.keys, spec.planned_fpr, spec[blocked_field::block_bits]);
    if (!sized) return sized.error();
    spec[blocked_field::blocks] = std::max<std::uint64_t>(1, sized->blocks);
    if (!is_k_given) spec[blocked_field::k] = std::clamp<std::uint64_t>(sized->k, 1, max_block_probes);
    if (auto checked = check_blocked_bloom_spec(spec); !checked) return checked.error();
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

}  // namespace

const kind_plan blocked_bloom_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
