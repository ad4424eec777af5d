#include <membrane/plan/balanced_rank_plan.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/balanced_rank.hpp>
#include <membrane/model/balanced_rank_optimum.hpp>
#include <membrane/spec/balanced_rank_spec.hpp>

#include "sizing.hpp"

namespace membrane::plan {

namespace {

using field_index = std::size_t;

double number(const filter_spec& spec, field_index field) { return static_cast<double>(spec[field]); }

model::balanced_rank_form form_of(const filter_spec& spec) {
    return spec[rank_field::form] == rank_form::erasable ? model::balanced_rank_form::erasable
                                                         : model::balanced_rank_form::insert_only;
}

// The model's shape for this many keys; the model knows lines from nearly empty to four times full.
model::balanced_rank_shape shape_of(const filter_spec& spec, double keys) {
    model::balanced_rank_shape shape;
    shape.form = form_of(spec);
    shape.first = {spec[rank_field::fingerprint_bits], spec[rank_field::chains], spec[rank_field::cells]};
    shape.second = {spec[rank_field::second_fingerprint_bits], spec[rank_field::second_chains],
                    spec[rank_field::second_cells]};
    shape.second_share = number(spec, rank_field::lines) > 0
                             ? static_cast<double>(second_lines(spec)) / number(spec, rank_field::lines)
                             : 1 / number(spec, rank_field::second_share);
    shape.keys_per_line =
        std::clamp(keys / number(spec, rank_field::lines), 0.01, 4 * number(spec, rank_field::cells));
    return shape;
}

double first_rate(const filter_spec& spec, double keys) {
    const double addresses = std::ldexp(number(spec, rank_field::lines) * number(spec, rank_field::chains),
                                        static_cast<int>(spec[rank_field::fingerprint_bits]));
    return -std::expm1(keys * std::log1p(-1 / addresses));
}

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    const double first = first_rate(spec, static_cast<double>(keys));
    if (form_of(spec) == model::balanced_rank_form::erasable) return first;
    const auto numbers = model::balanced_rank_at(shape_of(spec, static_cast<double>(keys)));
    if (!numbers) return first;  // so few keys that nothing is forwarded, or more than the filter takes
    return first + (numbers->fpr - numbers->first_fpr);
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0) return 0;
    const auto filter = model::balanced_rank_for(shape_of(spec, static_cast<double>(keys)), keys);
    return filter ? filter->fpr_stddev_between : 0;
}

// At worst both tables and a line of the list; an insertion may move one entry of each table on.
lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    const auto numbers = model::balanced_rank_at(shape_of(spec, static_cast<double>(keys)));
    if (!numbers) return {{1, 3}, {1, 3}, {1, 3}};
    return {{numbers->negative_reads + numbers->list_reads, 3},
            {numbers->positive_reads + numbers->listed, 3},
            {1 + numbers->forwarded + numbers->listed, 3}};
}

// Slots that suffice but for a chance that is never met: eight deviations, a fifth more for the gaps of the list, and a
// few for filters so small that the deviations mean little.
result<std::uint64_t> list_slots_for(const filter_spec& spec, std::uint64_t keys) {
    constexpr double sigmas = 8, room = 1.2, least = 32;
    const double per_line = static_cast<double>(keys) / number(spec, rank_field::lines);
    const auto filter = model::balanced_rank_for(shape_of(spec, static_cast<double>(keys)),
                                                 std::max<std::uint64_t>(keys, 1), sigmas);
    if (!filter || per_line > 4 * number(spec, rank_field::cells))
        return make_error(errc::bad_field, "lines")
            .with_found(spec[rank_field::lines])
            .with_note("too few lines or cells for this many keys");
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(filter->list_slots) * room + least));
}

result<model::balanced_rank_optimum> optimum_for(const requirement& wanted, model::balanced_rank_form form) {
    model::balanced_rank_requirement bound;
    bound.form = form;
    bound.negative_reads = 1.2;
    if (wanted.bits_per_key)
        return model::best_balanced_rank_for_bits(std::clamp(*wanted.bits_per_key, 5.5, 30.0), bound);
    return model::best_balanced_rank_for_fpr(std::clamp(wanted.fpr.value_or(default_fpr), 1e-8, 0.1), bound);
}

// As many bits as a line has left.
std::uint64_t cells_beside(std::uint64_t chains, std::uint64_t fingerprint_bits) {
    return std::min<std::uint64_t>(64, (rank_line_bits - 1 - chains) / (fingerprint_bits + 1));
}

// Sets what the user left open. Relations between fields are kept wherever the given ones allow it.
void fill_in(filter_spec& spec, const given_fields& given, const model::balanced_rank_shape& best,
             std::uint64_t share) {
    const auto open = [&](field_index field) { return !given.is_given[field]; };
    const auto set = [&](field_index field, std::uint64_t value) {
        if (open(field))
            spec[field] =
                std::clamp(value, balanced_rank_fields[field].least, balanced_rank_fields[field].most);
    };
    set(rank_field::fingerprint_bits, best.first.fingerprint_bits);
    set(rank_field::chains, best.first.chains);
    set(rank_field::cells, std::min(best.first.cells, cells_beside(spec[rank_field::chains],
                                                                   spec[rank_field::fingerprint_bits])));
    set(rank_field::second_share, share);
    set(rank_field::second_chains, best.second.chains);
    const bool is_erasable = form_of(spec) == model::balanced_rank_form::erasable;
    std::uint64_t second_bits = best.second.fingerprint_bits;
    if (is_erasable)
        second_bits = spec[rank_field::fingerprint_bits] +
                      model::widening_bits(1 / number(spec, rank_field::second_share),
                                           spec[rank_field::chains], spec[rank_field::second_chains]);
    set(rank_field::second_fingerprint_bits, second_bits);
    set(rank_field::second_cells,
        cells_beside(spec[rank_field::second_chains], spec[rank_field::second_fingerprint_bits]));
}

