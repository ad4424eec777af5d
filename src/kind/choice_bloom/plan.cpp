#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <membrane/kind/bloom/spec.hpp>
#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/model/choice_law.hpp>
#include <membrane/model/choice_offline.hpp>
#include <membrane/model/choice_reads.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/line_reads.hpp>
#include <membrane/model/two_choice.hpp>

#include "kind/bloom/probe_model.hpp"
#include "kind/choice_bloom/blocked_plan.hpp"
#include "kind/choice_bloom/groups.hpp"
#include "plan/score.hpp"
#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

// How the keys choose their groups: online, or in offline rounds.
struct construction {
    std::uint64_t rounds;
    model::round_search how;

    explicit construction(const filter_spec& spec)
        : rounds(spec[choice_field::rounds]), how(search_of(spec)) {}
    double share(double ones_online, std::uint64_t choices, std::uint64_t k) const {
        return model::choice_offline_share(ones_online, choices, k, rounds, how);
    }
};

// Mean and deviation of the ones of an online filter.
model::mean_and_scatter online_ones(const filter_spec& spec, std::uint64_t keys) {
    const bool is_double = spec[choice_field::probes] == probes::two_hash;
    return model::choice_ones_law(keys, spec[choice_field::size], spec[choice_field::choices],
                                  spec[choice_field::k],
                                  is_double ? model::positions::distinct : model::positions::may_repeat);
}

model::mean_and_scatter predicted_ones(const filter_spec& spec, std::uint64_t keys) {
    const auto ones = online_ones(spec, keys);
    const double share =
        construction(spec).share(ones.mean, spec[choice_field::choices], spec[choice_field::k]);
    // The share is interpolated in a table, and near the full array a little above 1.
    return {std::min(1.0, ones.mean * share), ones.stddev * share};
}

model::mean_and_scatter predicted(const filter_spec& spec, std::uint64_t keys) {
    if (is_blocked_choice(spec)) return blocked_choice_rate(spec, keys);
    const std::uint64_t bits = spec[choice_field::size];
    const std::uint64_t choices = spec[choice_field::choices];
    const std::uint64_t k = spec[choice_field::k];
    const auto ones = predicted_ones(spec, keys);
    if (spec[choice_field::probes] == probes::independent)
        return model::choice_rate_law(ones, bits, choices, k, model::positions::may_repeat, 0);
    const filter_spec group = flat_spec_of_group(spec);
    // With a single key, a stranger's groups are as independent of its group as without choices.
    if (keys == 1) {
        const double one_group =
            model::progression_fpr(1, bits, k, growth_order_of(group), stride_rule_of(group));
        return {-std::expm1(static_cast<double>(choices) * std::log1p(-one_group)), 0};
    }
    const double shared =
        model::progression_excess(keys, bits, k, growth_order_of(group), stride_rule_of(group), ones.mean);
    return model::choice_rate_law(ones, bits, choices, k, model::positions::distinct, shared);
}

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) { return predicted(spec, keys).mean; }
double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    return predicted(spec, keys).stddev;
}

// An insertion reads all groups. Members are modelled as inserted online, where ties go to the first group; after offline rounds
// they are spread more evenly and may read slightly more.
lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    if (is_blocked_choice(spec)) {
        lookup_costs costs = one_line;
        costs.groups = static_cast<double>(spec[choice_field::choices]);
        return costs;
    }
    constexpr double bits_per_line = 512;
    const std::uint64_t choices = spec[choice_field::choices];
    const std::uint64_t k = spec[choice_field::k];
    const double bits = static_cast<double>(spec[choice_field::size]);
    const double all_lines = std::ceil(bits / bits_per_line);
    const auto lines = [&](const std::vector<double>& reach) {
        return spec[choice_field::probes] == probes::independent
                   ? model::independent_walk_lines(reach, bits, bits_per_line)
                   : model::progression_walk_lines(reach, bits, bits_per_line,
                                                   growth_order_of(flat_spec_of_group(spec)));
    };
    const double whole = lines(model::reach_until_unused(1, k));
    const auto reads = [&](const model::group_walk& walk) {
        return model::walk_lines(walk, lines(walk.reach), whole, bits, bits_per_line);
    };
    const auto ones = predicted_ones(spec, keys);
    const double most = std::min(static_cast<double>(choices * k), all_lines);
    const double inserted = all_lines * (1 - std::pow(1 - whole / all_lines, static_cast<double>(choices)));
    return {{reads(model::stranger_walk(ones, choices, k)), most},
            {reads(model::member_walk(online_ones(spec, keys), spec[choice_field::size], choices, k)), most},
            {inserted, most}};
}

// The fraction of ones at which the filter has this rate.
double ones_for(double fpr, std::uint64_t choices, std::uint64_t k) {
    const double one_group = -std::expm1(std::log1p(-fpr) / static_cast<double>(choices));
    return std::pow(one_group, 1 / static_cast<double>(k));
}

// The fraction of ones of the online filter of which offline rounds leave `ones`.
double online_ones_for(double ones, std::uint64_t choices, std::uint64_t k, const construction& way) {
    double low = ones, high = 1;
    for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2;
        (middle * way.share(middle, choices, k) < ones ? low : high) = middle;
    }
    return low;
}

