#include <membrane/model/balanced_rank_optimum.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/rank/least_argument.hpp"
#include "model/rank/line_loads.hpp"
#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

constexpr double line_bits = static_cast<double>(rank_line_bits);
constexpr double least_share = 0.005;
constexpr double most_share = 1;
constexpr std::uint64_t least_chains =
    16;  // with fewer, chains are long and the stop rule rarely stops a lookup
constexpr double infeasible =
    1e6;  // above every rate and size; the amount above it says how far the goal is missed

// T2 for a given x1, and the objective with it.
struct second_table {
    double share = 0;
    rank_line line;
    double objective = infeasible;
};

// Minimise the bits with a rate of at most `limit`, or the rate with at most `limit` bits.
enum class goal { bits, fpr };

class line_search {
public:
    line_search(const balanced_rank_requirement& wanted, goal aim, double limit, const rank_line& line)
        : wanted_(wanted),
          aim_(aim),
          limit_(limit),
          line_(line),
          chains_(static_cast<double>(line.chains)),
          cells_(static_cast<double>(line.cells)),
          places_(chains_ * std::exp2(static_cast<double>(line.fingerprint_bits))),
          entry_bits_(static_cast<double>(wanted.list_entry_bits)) {
        best_load_ = argument_of_least(0.3 * cells_, 1.5 * cells_, 24,
                                       [&](double load) { return bits_per_forwarded(load); });
    }

    // The largest x1 that the bound on reads allows, and the rate if that is the limit.
    double most_keys() const {
        double most = 1.6 * cells_;
        if (aim_ == goal::bits) most = std::min(most, -std::log1p(-limit_) * places_ * (1 - 1e-12));
        const double allowed = wanted_.negative_reads - 1;
        if (allowed >= 1 || continue_chance(most, chains_, cells_) <= allowed) return most;
        double low = 0;
        for (int i = 0; i < 40; ++i) {
            const double middle = (low + most) / 2;
            (continue_chance(middle, chains_, cells_) <= allowed ? low : most) = middle;
        }
        return low;
    }

    double best_keys() const {
        const double most = most_keys();
        const double least = std::min(0.6 * cells_, 0.9 * most);
        // For a given size, the load with the least rate, whatever it reads.
        const auto value = [&](double keys) {
            const second_table second = at(keys);
            return aim_ == goal::bits ? score(keys, second) : second.objective;
        };
        if (wanted_.form == rank_model_form::fixed) {
            const double keys = argument_of_least(least, most, 16, value);
            return value(most) < value(keys) ? most : keys;
        }
        // The integers in T2's shape make the size a sawtooth in x1: a grid, and a finer grid around its best point.
        double keys = best_of_grid(least, most, 16, value);
        const double step = (most - least) / 16;
        keys = best_of_grid(std::max(least, keys - step), std::min(most, keys + step), 8, value);
        if (aim_ == goal::bits || value(keys) > limit_) return keys;
        // The rate of an erasable filter depends on x1 only, and rises: the least x1 whose size is within the limit.
        double low = least;
        for (int i = 0; i < 12; ++i) {
            const double middle = (low + keys) / 2;
            (value(middle) <= limit_ ? keys : low) = middle;
        }
        return keys;
    }

    // T2 at this x1. For an erasable filter the objective is always the bits, because T2 does not affect its rate.
    second_table at(double keys) const {
        return wanted_.form == rank_model_form::erasable ? erasable_at(keys) : fixed_at(keys);
    }

    double objective(double keys, const second_table& second) const {
        if (aim_ == goal::bits || wanted_.form == rank_model_form::fixed) return second.objective;
        return second.objective > limit_ ? infeasible : -std::expm1(-keys / places_);
    }

    // The objective plus the price of second lines.
    double score(double keys, const second_table& second) const {
        const double reached = objective(keys, second);
        const double worth = wanted_.second_line_bits * continue_chance(keys, chains_, cells_);
        return aim_ == goal::bits ? reached + worth : reached * std::exp2(worth);
    }