double payload_bits(const filter_spec& spec) {
    return static_cast<double>(spec[rank_field::lines] + second_lines(spec)) * rank_line_bits +
           number(spec, rank_field::list_slots) * 64;
}

// Lines for these fields: the optimum's fill, and where a rate is wanted, no more keys a line than it allows.
result<std::uint64_t> lines_for(const filter_spec& spec, const requirement& wanted,
                                const model::balanced_rank_shape& best) {
    double keys_per_line =
        best.keys_per_line * number(spec, rank_field::cells) / static_cast<double>(best.first.cells);
    const double fpr = wanted.fpr.value_or(default_fpr);
    if (!wanted.bits_per_key)
        keys_per_line =
            std::min(keys_per_line, fpr * std::ldexp(number(spec, rank_field::chains),
                                                     static_cast<int>(spec[rank_field::fingerprint_bits])));
    const double lines = std::max(1.0, std::ceil(static_cast<double>(wanted.keys) / keys_per_line));
    if (!(lines <= static_cast<double>(balanced_rank_fields[rank_field::lines].most)))
        return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys or bits");
    filter_spec tried = spec;
    tried[rank_field::lines] = static_cast<std::uint64_t>(lines);
    if (wanted.bits_per_key || predicted_fpr(tried, wanted.keys) <= fpr) return tried[rank_field::lines];
    return grow_until(tried[rank_field::lines], tried[rank_field::lines] * 64 + 64, [&](std::uint64_t more) {
        tried[rank_field::lines] = more;
        return predicted_fpr(tried, wanted.keys) <= fpr;
    });
}

result<filter_spec> size_with(std::uint64_t share, filter_spec spec, const requirement& wanted,
                              const given_fields& given, const model::balanced_rank_shape& best) {
    fill_in(spec, given, best, share);
    if (!given.is_given[rank_field::lines]) {
        spec[rank_field::lines] = 1;
        if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
        const auto lines = lines_for(spec, wanted, best);
        if (!lines) return lines.error();
        spec[rank_field::lines] = *lines;
    }
    if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
    const auto needed = list_slots_for(spec, wanted.keys);
    if (!needed) return needed.error();
    const auto set_list = [&] {
        if (given.is_given[rank_field::list_slots]) return;
        const auto slots = list_slots_for(spec, wanted.keys);
        spec[rank_field::list_slots] = slots ? *slots : *needed;
    };
    set_list();
    if (spec[rank_field::list_slots] < *needed)
        return make_error(errc::bad_field, "list_slots")
            .with_found(spec[rank_field::list_slots])
            .with_range(*needed, balanced_rank_fields[rank_field::list_slots].most);
    if (wanted.bits_per_key && !given.is_given[rank_field::lines]) {
        // The whole numbers may have made it a little larger or smaller than asked.
        const double allowed =
            *wanted.bits_per_key * static_cast<double>(std::max<std::uint64_t>(1, wanted.keys));
        for (int i = 0; i < 3; ++i) {
            const double lines = number(spec, rank_field::lines) * allowed / payload_bits(spec);
            spec[rank_field::lines] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(lines));
            set_list();
        }
    }
    const double predicted = predicted_fpr(spec, wanted.keys);
    const double fpr = wanted.fpr.value_or(default_fpr);
    if (!wanted.bits_per_key && predicted > fpr)
        return make_error(errc::bad_field, "fpr")
            .with_note("no number of lines reaches the rate with these fields");
    spec.planned_fpr = wanted.bits_per_key ? predicted : fpr;
    return spec;
}

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind_id::balanced_rank, balanced_rank_fields, wanted, given);
    if (!given.is_given[rank_field::form])
        spec[rank_field::form] =
            wanted.needs.erase || wanted.needs.count ? rank_form::erasable : rank_form::insert_only;
    const auto best = optimum_for(wanted, form_of(spec));
    if (!best) return best.error();
    // The best share of the second table is seldom one in a whole number: both neighbours are tried.
    const auto below = static_cast<std::uint64_t>(std::floor(1 / best->shape.second_share + 1e-9));
    auto sized = size_with(below, spec, wanted, given, best->shape);
    const auto other = size_with(below + 1, spec, wanted, given, best->shape);
    const auto cost = [&](const filter_spec& made) {
        return wanted.bits_per_key ? predicted_fpr(made, wanted.keys) : payload_bits(made);
    };
    if (other && (!sized || cost(*other) < cost(*sized))) return *other;
    return sized;
}

}  // namespace

const kind_plan balanced_rank_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