double bits_per_key_for(double fpr, std::uint64_t choices, std::uint64_t k, const construction& way) {
    const double ones = online_ones_for(ones_for(fpr, choices, k), choices, k, way);
    const auto keys_per_bit = model::choice_bloom_keys_per_bit(ones, choices, k);
    return keys_per_bit && *keys_per_bit > 0 ? 1 / *keys_per_bit : HUGE_VAL;
}

double fpr_for(double bits_per_key, std::uint64_t choices, std::uint64_t k, const construction& way) {
    const double online = model::choice_bloom_ones(bits_per_key, choices, k).value();
    return model::choice_bloom_fpr_from_ones(online * way.share(online, choices, k), choices, k).value();
}

std::uint64_t usable_size(const filter_spec& spec, std::uint64_t size) {
    return flat_needs_whole_words(flat_spec_of_group(spec)) ? divide_rounding_up(size, 64) * 64 : size;
}

result<filter_spec> size_unblocked(const requirement& wanted, const given_fields& given) {
    filter_spec spec = start_choice_spec(wanted, given);
    const double fpr = wanted.fpr.value_or(default_fpr);
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    const bool is_size_given = given.is_given[choice_field::size];
    const bool is_sized_by_rate = !wanted.bits_per_key && !is_size_given;
    if (auto checked = check_given_groups(spec, given); !checked) return checked.error();

    double bits_per_key = is_size_given ? static_cast<double>(spec[choice_field::size]) / keys
                                        : wanted.bits_per_key.value_or(0);
    const double size_per_key = std::clamp(bits_per_key, 0.25, 1e6);
    const construction way(spec);
    // Start at the standard filter's k: with choices the array is emptier, so the best k is never smaller.
    const auto first_k = is_sized_by_rate
                             ? static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(fpr)), 1.0, 64.0))
                             : model::best_k(size_per_key);
    const groups best = best_groups(first_k, given, [&](std::uint64_t choices, std::uint64_t k) {
        return is_sized_by_rate ? bits_per_key_for(fpr, choices, k, way)
                                : fpr_for(size_per_key, choices, k, way);
    });
    spec[choice_field::choices] = best.choices;
    spec[choice_field::k] = best.k;
    if (is_sized_by_rate) bits_per_key = best.badness;
    const double cells = std::ceil(bits_per_key * keys);
    if (!(cells <= static_cast<double>(max_size_bits)))
        return make_error(errc::size_overflow, "size_bits").with_note("ask for fewer keys or bits");
    const std::uint64_t likely = std::max({static_cast<std::uint64_t>(cells), std::uint64_t{64}, 2 * best.k});
    if (!given.is_given[choice_field::probes])
        spec[choice_field::probes] =
            probes_for(keys, static_cast<double>(likely), is_sized_by_rate ? fpr : best.badness);
    if (is_sized_by_rate) {
        const auto is_enough = [&](std::uint64_t words) {
            spec[choice_field::size] = usable_size(spec, words * 64);
            return predicted_fpr(spec, wanted.keys) <= fpr;
        };
        const std::uint64_t first = std::max(likely / 64 - likely / 6400, divide_rounding_up(2 * best.k, 64));
        if (!is_enough(grow_until(first, max_size_bits / 64, is_enough)))
            return make_error(errc::size_overflow, "size_bits")
                .with_note("these probes cannot reach the rate");
    } else if (!is_size_given) {
        spec[choice_field::size] = usable_size(spec, likely);
    }
    if (auto checked = check_choice_bloom_spec(spec); !checked) return checked.error();
    spec.planned_fpr = is_sized_by_rate ? fpr : predicted_fpr(spec, wanted.keys);
    return spec;
}

// The score that the ranking will use.
double ranking_score(const filter_spec& spec, const requirement& wanted) {
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    return weighed_bits(
        static_cast<double>(spec[choice_field::size]) / keys,
        std::max(predicted_fpr(spec, wanted.keys), wanted.bits_per_key ? 0 : spec.planned_fpr),
        predicted_costs(spec, wanted.keys));
}

bool reads_too_much(const filter_spec& spec, const requirement& wanted) {
    const line_reads reads = predicted_costs(spec, wanted.keys).negative;
    return reads.average > wanted.average_reads.value_or(HUGE_VAL) ||
           reads.worst > wanted.worst_reads.value_or(HUGE_VAL);
}

// If the user did not choose: groups anywhere in the array. In one block if that form exceeds the bound on reads; or, for a
// static set, where blocks gain from rounds, if the ranking's score prefers it.
result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    if (given.is_given[choice_field::probes])
        return is_blocked_choice(given.spec) ? size_blocked_choice(wanted, given)
                                             : size_unblocked(wanted, given);
    const auto anywhere = size_unblocked(wanted, given);
    if (!anywhere) return anywhere;
    const bool must_be_blocked = reads_too_much(*anywhere, wanted);
    if (!must_be_blocked && !wanted.is_static) return anywhere;
    const auto in_block = size_blocked_choice(wanted, given);
    if (!in_block) return anywhere;
    return must_be_blocked || ranking_score(*in_block, wanted) < ranking_score(*anywhere, wanted) ? in_block
                                                                                                  : anywhere;
}

}  // namespace

const kind_plan choice_bloom_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