    balanced_rank_shape shape(double keys, const second_table& second) const {
        return {wanted_.form, line_, second.line, second.share, keys, wanted_.list_entry_bits};
    }

private:
    // Insert-only: bits of T2 and of the list per forwarded entry at a mean load of T2.
    double bits_per_forwarded(double load) const {
        return (line_bits + entry_bits_ * poisson_excess(load, cells_)) / load;
    }

    second_table fixed_at(double keys) const {
        const double forwarded = poisson_excess(keys, cells_);
        const double w = continue_chance(keys, chains_, cells_);
        const double first_fpr = -std::expm1(-keys / places_);
        const auto bits = [&](double load) {
            return (line_bits + forwarded * bits_per_forwarded(load)) / keys;
        };
        double load = std::min(best_load_, forwarded / least_share);
        second_table second;
        second.line = line_;
        if (aim_ == goal::bits) {
            const double left = (limit_ - first_fpr) / ((1 - first_fpr) * w);
            if (left < 1) load = std::min(load, -std::log1p(-left) * places_);
            second.objective = bits(std::max(load, 1e-9));
        } else if (const double size = bits(load); size > limit_) {
            second.objective = infeasible + size;
        } else {
            double low = forwarded / most_share;
            if (low < load && bits(low) > limit_) {
                for (int i = 0; i < 50; ++i) {
                    const double middle = (low + load) / 2;
                    (bits(middle) <= limit_ ? load : low) = middle;
                }
            } else {
                load = std::min(load, low);
            }
            second.objective = first_fpr - (1 - first_fpr) * w * std::expm1(-load / places_);
        }
        second.share = std::clamp(forwarded / std::max(load, 1e-9), least_share, 2 * most_share);
        if (second.share > most_share) second.objective += infeasible;
        return second;
    }

    // Tries the shares at which a line of T2 has just enough chains for one more cell, and a few above the best: in between the
    // number of cells is constant and only the number of lines grows.
    second_table erasable_at(double keys) const {
        const std::vector<double> of_chains = sum_over_chains(forwarded_clumps(keys, chains_, cells_));
        const double fair = mean_of(of_chains) / (0.6 * cells_);
        const double low = std::clamp(fair / 2, least_share, most_share);
        const double high = std::clamp(fair * 2.5, least_share, most_share);
        second_table best;
        const auto offer = [&](const rank_line& line, double share) {
            const double bits = erasable_bits(of_chains, line, share, keys);
            if (bits < best.objective) best = {share, line, bits};
        };
        for (std::uint64_t widening = 0; widening <= 14; ++widening) {
            rank_line line;
            line.fingerprint_bits = line_.fingerprint_bits + widening;
            if (line.fingerprint_bits > 56) break;
            const std::uint64_t cell_bits = line.fingerprint_bits + 1;
            for (line.cells = std::min((rank_line_bits - 2) / cell_bits, max_line_cells); line.cells > 0;
                 --line.cells) {
                const std::uint64_t left = rank_line_bits - 1 - line.cells * cell_bits;
                line.chains = std::min(left, max_line_chains);
                const double share =
                    chains_ / std::ldexp(static_cast<double>(line.chains), static_cast<int>(widening));
                if (share <= high) offer(line, std::max(share, low));
                if (share <= low || left > max_line_chains) break;  // fewer cells without any gain
            }
        }
        const second_table coarse = best;
        for (const double more : {1.03, 1.06, 1.1})
            if (coarse.share > 0 && coarse.share * more <= most_share)
                offer(coarse.line, coarse.share * more);
        return best;
    }

