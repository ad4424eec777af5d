#include <membrane/plan/kind_plans.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>

#include "kind/balanced_rank/design.hpp"
#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

using field_index = std::size_t;

double number(const filter_spec& spec, field_index field) { return static_cast<double>(spec[field]); }

bool has_numbers(const filter_spec& spec) { return has_universe(spec[balanced_rank_field::form]); }

model::rank_model_form form_of(const filter_spec& spec) {
    return has_numbers(spec) ? model::rank_model_form::erasable : model::rank_model_form::fixed;
}

// Among so many addresses, or numbers, is what a stranger's lookup looks for.
double different_entries(const filter_spec& spec) {
    if (has_numbers(spec)) return number(spec, balanced_rank_field::universe);
    return std::ldexp(number(spec, balanced_rank_field::lines) * number(spec, balanced_rank_field::chains),
                      static_cast<int>(spec[balanced_rank_field::fingerprint_bits]));
}
double first_rate(const filter_spec& spec, double keys) {
    return -std::expm1(keys * std::log1p(-1 / different_entries(spec)));
}

// Only the erasable form stores equal entries more than once.
double entries_of(const filter_spec& spec, double keys) {
    return spec[balanced_rank_field::form] == balanced_rank_form::erasable
               ? keys
               : first_rate(spec, keys) * different_entries(spec);
}

}  // namespace

// Clamped to the model's domain: lines from nearly empty to four times full.
model::balanced_rank_shape balanced_rank_shape_of(const filter_spec& spec, std::uint64_t keys) {
    model::balanced_rank_shape shape;
    shape.form = form_of(spec);
    shape.first = {spec[balanced_rank_field::fingerprint_bits], spec[balanced_rank_field::chains],
                   spec[balanced_rank_field::cells]};
    shape.second = {spec[balanced_rank_field::second_fingerprint_bits],
                    spec[balanced_rank_field::second_chains], spec[balanced_rank_field::second_cells]};
    shape.second_share =
        number(spec, balanced_rank_field::lines) > 0
            ? static_cast<double>(second_lines(spec)) / number(spec, balanced_rank_field::lines)
            : number(spec, balanced_rank_field::chains) / number(spec, balanced_rank_field::served_chains);
    shape.keys_per_line =
        std::clamp(entries_of(spec, static_cast<double>(keys)) / number(spec, balanced_rank_field::lines),
                   0.01, 4 * number(spec, balanced_rank_field::cells));
    return shape;
}

