#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <membrane/base/prime.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/model/count_min.hpp>
#include <membrane/model/less_hashing.hpp>
#include <membrane/model/line_reads.hpp>

#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

bool is_two_hash(const filter_spec& spec) { return spec[count_min_field::rows] == rows::two_hash; }

// A row is a sub-array of a partitioned Bloom filter: a stranger is a false positive if none of its counters is zero.
double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    const double width = static_cast<double>(spec[count_min_field::width]);
    if (!is_two_hash(spec))
        return model::partitioned_independent_fpr_exact(keys, width, spec[count_min_field::depth]);
    return std::pow(model::partitioned_two_hash_fpr_exact(keys, width, spec[count_min_field::depth]),
                    static_cast<double>(spec[count_min_field::copies]));
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    const std::uint64_t rows = count_min_rows(spec);
    return model::bloom_fpr_stddev_between(keys, rows * spec[count_min_field::width],
                                           std::min<std::uint64_t>(rows, 64));
}

lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    const std::uint64_t rows = count_min_rows(spec);
    const double width = static_cast<double>(spec[count_min_field::width]);
    const double cells_per_line = 512.0 / static_cast<double>(spec[count_min_field::cell_bits]);
    const auto lines = [&](const std::vector<double>& reach) {
        return model::sub_array_walk_lines(reach, width, cells_per_line);
    };
    std::vector<double> reach;
    if (is_two_hash(spec)) {
        const auto of_one = model::reach_in_sub_arrays(keys, width, spec[count_min_field::depth] + 1);
        double copies_before = 1;
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t in_copy = row % spec[count_min_field::depth];
            if (row != 0 && in_copy == 0) copies_before *= of_one.back();
            reach.push_back(copies_before * of_one[in_copy]);
        }
    } else {
        reach =
            model::reach_until_unused(model::bloom_ones_exact(keys, spec[count_min_field::width], 1), rows);
    }
    const double most =
        std::min(static_cast<double>(rows), std::ceil(static_cast<double>(rows) * width / cells_per_line));
    const line_reads all{lines(model::reach_until_unused(1, rows)), most};
    return {{lines(reach), most}, all, all};
}

std::uint64_t usable_width(const filter_spec& spec, std::uint64_t width) {
    return is_two_hash(spec) ? next_prime(std::max<std::uint64_t>(2, width)).value_or(width) : width;
}

// At most as many columns as fit into `room`, unless the rows need more.
std::uint64_t width_within(const filter_spec& spec, double room) {
    const auto width = static_cast<std::uint64_t>(std::max(1.0, room));
    if (!is_two_hash(spec)) return width;
    const auto below = prev_prime(width);
    return below && *below >= spec[count_min_field::depth]
               ? *below
               : usable_width(spec, std::max(width, spec[count_min_field::depth]));
}

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind_id::count_min, count_min_fields, wanted, given);
    const double fpr = wanted.fpr.value_or(default_fpr);
    const double keys = std::max(1.0, static_cast<double>(wanted.keys));
    const double copies = static_cast<double>(spec[count_min_field::copies]);
    const double cells_per_key =
        wanted.bits_per_key ? *wanted.bits_per_key / static_cast<double>(spec[count_min_field::cell_bits])
                            : 0;
    if (!given.is_given[count_min_field::depth]) {
        const double rows = wanted.bits_per_key ? static_cast<double>(model::best_k(cells_per_key))
                                                : std::round(-std::log2(fpr));
        spec[count_min_field::depth] =
            static_cast<std::uint64_t>(std::clamp(std::ceil(rows / copies), 1.0, 64.0));
    }
    if (!given.is_given[count_min_field::width]) {
        const double depth = static_cast<double>(spec[count_min_field::depth]);
        const double width = wanted.bits_per_key ? cells_per_key * keys / (depth * copies)
                                                 : -keys / std::log1p(-std::pow(fpr, 1 / (depth * copies)));
        if (!(width < static_cast<double>(count_min_fields[count_min_field::width].most)))
            return make_error(errc::size_overflow, "width").with_note("ask for fewer keys");
        const auto first = static_cast<std::uint64_t>(std::max({1.0, depth, std::ceil(width)}));
        if (wanted.bits_per_key) {
            spec[count_min_field::width] = width_within(spec, width);
        } else {
            const auto with_width = [&](std::uint64_t tried) {
                filter_spec other = spec;
                other[count_min_field::width] = usable_width(spec, tried);
                return other;
            };
            spec = with_width(grow_until(first, first * 64, [&](std::uint64_t tried) {
                return predicted_fpr(with_width(tried), wanted.keys) <= fpr;
            }));
        }
    }
    if (auto checked = check_count_min_spec(spec); !checked) return checked.error();
    spec.planned_fpr = predicted_fpr(spec, wanted.keys);
    // Two keys may agree in both hashes of a copy, so further rows do not help.
    if (wanted.fpr && !given.is_given[count_min_field::width] && spec.planned_fpr > fpr)
        return make_error(errc::bad_field, "fpr")
            .with_note("this sketch cannot reach the rate; give more copies, or rows=classic");
    return spec;
}

}  // namespace

result<filter_spec> size_count_min(double eps, double delta, const given_fields& given) {
    filter_spec spec = start_spec(kind_id::count_min, count_min_fields, {}, given);
    const auto sized = is_two_hash(spec) ? model::count_min_two_hash_size(eps, delta)
                                         : model::count_min_classic_size(eps, delta);
    if (!sized) return sized.error();
    if (!given.is_given[count_min_field::width]) spec[count_min_field::width] = sized->width;
    if (!given.is_given[count_min_field::depth]) spec[count_min_field::depth] = sized->depth;
    if (!given.is_given[count_min_field::copies]) spec[count_min_field::copies] = sized->copies;
    if (auto checked = check_count_min_spec(spec); !checked) return checked.error();
    return spec;
}

const kind_plan count_min_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