    double erasable_bits(const std::vector<double>& of_chains, const rank_line& line, double share,
                         double keys) const {
        const auto law = sum_of_clumps(of_chains, 1 / share, line.cells);
        double excess = mean_of(of_chains) / share - static_cast<double>(line.cells);
        for (std::uint64_t i = 0; i < line.cells; ++i) excess += static_cast<double>(line.cells - i) * law[i];
        return (line_bits + share * (line_bits + entry_bits_ * std::max(0.0, excess))) / keys;
    }

    balanced_rank_requirement wanted_;
    goal aim_;
    double limit_;
    rank_line line_;
    double chains_, cells_, places_, entry_bits_;
    double best_load_ = 0;
};

result<balanced_rank_optimum> best_of(const balanced_rank_requirement& wanted, goal aim, double limit,
                                      std::uint64_t least_bits, std::uint64_t most_bits) {
    double best_score = infeasible;
    std::optional<balanced_rank_shape> best;
    // Downwards, stopping two steps after the best: how far the best fingerprint is below the largest one depends on the bound
    // on reads.
    std::uint64_t best_bits = most_bits;
    for (std::uint64_t bits = most_bits; bits >= least_bits && (!best || bits + 2 >= best_bits); --bits) {
        std::uint64_t cells = std::min((rank_line_bits - 1 - least_chains) / (bits + 1), max_line_cells);
        for (; cells > 0; --cells) {
            const std::uint64_t left = rank_line_bits - 1 - cells * (bits + 1);
            const line_search searched(wanted, aim, limit, {bits, std::min(left, max_line_chains), cells});
            const double keys = searched.best_keys();
            const second_table second = searched.at(keys);
            if (const double score = searched.score(keys, second); score < best_score) {
                best_score = score;
                best = searched.shape(keys, second);
                best_bits = bits;
            }
            if (left > max_line_chains) break;  // more bits left over would only be wasted
        }
    }
    if (!best)
        return make_error(errc::bad_field, aim == goal::bits ? "fpr" : "bits_per_key")
            .with_note("no line reaches it within these reads");
    const auto numbers = balanced_rank_at(*best);
    if (!numbers) return numbers.error();
    return balanced_rank_optimum{*best, *numbers};
}

result<void> check(const balanced_rank_requirement& wanted) {
    if (!(wanted.negative_reads > 1.001))
        return make_error(errc::bad_field, "negative_reads")
            .with_note("some queries need a second line: above 1.001");
    if (wanted.list_entry_bits < 1 || wanted.list_entry_bits > 1024)
        return make_error(errc::bad_field, "list_entry_bits")
            .with_found(wanted.list_entry_bits)
            .with_range(1, 1024);
    return {};
}

}  // namespace

result<balanced_rank_optimum> best_balanced_rank_for_fpr(double fpr,
                                                         const balanced_rank_requirement& wanted) {
    if (const auto checked = check(wanted); !checked) return checked.error();
    if (!(fpr >= 1e-9 && fpr <= 0.1))
        return make_error(errc::bad_field, "fpr")
            .with_note("a rate for lines of fingerprints is 1e-9 to 0.1");
    // Keys per chain from 0.3 to 4.8; long fingerprints leave few cells and more chains than needed.
    const auto least = std::max(wanted.least_fingerprint_bits,
                                static_cast<std::uint64_t>(std::max(1.0, std::ceil(std::log2(0.3 / fpr)))));
    return best_of(wanted, goal::bits, fpr, least, least + 3);
}

result<balanced_rank_optimum> best_balanced_rank_for_bits(double bits_per_key,
                                                          const balanced_rank_requirement& wanted) {
    if (const auto checked = check(wanted); !checked) return checked.error();
    if (!(bits_per_key >= 5 && bits_per_key <= 56))
        return make_error(errc::bad_field, "bits_per_key")
            .with_note("lines of fingerprints have 5 to 56 bits a key");
    const auto most = static_cast<std::uint64_t>(std::max(2.0, std::round(bits_per_key * 0.93 - 1)));
    return best_of(wanted, goal::fpr, bits_per_key, 1, most);
}

}  // namespace membrane::model
