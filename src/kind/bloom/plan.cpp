#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <membrane/base/prime.hpp>
#include <membrane/kind/bloom/spec.hpp>
#include <membrane/kind/counting_bloom/spec.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/line_reads.hpp>

#include "kind/bloom/probe_model.hpp"
#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

// Cells that keys share after folding: those of the folded array.
std::uint64_t cells_after_folding(const filter_spec& spec) {
    return spec[flat_field::fold_log2] == 0 ? spec[flat_field::size] : flat_words(spec) * 64;
}

// With odd strides b, i b + i^2 and i b + i^3 are even, so all positions of a key are even or all are odd, also after folding. The
// array is effectively two arrays, and a stranger tests the one with more or with fewer than half of the keys.
bool keeps_parity(const filter_spec& spec) {
    return spec[flat_field::probes] == probes::enhanced && spec[flat_field::strides] == strides::coprime &&
           spec[flat_field::growth] != growth::tetrahedral;
}

// The mean over the binomial share of keys in one half, by three-point Gauss-Hermite quadrature.
double halved_fpr(std::uint64_t keys, std::uint64_t cells, std::uint64_t k) {
    const double half = static_cast<double>(keys) / 2;
    const double far = std::min(half, std::sqrt(3 * half / 2));
    const auto fpr = [&](double some_keys) {
        return model::bloom_fpr_exact(static_cast<std::uint64_t>(std::round(some_keys)), cells / 2, k);
    };
    return (fpr(half - far) + 4 * fpr(half) + fpr(half + far)) / 6;
}

// The rate of independent probes.
double plain_fpr(const filter_spec& spec, std::uint64_t keys) {
    if (keeps_parity(spec)) return halved_fpr(keys, cells_after_folding(spec), spec[flat_field::k]);
    if (spec[flat_field::probes] != probes::partitioned)
        return model::bloom_fpr_exact(keys, cells_after_folding(spec), spec[flat_field::k]);
    const double folds = static_cast<double>(std::uint64_t{1} << spec[flat_field::fold_log2]);
    return model::partitioned_independent_fpr_exact(
        keys, static_cast<double>(spec[flat_field::sub_array]) / folds, spec[flat_field::k]);
}

double unfolded_fpr(const filter_spec& spec, std::uint64_t keys) {
    const std::uint64_t m = spec[flat_field::size];
    const std::uint64_t k = spec[flat_field::k];
    switch (spec[flat_field::probes]) {
        case probes::two_hash:
        case probes::enhanced:
            return model::progression_fpr(keys, m, k, growth_order_of(spec), stride_rule_of(spec));
        case probes::partitioned:
            return model::partitioned_two_hash_fpr_exact(keys,
                                                         static_cast<double>(spec[flat_field::sub_array]), k);
        default: return plain_fpr(spec, keys);
    }
}

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    if (spec[flat_field::fold_log2] == 0) return unfolded_fpr(spec, keys);
    // Folding fills the array, but two keys share a progression only as often as in the unfolded array.
    filter_spec base = spec;
    base[flat_field::fold_log2] = 0;
    const double shared = std::max(0.0, unfolded_fpr(base, keys) - plain_fpr(base, keys));
    const double plain = plain_fpr(spec, keys);
    return plain + (1 - plain) * shared;
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    return model::bloom_fpr_stddev_between(keys, cells_after_folding(spec), spec[flat_field::k]);
}

constexpr std::uint64_t bloom_cell_bits = 1;

// Lines are counted in the unfolded array: a line of the folded one stands for 2^fold_log2 of them.
template <std::uint64_t CellBits>
lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    const std::uint64_t k = spec[flat_field::k];
    const double folds = static_cast<double>(std::uint64_t{1} << spec[flat_field::fold_log2]);
    const double cells_per_line = 512.0 / static_cast<double>(CellBits) * folds;
    const double cells = static_cast<double>(spec[flat_field::size]);
    const double sub_array = static_cast<double>(spec[flat_field::sub_array]);
    const auto lines = [&](const std::vector<double>& reach) {
        switch (spec[flat_field::probes]) {
            case probes::independent: return model::independent_walk_lines(reach, cells, cells_per_line);
            case probes::partitioned: return model::sub_array_walk_lines(reach, sub_array, cells_per_line);
            default:
                return model::progression_walk_lines(reach, cells, cells_per_line, growth_order_of(spec));
        }
    };
    const auto reach =
        spec[flat_field::probes] == probes::partitioned
            ? model::reach_in_sub_arrays(keys, sub_array / folds, k)
            : model::reach_until_unused(model::bloom_ones_exact(keys, cells_after_folding(spec), k), k);
    const double most = std::min(static_cast<double>(k), std::ceil(cells / cells_per_line));
    const line_reads all{lines(model::reach_until_unused(1, k)), most};
    return {{lines(reach), most}, all, all};
}

