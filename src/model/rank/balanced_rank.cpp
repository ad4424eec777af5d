#include <membrane/model/balanced_rank.hpp>

#include <algorithm>
#include <cmath>

#include "model/rank/carried_list_reads.hpp"
#include "model/rank/line_loads.hpp"
#include "model/rank/list_room.hpp"
#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

double places(const rank_line& line) {
    return static_cast<double>(line.chains) * std::exp2(static_cast<double>(line.fingerprint_bits));
}

result<void> check_line(const rank_line& line, std::string_view fingerprint, std::string_view chains,
                        std::string_view cells) {
    if (line.fingerprint_bits < 1 || line.fingerprint_bits > 56)
        return make_error(errc::bad_field, fingerprint).with_found(line.fingerprint_bits).with_range(1, 56);
    if (line.chains < 1 || line.chains > max_line_chains)
        return make_error(errc::bad_field, chains).with_found(line.chains).with_range(1, max_line_chains);
    const std::uint64_t most = (rank_line_bits - 1 - line.chains) / (line.fingerprint_bits + 1);
    if (line.cells < 1 || line.cells > most)
        return make_error(errc::bad_field, cells).with_found(line.cells).with_range(1, most);
    return {};
}

result<void> check(const balanced_rank_shape& shape) {
    if (const auto checked = check_line(shape.first, "first.fingerprint_bits", "first.chains", "first.cells");
        !checked)
        return checked;
    if (const auto checked =
            check_line(shape.second, "second.fingerprint_bits", "second.chains", "second.cells");
        !checked)
        return checked;
    if (!(shape.second_share >= 0.005 && shape.second_share <= 1))
        return make_error(errc::bad_field, "second_share").with_note("T2 has 0.005 to 1 line per line of T1");
    if (!(shape.keys_per_line >= 0.01 && shape.keys_per_line <= 4 * static_cast<double>(shape.first.cells)))
        return make_error(errc::bad_field, "keys_per_line").with_note("0.01 to four times the cells");
    if (shape.list_entry_bits < 1 || shape.list_entry_bits > 1024)
        return make_error(errc::bad_field, "list_entry_bits")
            .with_found(shape.list_entry_bits)
            .with_range(1, 1024);
    const double second_load =
        poisson_excess(shape.keys_per_line, static_cast<double>(shape.first.cells)) / shape.second_share;
    if (second_load > 4 * static_cast<double>(shape.second.cells))
        return make_error(errc::bad_field, "second_share")
            .with_note("T1 forwards more than four times the cells of T2");
    if (shape.form == rank_model_form::erasable) {
        const std::uint64_t least =
            shape.first.fingerprint_bits +
            widening_bits(shape.second_share, shape.first.chains, shape.second.chains);
        if (shape.second.fingerprint_bits < least)
            return make_error(errc::bad_field, "second.fingerprint_bits")
                .with_found(shape.second.fingerprint_bits)
                .with_range(least, 56);
    }
    return {};
}

// Var of G/w + H/h over lines: a line lets the fraction G of the lookups continue and forwards H entries. The part that is linear
// in the line's arrivals cancels, because the total number of keys is fixed. G is Beta(X - Z + 1, Z) given X.
double second_rate_scatter(double arrivals, double cells) {
    double w = 0, h = 0, gg = 0, hh = 0, gh = 0, gx = 0, hx = 0;
    const std::vector<double> law = poisson_law(arrivals, cells);
    for (auto i = static_cast<std::size_t>(cells) + 1; i < law.size(); ++i) {
        const auto x = static_cast<double>(i);
        const double over = x - cells;
        const double g = (over + 1) / (x + 1);
        w += law[i] * g;
        h += law[i] * over;
        gg += law[i] * g * (over + 2) / (x + 2);
        hh += law[i] * over * over;
        gh += law[i] * g * over;
        gx += law[i] * g * (x - arrivals);
        hx += law[i] * over * (x - arrivals);
    }
    if (!(w > 1e-100 && h > 1e-100)) return 0;  // nothing is forwarded, and squares would underflow
    const double variance = gg / (w * w) + hh / (h * h) + 2 * gh / (w * h) - 4;
    const double slope = gx / w + hx / h;
    return std::max(0.0, variance - slope * slope / arrivals);
}

