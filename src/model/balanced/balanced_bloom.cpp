#include <membrane/model/balanced_bloom.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include <membrane/model/less_hashing.hpp>

#include "model/balanced/balanced_walk.hpp"
#include "model/block_rates.hpp"
#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

constexpr std::uint64_t max_block_bits = 65536;
constexpr std::uint64_t least_bloom_bits = 8;

struct going_on {
    double at_h, at_top;
};

going_on shares_going_on(const single_state& state, double p, query_rule rule) {
    const std::size_t top = state.loads.size() - 1;
    going_on shares{};
    shares.at_h = has_flag(rule) ? state.flagged_at_h : state.loads[top - 1];
    shares.at_top = has_flag(rule) ? state.flagged_at_top : state.loads[top];
    if (has_coin(rule)) shares.at_h *= 1 - p;
    return shares;
}

double approximate_rate(double load, double bits, double k) {
    return std::pow(-std::expm1(-k * load / bits), k);
}

std::optional<error> problem_with(std::span<const sub_table> tables, const balanced_bloom_spec& spec) {
    if (spec.k < 1 || spec.k > max_probes)
        return make_error(errc::bad_field, "k").with_found(spec.k).with_range(1, max_probes);
    for (const sub_table& table : tables) {
        if (table.h > max_block_load)
            return make_error(errc::bad_field, "h").with_found(table.h).with_range(0, max_block_load);
        const std::uint64_t least = state_bits(spec.rule, table.h) + least_bloom_bits;
        if (spec.block_bits < least || spec.block_bits > max_block_bits)
            return make_error(errc::bad_field, "block_bits")
                .with_found(spec.block_bits)
                .with_range(least, max_block_bits);
    }
    return std::nullopt;
}

balanced_bloom_rates rates_of(double r, double fill, const multi_level_state& state,
                              std::span<const sub_table> tables, const balanced_bloom_spec& spec) {
    balanced_bloom_rates rates;
    double stranger = 1;
    double stranger_union = 1;
    double key = 1;
    std::vector<double> by_load;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        const std::uint64_t h = tables[j].h;
        // Tables often share one h; computing the rates is most of the work.
        if (j == 0 || h != tables[j - 1].h)
            by_load = block_rates(h + 1, spec.block_bits - state_bits(spec.rule, h), spec.k, spec.law);
        const block_step step = step_of(state.tables[j], tables[j].p, spec.rule, by_load);
        rates.fpr += stranger * step.hits;
        rates.fpr_union += stranger_union * step.hits;
        rates.negative_reads += stranger;
        rates.positive_reads += key;
        stranger *= step.goes_on_unhit;
        stranger_union *= step.goes_on;
        key *= step.key_goes_on;
        if (j == 0) {
            rates.block_fpr = step.hits;
            rates.goes_on = step.goes_on;
        }
    }
    rates.fpr = std::min(rates.fpr, 1.0);
    rates.fpr_union = std::min(rates.fpr_union, 1.0);
    rates.negative_list_reads = stranger;
    rates.positive_list_reads = key;
    rates.insertion_reads = state.insertion_reads;
    rates.overflow = state.overflow;
    rates.bits_per_key = static_cast<double>(spec.block_bits) / (r * fill) + list_entry_bits * state.overflow;
    return rates;
}

}  // namespace

block_step step_of(const single_state& state, double p, query_rule rule, std::span<const double> rates) {
    const auto rate = [&](std::size_t load) { return load < rates.size() ? rates[load] : 1.0; };
    const std::size_t top = state.loads.size() - 1;
    block_step step;
    for (std::size_t load = 1; load <= top; ++load) step.hits += state.loads[load] * rate(load);
    const going_on shares = shares_going_on(state, p, rule);
    step.goes_on = shares.at_h + shares.at_top;
    step.goes_on_unhit = shares.at_h * (1 - rate(top - 1)) + shares.at_top * (1 - rate(top));
    if (state.arrivals > 0) {
        step.key_goes_on =
            (state.refused_at_h * (1 - rate(top - 1)) + state.refused_at_top * (1 - rate(top))) /
            state.arrivals;
    }
    return step;
}

std::vector<double> block_rates(std::uint64_t most_load, std::uint64_t bits, std::uint64_t k, block_law law) {
    if (law == block_law::exact) return rates_by_load(most_load, bits, k, k);
    std::vector<double> rates;
    for (std::uint64_t load = 0; load <= most_load; ++load)
        rates.push_back(
            approximate_rate(static_cast<double>(load), static_cast<double>(bits), static_cast<double>(k)));
    return rates;
}