// Sets the size and the fields that follow from size and k.
void set_size(filter_spec& spec, std::uint64_t size, const given_fields& given) {
    const std::uint64_t rounded = flat_needs_whole_words(spec) ? divide_rounding_up(size, 64) * 64 : size;
    if (!given.is_given[flat_field::size]) spec[flat_field::size] = rounded;
    if (spec[flat_field::probes] == probes::partitioned && !given.is_given[flat_field::sub_array]) {
        const std::uint64_t room = spec[flat_field::size] / spec[flat_field::k];
        spec[flat_field::sub_array] = prev_prime(room).value_or(room);
    }
}

result<filter_spec> size(kind_id kind, std::span<const field_rule> rules, std::uint64_t bits_per_cell,
                         const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind, rules, wanted, given);
    const double fpr = wanted.fpr.value_or(default_fpr);
    const bool is_sized_by_rate = !wanted.bits_per_key && !given.is_given[flat_field::size];

    double cells_per_key = 0;  // if the number of cells is given
    if (wanted.bits_per_key) cells_per_key = *wanted.bits_per_key / static_cast<double>(bits_per_cell);
    if (given.is_given[flat_field::size])
        cells_per_key =
            static_cast<double>(spec[flat_field::size]) / std::max(1.0, static_cast<double>(wanted.keys));
    if (!given.is_given[flat_field::k])
        spec[flat_field::k] =
            is_sized_by_rate ? static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(fpr)), 1.0, 64.0))
                             : model::best_k(cells_per_key);

    std::uint64_t likely_cells = 64;
    if (is_sized_by_rate) {
        const auto closed_form = flat_spec_for(kind, rules, wanted.keys, fpr);
        if (!closed_form) return closed_form.error();
        likely_cells = (*closed_form)[flat_field::size];
    } else {
        const double cells = std::ceil(cells_per_key * static_cast<double>(wanted.keys));
        if (!(cells <= static_cast<double>(max_size_bits)))
            return make_error(errc::size_overflow, rules[flat_field::size].name)
                .with_note("ask for fewer keys or bits");
        likely_cells =
            std::max({static_cast<std::uint64_t>(cells), std::uint64_t{64}, 2 * spec[flat_field::k]});
    }
    if (!given.is_given[flat_field::probes])
        spec[flat_field::probes] = probes_for(
            static_cast<double>(wanted.keys), static_cast<double>(likely_cells),
            is_sized_by_rate ? fpr
                             : model::bloom_fpr_asymptotic(wanted.keys, likely_cells, spec[flat_field::k]));

    if (is_sized_by_rate) {
        const auto is_enough = [&](std::uint64_t words) {
            set_size(spec, words * 64, given);
            return predicted_fpr(spec, wanted.keys) <= fpr;
        };
        const std::uint64_t first =
            std::max(likely_cells / 128, divide_rounding_up(2 * spec[flat_field::k], 64));
        const std::uint64_t words = grow_until(first, max_size_bits / 64, is_enough);
        if (!is_enough(words))
            return make_error(errc::size_overflow, rules[flat_field::size].name)
                .with_note("this probe scheme cannot reach the rate");
    } else {
        set_size(spec, likely_cells, given);
    }
    if (auto checked = check_flat_spec(spec, rules); !checked) return checked.error();
    spec.planned_fpr = is_sized_by_rate ? fpr : predicted_fpr(spec, wanted.keys);
    return spec;
}

result<filter_spec> size_bloom(const requirement& wanted, const given_fields& given) {
    return size(kind_id::bloom, bloom_fields, bloom_cell_bits, wanted, given);
}

result<filter_spec> size_counting_bloom(const requirement& wanted, const given_fields& given) {
    return size(kind_id::counting_bloom, counting_bloom_fields, counting_bloom_cell_bits, wanted, given);
}

}  // namespace

const kind_plan bloom_plan{&size_bloom, &predicted_fpr, &fpr_stddev_between,
                           &predicted_costs<bloom_cell_bits>};
const kind_plan counting_bloom_plan{&size_counting_bloom, &predicted_fpr, &fpr_stddev_between,
                                    &predicted_costs<counting_bloom_cell_bits>};

}  // namespace membrane::plan