// Unchecked. `second_law` is set to the distribution of the arrivals at a line of T2.
balanced_rank_numbers numbers_of(const balanced_rank_shape& shape, std::vector<double>& second_law) {
    const double x1 = shape.keys_per_line;
    const auto chains = static_cast<double>(shape.first.chains);
    const auto cells = static_cast<double>(shape.first.cells);
    const auto second_cells = static_cast<double>(shape.second.cells);
    const double share = shape.second_share;
    balanced_rank_numbers numbers;
    const double forwarded = poisson_excess(x1, cells);
    const double w = continue_chance(x1, chains, cells);
    numbers.forwarded = forwarded / x1;
    numbers.second_load = forwarded / share;
    numbers.negative_reads = 1 + w;
    numbers.positive_reads = 1 + numbers.forwarded;
    numbers.first_fpr = -std::expm1(-x1 / places(shape.first));
    numbers.fpr = numbers.first_fpr;
    if (shape.form == rank_model_form::fixed) {
        second_law = poisson_law(numbers.second_load, second_cells);
        numbers.second_variance = numbers.second_load;
        numbers.fpr += (1 - numbers.fpr) * w * -std::expm1(-numbers.second_load / places(shape.second));
        numbers.list_reads =
            w * continue_chance(numbers.second_load, static_cast<double>(shape.second.chains), second_cells);
    } else {
        const auto clumps = forwarded_clumps(x1, chains, cells);
        const std::vector<double> of_chains = sum_over_chains(clumps);
        second_law = sum_of_clumps(of_chains, 1 / share, clump_reach(of_chains, 1 / share, second_cells));
        numbers.second_variance = variance_of(second_law);
        numbers.list_reads =
            std::min(w, carried_list_reads(clumps, continue_chances(x1, chains, cells), shape.second, share));
    }
    const excess_moments listed = excess_over(second_law, second_cells);
    numbers.listed = listed.mean * share / x1;
    numbers.listed_variance = std::max(0.0, listed.square - listed.mean * listed.mean);
    numbers.list_bits_per_key = static_cast<double>(shape.list_entry_bits) * numbers.listed;
    numbers.bits_per_key = static_cast<double>(rank_line_bits) * (1 + share) / x1 + numbers.list_bits_per_key;
    return numbers;
}

}  // namespace

std::uint64_t widening_bits(double second_share, std::uint64_t chains, std::uint64_t second_chains) {
    const double needed = static_cast<double>(chains) / (second_share * static_cast<double>(second_chains));
    // A share derived from this very quotient may exceed it by a rounding error.
    return needed <= 1 ? 0 : static_cast<std::uint64_t>(std::ceil(std::log2(needed) - 1e-12));
}

result<balanced_rank_numbers> balanced_rank_at(const balanced_rank_shape& shape) {
    if (const auto checked = check(shape); !checked) return checked.error();
    std::vector<double> second_law;
    return numbers_of(shape, second_law);
}

result<balanced_rank_filter> balanced_rank_for(const balanced_rank_shape& shape, std::uint64_t n,
                                               double refusal_chance) {
    if (n < 1 || n > 1'000'000'000'000)
        return make_error(errc::bad_field, "n").with_found(n).with_range(1, 1'000'000'000'000);
    if (!(refusal_chance >= 1e-15 && refusal_chance <= 0.5))
        return make_error(errc::bad_field, "refusal_chance").with_note("a chance is 1e-15 to 0.5");
    if (const auto checked = check(shape); !checked) return checked.error();
    std::vector<double> second_law;
    const balanced_rank_numbers numbers = numbers_of(shape, second_law);
    const double first_lines = std::ceil(static_cast<double>(n) / shape.keys_per_line);
    const double second_lines = std::max(1.0, std::ceil(first_lines * shape.second_share));
    const double slots = list_slots_for(excess_law(second_law, static_cast<double>(shape.second.cells)),
                                        second_lines, refusal_chance);
    balanced_rank_filter filter;
    filter.first_lines = static_cast<std::uint64_t>(first_lines);
    filter.second_lines = static_cast<std::uint64_t>(second_lines);
    filter.list_slots = static_cast<std::uint64_t>(slots);
    filter.size_bits = (filter.first_lines + filter.second_lines) * rank_line_bits +
                       filter.list_slots * shape.list_entry_bits;
    const double per_place = shape.keys_per_line / places(shape.first);
    const double first_variance =
        std::exp(-per_place) * poisson_above(per_place, 1) / (first_lines * places(shape.first));
    const double second_rate = numbers.fpr - numbers.first_fpr;
    const double second_variance =
        second_rate * second_rate / first_lines *
        second_rate_scatter(shape.keys_per_line, static_cast<double>(shape.first.cells));
    filter.fpr_stddev_between = std::sqrt(first_variance + second_variance);
    return filter;
}

}  // namespace membrane::model