std::uint64_t state_bits(query_rule rule, std::uint64_t h) {
    const std::uint64_t states = std::min(h, max_block_load) + (has_flag(rule) ? 4 : 2);
    return static_cast<std::uint64_t>(std::bit_width(states - 1));
}

double continue_probability(const single_state& state, double p, query_rule rule) {
    if (state.loads.size() < 2) return 0;
    const going_on shares = shares_going_on(state, p, rule);
    return std::min(1.0, shares.at_h + shares.at_top);
}

result<double> block_fpr(std::uint64_t load, std::uint64_t bits, std::uint64_t k, block_law law) {
    if (bits < 1 || bits > max_block_bits)
        return make_error(errc::bad_field, "bits").with_found(bits).with_range(1, max_block_bits);
    if (k < 1 || k > max_probes)
        return make_error(errc::bad_field, "k").with_found(k).with_range(1, max_probes);
    if (load > max_block_load + 1)
        return make_error(errc::bad_field, "load").with_found(load).with_range(0, max_block_load + 1);
    if (law == block_law::approximate)
        return approximate_rate(static_cast<double>(load), static_cast<double>(bits), static_cast<double>(k));
    const std::vector<double> rates = rates_by_load(load, bits, k, k);
    return load < rates.size() ? rates[load] : 1.0;
}

result<balanced_bloom_rates> balanced_bloom(double r, double fill, std::span<const sub_table> tables,
                                            const balanced_bloom_spec& spec) {
    if (const auto problem = problem_with(tables, spec)) return *problem;
    if (!(r > 0)) return outside_domain("r", "keys per block are above 0");
    if (!(fill > 0)) return outside_domain("fill", "the fill is above 0");
    const auto state = multi_level_dynamics(r, fill, tables);
    if (!state) return state.error();
    return rates_of(r, fill, *state, tables, spec);
}

result<std::uint64_t> balanced_bloom_best_k(double r, double fill, std::span<const sub_table> tables,
                                            const balanced_bloom_spec& spec) {
    balanced_bloom_spec tried = spec;
    tried.k = 1;
    const auto first = balanced_bloom(r, fill, tables, tried);
    if (!first) return first.error();
    const auto state = multi_level_dynamics(r, fill, tables);
    if (!state) return state.error();
    std::uint64_t best = 1;
    double least = first->fpr;
    // The rate falls to its minimum and then rises, with small ripples: try up to 8 more k after the best.
    for (tried.k = 2; tried.k <= std::min(max_probes, best + 8); ++tried.k) {
        const double fpr = rates_of(r, fill, *state, tables, tried).fpr;
        if (fpr < least) {
            least = fpr;
            best = tried.k;
        }
    }
    return best;
}

result<balanced_bloom_rates> balanced_bloom_design(double bits_per_key, double a, std::uint64_t d,
                                                   const balanced_bloom_spec& spec) {
    if (!(bits_per_key > 0)) return outside_domain("bits_per_key", "bits per key are above 0");
    const double r = static_cast<double>(spec.block_bits) / bits_per_key;
    const auto design = multi_level(a, d, r);
    if (!design) return design.error();
    return balanced_bloom(r, 1, tables_of(*design), spec);
}

result<double> blocked_bloom_fpr_approximate(double bits_per_key, std::uint64_t block_bits, std::uint64_t k) {
    if (block_bits < 1 || block_bits > max_block_bits)
        return make_error(errc::bad_field, "block_bits").with_found(block_bits).with_range(1, max_block_bits);
    if (k < 1 || k > max_probes)
        return make_error(errc::bad_field, "k").with_found(k).with_range(1, max_probes);
    const double mean = static_cast<double>(block_bits) / bits_per_key;
    if (!(mean > 0 && mean <= max_block_arrivals))
        return outside_domain("bits_per_key", "keys per block are above 0 and at most 16384");
    const std::vector<double> weights = poisson_weights(mean, whole_tail);
    double sum = 0;
    for (std::size_t load = 1; load < weights.size(); ++load) {
        sum += weights[load] * approximate_rate(static_cast<double>(load), static_cast<double>(block_bits),
                                                static_cast<double>(k));
    }
    return std::min(sum, 1.0);
}

}  // namespace membrane::model
