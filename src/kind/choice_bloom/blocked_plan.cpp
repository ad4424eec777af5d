#include "kind/choice_bloom/blocked_plan.hpp"

#include <algorithm>
#include <cmath>

#include <membrane/model/blocked.hpp>
#include <membrane/model/blocked_choice.hpp>

#include "kind/choice_bloom/groups.hpp"

namespace membrane::plan {

namespace {

constexpr double block_bits = static_cast<double>(choice_block_bits);

model::blocked_choice block_of(const filter_spec& spec, std::uint64_t choices, std::uint64_t k) {
    return model::blocked_choice({choices, k, spec[choice_field::rounds], search_of(spec)});
}

// Bisection between `low`, where the rate is too large, and `high`.
double bits_per_key_for(double fpr, double low, double high, model::blocked_choice block) {
    if (block.rate(high) > fpr) return HUGE_VAL;
    for (int i = 0; i < 16; ++i) {
        const double middle = (low + high) / 2;
        (block.rate(middle) > fpr ? low : high) = middle;
    }
    return high;
}

result<filter_spec> of_size(filter_spec spec, double bits_per_key, const requirement& wanted,
                            const given_fields& given) {
    const std::uint64_t first_k =
        std::clamp<std::uint64_t>(model::blocked_best_k(bits_per_key, choice_block_bits), 1, max_probes);
    const groups best = best_groups(first_k, given, [&](std::uint64_t choices, std::uint64_t k) {
        return block_of(spec, choices, k).rate(bits_per_key);
    });
    spec[choice_field::choices] = best.choices;
    spec[choice_field::k] = best.k;
    if (!given.is_given[choice_field::size]) {
        const double blocks =
            std::ceil(bits_per_key * std::max(1.0, static_cast<double>(wanted.keys)) / block_bits);
        if (!(blocks * block_bits <= static_cast<double>(max_size_bits)))
            return make_error(errc::size_overflow, "size_bits").with_note("ask for fewer keys or bits");
        spec[choice_field::size] =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks)) * choice_block_bits;
    }
    if (auto checked = check_choice_bloom_spec(spec); !checked) return checked.error();
    spec.planned_fpr = blocked_choice_rate(spec, wanted.keys).mean;
    return spec;
}

result<filter_spec> of_rate(filter_spec spec, const requirement& wanted, const given_fields& given) {
    const double fpr = spec.planned_fpr = wanted.fpr.value_or(default_fpr);
    // Starting point: the blocked filter without choices is never much smaller, and its k never larger.
    const auto without = model::blocks_for_fpr(wanted.keys, fpr, choice_block_bits);
    if (!without) return without.error();
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    const double its_bits = static_cast<double>(without->blocks) * block_bits / keys;
    const double high = given.is_given[choice_field::k] ? 64 * its_bits : 1.5 * its_bits;
    const groups best = best_groups(without->k, given, [&](std::uint64_t choices, std::uint64_t k) {
        return bits_per_key_for(fpr, 0.3 * its_bits, high, block_of(spec, choices, k));
    });
    const double blocks = best.badness * keys / block_bits;
    if (!(blocks * block_bits <= static_cast<double>(max_size_bits)))
        return make_error(errc::size_overflow, "size_bits").with_note("these groups cannot reach the rate");
    spec[choice_field::choices] = best.choices;
    spec[choice_field::k] = best.k;
    // With few blocks the loads vary slightly less, so fewer blocks may suffice.
    model::blocked_choice block = block_of(spec, best.choices, best.k);
    const auto first = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0.97 * blocks));
    const std::uint64_t enough =
        grow_until(first, max_size_bits / choice_block_bits,
                   [&](std::uint64_t tried) { return block.filter(wanted.keys, tried).mean <= fpr; });
    spec[choice_field::size] = enough * choice_block_bits;
    if (auto checked = check_choice_bloom_spec(spec); !checked) return checked.error();
    return spec;
}

}  // namespace

model::mean_and_scatter blocked_choice_rate(const filter_spec& spec, std::uint64_t keys) {
    return block_of(spec, spec[choice_field::choices], spec[choice_field::k])
        .filter(keys, spec[choice_field::size] / choice_block_bits);
}

result<filter_spec> size_blocked_choice(const requirement& wanted, const given_fields& given) {
    filter_spec spec = start_choice_spec(wanted, given);
    spec[choice_field::probes] = choice_probes::blocked;
    if (auto checked = check_given_groups(spec, given); !checked) return checked.error();
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    if (given.is_given[choice_field::size])
        return of_size(spec, static_cast<double>(spec[choice_field::size]) / keys, wanted, given);
    return wanted.bits_per_key ? of_size(spec, *wanted.bits_per_key, wanted, given)
                               : of_rate(spec, wanted, given);
}

}  // namespace membrane::plan