namespace {

double predicted_fpr(const filter_spec& spec, std::uint64_t keys) {
    const double first = first_rate(spec, static_cast<double>(keys));
    if (has_numbers(spec)) return first;
    const auto numbers = model::balanced_rank_at(balanced_rank_shape_of(spec, keys));
    if (!numbers || numbers->first_fpr >= 1)
        return first;  // so few keys that nothing is forwarded, or more keys than the filter holds
    return first + (1 - first) * (numbers->fpr - numbers->first_fpr) / (1 - numbers->first_fpr);
}

double fpr_stddev_between(const filter_spec& spec, std::uint64_t keys) {
    if (keys == 0) return 0;
    if (has_numbers(spec)) {
        // Of the number of occupied places among U (occupancy with n balls).
        const double places = different_entries(spec), load = static_cast<double>(keys) / places;
        return std::sqrt(std::max(0.0, std::exp(-load) * (1 - (1 + load) * std::exp(-load))) / places);
    }
    const auto filter = model::balanced_rank_for(balanced_rank_shape_of(spec, keys), keys);
    return filter ? filter->fpr_stddev_between : 0;
}

// Worst case: both tables and a line of the list. An insertion may forward one entry of each table.
lookup_costs predicted_costs(const filter_spec& spec, std::uint64_t keys) {
    const auto numbers = model::balanced_rank_at(balanced_rank_shape_of(spec, keys));
    if (!numbers) return {{1, 3}, {1, 3}, {1, 3}};
    return {{numbers->negative_reads + numbers->list_reads, 3},
            {numbers->positive_reads + numbers->listed, 3},
            {1 + numbers->forwarded + numbers->listed, 3}};
}

// Slots that suffice except with a negligible probability. If equal entries are stored, one more line's worth, because one key
// that is inserted again and again displaces a whole line of the second table.
result<std::uint64_t> list_slots_for(const filter_spec& spec, std::uint64_t keys) {
    constexpr double refusal_chance = 1e-12;
    const std::uint64_t driven_out = spec[balanced_rank_field::form] == balanced_rank_form::erasable
                                         ? spec[balanced_rank_field::second_cells]
                                         : 0;
    const double per_line = static_cast<double>(keys) / number(spec, balanced_rank_field::lines);
    const auto filter = model::balanced_rank_for(balanced_rank_shape_of(spec, keys),
                                                 std::max<std::uint64_t>(keys, 1), refusal_chance);
    if (!filter || per_line > 4 * number(spec, balanced_rank_field::cells))
        return make_error(errc::bad_field, "lines")
            .with_found(spec[balanced_rank_field::lines])
            .with_note("too few lines or cells for this many keys");
    return std::min(filter->list_slots + driven_out, keys * 2 + 8);
}

// The cells that fit into the rest of a line.
std::uint64_t cells_beside(std::uint64_t chains, std::uint64_t fingerprint_bits) {
    return std::min<std::uint64_t>(64, (rank_line_bits - 1 - chains) / (fingerprint_bits + 1));
}

// Sets the fields that the user left open, keeping the relations between fields as far as the given ones allow.
void fill_in(filter_spec& spec, const given_fields& given, const model::balanced_rank_shape& best) {
    const auto open = [&](field_index field) { return !given.is_given[field]; };
    const auto set = [&](field_index field, std::uint64_t value) {
        if (open(field))
            spec[field] =
                std::clamp(value, balanced_rank_fields[field].least, balanced_rank_fields[field].most);
    };
    set(balanced_rank_field::fingerprint_bits, best.first.fingerprint_bits);
    set(balanced_rank_field::chains, best.first.chains);
    set(balanced_rank_field::cells,
        std::min(best.first.cells, cells_beside(spec[balanced_rank_field::chains],
                                                spec[balanced_rank_field::fingerprint_bits])));
    set(balanced_rank_field::served_chains,
        static_cast<std::uint64_t>(number(spec, balanced_rank_field::chains) / best.second_share *
                                   (1 + 1e-12)));
    // In the fixed form both tables have the same shape.
    const bool is_carried = has_numbers(spec);
    set(balanced_rank_field::second_chains,
        is_carried ? best.second.chains : spec[balanced_rank_field::chains]);
    std::uint64_t second_bits = spec[balanced_rank_field::fingerprint_bits];
    if (is_carried)
        second_bits += model::widening_bits(
            number(spec, balanced_rank_field::chains) / number(spec, balanced_rank_field::served_chains),
            spec[balanced_rank_field::chains], spec[balanced_rank_field::second_chains]);
    set(balanced_rank_field::second_fingerprint_bits, second_bits);
    set(balanced_rank_field::second_cells, cells_beside(spec[balanced_rank_field::second_chains],
                                                        spec[balanced_rank_field::second_fingerprint_bits]));
}

double payload_bits(const filter_spec& spec) {
    constexpr double list_head = 64 * 8;
    return static_cast<double>(spec[balanced_rank_field::lines] + second_lines(spec)) * rank_line_bits +
           number(spec, balanced_rank_field::list_slots) * 64 + list_head;
}

result<std::uint64_t> checked_lines(double lines) {
    if (!(lines <= static_cast<double>(balanced_rank_fields[balanced_rank_field::lines].most)))
        return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys or bits");
    return static_cast<std::uint64_t>(std::max(1.0, lines));
}

// The optimum's load, scaled to the cells of this line.
double optimal_keys_per_line(const filter_spec& spec, const model::balanced_rank_shape& best) {
    return best.keys_per_line * number(spec, balanced_rank_field::cells) /
           static_cast<double>(best.first.cells);
}

result<std::uint64_t> lines_for_rate(const filter_spec& spec, std::uint64_t keys, double fpr,
                                     const model::balanced_rank_shape& best) {
    const double most_by_rate =
        fpr * std::ldexp(number(spec, balanced_rank_field::chains),
                         static_cast<int>(spec[balanced_rank_field::fingerprint_bits]));
    const double keys_per_line = std::min(optimal_keys_per_line(spec, best), most_by_rate);
    const auto lines = checked_lines(std::ceil(static_cast<double>(keys) / keys_per_line));
    if (!lines) return lines.error();
    filter_spec tried = spec;
    return grow_until(*lines, *lines * 64 + 64, [&](std::uint64_t more) {
        tried[balanced_rank_field::lines] = more;
        return predicted_fpr(tried, keys) <= fpr;
    });
}

// As many lines as fit into the bits with the list they need, but not so few that lines are overfull.
result<std::uint64_t> lines_for_bits(const filter_spec& spec, std::uint64_t keys, double allowed_bits,
                                     const model::balanced_rank_shape& best) {
    const auto least =
        checked_lines(std::ceil(static_cast<double>(keys) / optimal_keys_per_line(spec, best)));
    if (!least) return least.error();
    const double bits_per_line = rank_line_bits * (1 + number(spec, balanced_rank_field::chains) /
                                                           number(spec, balanced_rank_field::served_chains));
    const auto most = checked_lines(std::floor(allowed_bits / bits_per_line));
    if (!most) return most.error();
    filter_spec tried = spec;
    tried[balanced_rank_field::lines] = *most;
    while (tried[balanced_rank_field::lines] > *least) {
        if (!spec[balanced_rank_field::list_slots]) {
            const auto slots = list_slots_for(tried, keys);
            tried[balanced_rank_field::list_slots] = slots ? *slots : 0;
        }
        const double excess = payload_bits(tried) - allowed_bits;
        if (excess <= 0) break;
        const double fewer = std::ceil(excess / bits_per_line);
        tried[balanced_rank_field::lines] -=
            std::min(tried[balanced_rank_field::lines] - *least, static_cast<std::uint64_t>(fewer));
    }
    return std::max(tried[balanced_rank_field::lines], *least);
}

double allowed_bits(const requirement& wanted) {
    return *wanted.bits_per_key * static_cast<double>(std::max<std::uint64_t>(1, wanted.keys));
}

result<filter_spec> size_with(const model::balanced_rank_shape& best, filter_spec spec,
                              const requirement& wanted, const given_fields& given) {
    fill_in(spec, given, best);
    const double fpr = wanted.fpr.value_or(default_fpr);
    if (!given.is_given[balanced_rank_field::lines]) {
        spec[balanced_rank_field::lines] = 1;
        if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
        const auto lines = wanted.bits_per_key ? lines_for_bits(spec, wanted.keys, allowed_bits(wanted), best)
                                               : lines_for_rate(spec, wanted.keys, fpr, best);
        if (!lines) return lines.error();
        spec[balanced_rank_field::lines] = *lines;
    }
    if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
    const auto needed = list_slots_for(spec, wanted.keys);
    if (!needed) return needed.error();
    if (!given.is_given[balanced_rank_field::list_slots]) spec[balanced_rank_field::list_slots] = *needed;
    if (spec[balanced_rank_field::list_slots] < *needed)
        return make_error(errc::bad_field, "list_slots")
            .with_found(spec[balanced_rank_field::list_slots])
            .with_range(*needed, balanced_rank_fields[balanced_rank_field::list_slots].most);
    const double predicted = predicted_fpr(spec, wanted.keys);
    if (!wanted.bits_per_key && predicted > fpr)
        return make_error(errc::bad_field, "fpr")
            .with_note("no number of lines reaches the rate with these fields");
    spec.planned_fpr = wanted.bits_per_key ? predicted : fpr;
    return spec;
}

// ---- growable and erasable

// The fields of a layout other than form and universe: whoever gives one of them wants that layout.
bool is_layout_given(const given_fields& given) {
    for (field_index field = balanced_rank_field::lines; field < balanced_rank_field::list_slots; ++field)
        if (given.is_given[field]) return true;
    return false;
}

// The largest universe whose numbers a layout tells apart.
std::uint64_t universe_for_places(std::uint64_t places) {
    unsigned halvings =
        static_cast<unsigned>(std::max<int>(0, static_cast<int>(std::bit_width(places)) - 12));
    for (std::uint64_t mantissa = places >> halvings; halvings <= 54 && mantissa > 1; --mantissa) {
        const std::uint64_t universe = mantissa << halvings;
        if (universe <= most_universe && tells_numbers_apart(places, universe)) return universe;
    }
    return most_universe;
}

result<filter_spec> with_given_layout(filter_spec spec, const requirement& wanted,
                                      const given_fields& given) {
    const auto best = best_rank_shape(wanted, model::rank_model_form::erasable);
    if (!best) return best.error();
    fill_in(spec, given, best->shape);
    if (!given.is_given[balanced_rank_field::lines]) {
        const auto lines = checked_lines(std::ceil(static_cast<double>(wanted.keys) /
                                                   std::max(1.0, optimal_keys_per_line(spec, best->shape))));
        if (!lines) return lines.error();
        spec[balanced_rank_field::lines] = *lines;
    }
    const double fpr = wanted.fpr.value_or(default_fpr);
    const double numbers = static_cast<double>(std::max(wanted.keys, wanted.grow_to)) / fpr;
    const auto places = [&] {
        return rank_places(spec[balanced_rank_field::lines], spec[balanced_rank_field::chains],
                           spec[balanced_rank_field::fingerprint_bits]);
    };
    if (!given.is_given[balanced_rank_field::universe]) {
        // More numbers than lines, however many of those are given.
        spec[balanced_rank_field::universe] =
            universe_of_at_least(std::max(numbers, number(spec, balanced_rank_field::lines) + 1));
        // Lines that nobody gave are as many as the numbers need.
        const bool is_open =
            !given.is_given[balanced_rank_field::lines] && spec[balanced_rank_field::universe] != 0;
        for (int tries = 0;
             is_open && tries < 64 && !tells_numbers_apart(places(), spec[balanced_rank_field::universe]);
             ++tries)
            spec[balanced_rank_field::lines] += spec[balanced_rank_field::lines] / 4 + 1;
        if (spec[balanced_rank_field::universe] == 0 ||
            !tells_numbers_apart(places(), spec[balanced_rank_field::universe]))
            spec[balanced_rank_field::universe] = universe_for_places(std::min(places(), most_universe));
    }
    if (!given.is_given[balanced_rank_field::list_slots]) {
        if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
        const auto slots = list_slots_for(spec, wanted.keys);
        if (!slots) return slots.error();
        spec[balanced_rank_field::list_slots] = *slots;
    }
    return spec;
}

// If no two keys had the same number. any_view::promised_keys goes back from this rate to the number of keys.
double highest_rate(const filter_spec& spec, std::uint64_t keys) {
    return std::min(1.0, static_cast<double>(keys) / number(spec, balanced_rank_field::universe));
}

result<filter_spec> size_numbers(filter_spec spec, const requirement& wanted, const given_fields& given) {
    const double fpr = wanted.fpr.value_or(default_fpr);
    if (is_layout_given(given)) {
        auto made = with_given_layout(spec, wanted, given);
        if (!made) return made;
        spec = *made;
    } else {
        const std::uint64_t keys = wanted.keys;
        const auto layout_in = [&](std::uint64_t universe) {
            filter_spec layout = number_layout(spec[balanced_rank_field::form], universe, keys);
            layout.planned_keys = keys;
            if (given.is_given[balanced_rank_field::list_slots])
                layout[balanced_rank_field::list_slots] = spec[balanced_rank_field::list_slots];
            return layout;
        };
        if (given.is_given[balanced_rank_field::universe]) {
            if (spec[balanced_rank_field::universe] < least_universe)
                return make_error(errc::bad_field, "universe")
                    .with_found(spec[balanced_rank_field::universe])
                    .with_note("at least 2");
            spec = layout_in(spec[balanced_rank_field::universe]);
        } else if (wanted.bits_per_key) {
            // The least rate in this size; sizes rise with the universe. From three numbers for each key down they do not fall:
            // a line holds 64 entries at most.
            constexpr double least_numbers_per_key = 3;
            const double at_least = static_cast<double>(std::max<std::uint64_t>(keys, 1));
            double low = std::log2(least_numbers_per_key * at_least),
                   high = std::log2(static_cast<double>(most_universe));
            for (int step = 0; step < 40; ++step) {
                const double middle = (low + high) / 2;
                const filter_spec tried = layout_in(universe_of_at_least(std::exp2(middle)));
                const bool fits =
                    tried[balanced_rank_field::lines] != 0 && payload_bits(tried) <= allowed_bits(wanted);
                (fits ? low : high) = middle;
            }
            spec = layout_in(universe_of_at_least(std::exp2(low)));
        } else {
            const auto made =
                balanced_rank_numbers_spec_for(spec[balanced_rank_field::form], keys, fpr, wanted.grow_to);
            if (!made) return made.error();
            const std::uint64_t slots = spec[balanced_rank_field::list_slots];
            spec = *made;
            if (given.is_given[balanced_rank_field::list_slots])
                spec[balanced_rank_field::list_slots] = slots;
        }
        if (spec[balanced_rank_field::lines] == 0)
            return make_error(errc::size_overflow, "lines").with_note("ask for fewer keys");
    }
    if (auto checked = check_balanced_rank_spec(spec); !checked) return checked.error();
    const double rate = highest_rate(spec, std::max(wanted.keys, wanted.grow_to));
    constexpr double rounding = 1e-12;
    if (!wanted.bits_per_key && rate > fpr * (1 + rounding))
        return make_error(errc::bad_field, "fpr")
            .with_note("these fields do not reach the rate: leave out `universe`, or give more lines");
    spec.planned_keys = wanted.keys;
    spec.planned_fpr = wanted.bits_per_key ? rate : fpr;
    return spec;
}

std::uint64_t form_for(const requirement& wanted) {
    if (wanted.needs.erase || wanted.needs.count) return balanced_rank_form::erasable;
    const bool may_grow = wanted.needs.grow || wanted.grow_to != 0;
    return (wanted.is_static || wanted.is_fixed) && !may_grow ? balanced_rank_form::fixed
                                                              : balanced_rank_form::growable;
}

result<filter_spec> size(const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    filter_spec spec = start_spec(kind_id::balanced_rank, balanced_rank_fields, wanted, given);
    if (!given.is_given[balanced_rank_field::form]) spec[balanced_rank_field::form] = form_for(wanted);
    if (has_numbers(spec)) return size_numbers(spec, wanted, given);
    const auto best = best_rank_shape(wanted, form_of(spec));
    if (!best) return best.error();
    auto sized = size_with(best->shape, spec, wanted, given);
    if (!wanted.bits_per_key) return sized;
    // In a small filter the list takes bits from the lines: try shapes for fewer bits, in fixed steps so that the cache helps.
    constexpr double step = 0.5;
    requirement smaller = wanted;
    double design_bits = std::min(*wanted.bits_per_key, most_rank_bits_per_key);
    while (sized && payload_bits(*sized) > allowed_bits(wanted) && design_bits > least_rank_bits_per_key) {
        design_bits = std::max(least_rank_bits_per_key, std::ceil(design_bits / step - 1) * step);
        smaller.bits_per_key = design_bits;
        const auto leaner = best_rank_shape(smaller, form_of(spec));
        if (!leaner) break;
        auto tried = size_with(leaner->shape, spec, wanted, given);
        if (!tried || payload_bits(*tried) >= payload_bits(*sized)) break;
        sized = tried;
    }
    return sized;
}

}  // namespace

const kind_plan balanced_rank_plan{&size, &predicted_fpr, &fpr_stddev_between, &predicted_costs};

}  // namespace membrane::plan
