// Standard deviation of the rate of the balanced Bloom filter over filters.
//
// A filter's own rate is A_1 + C_1 (A_2 + C_2 (..)): A_j the mean of the hit rates of the blocks of table j, C_j the mean of their
// probabilities that a stranger continues without a hit. To first order in 1 / blocks, a block of table j contributes
//   reaching(j) [hit + (continues without hit) rate after j] + reaching(j + 1) (refused keys) d(rate after j) / d(arrivals);
// the last term because the keys that one table refuses load the next. Blocks are independent given the arrivals of their table,
// so the part explained by the number of arrivals is subtracted. Inside a block, the ones vary around the mean of the load.
#include <cmath>

#include <membrane/model/sequential_bloom.hpp>

#include "model/balanced/balanced_walk.hpp"
#include "model/block_rates.hpp"
#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

class scatter_model {
public:
    scatter_model(std::span<const sub_table> tables, const balanced_bloom_spec& spec)
        : tables_(tables), spec_(spec) {
        for (const sub_table& table : tables) {
            const std::uint64_t bits = spec.block_bits - state_bits(spec.rule, table.h);
            rates_.push_back(block_rates(table.h + 1, bits, spec.k, spec.law));
            squares_.push_back(rates_by_load(table.h + 1, bits, spec.k, 2 * spec.k));
        }
    }

    // Sum over the tables of the variance of one block divided by the table's share of the blocks.
    double variance_per_block(double arrivals) const {
        double variance = 0;
        double reaching = 1;
        for (std::size_t j = 0; j < tables_.size(); ++j) {
            const single_state state = *single(arrivals, tables_[j].h, tables_[j].p);
            const block_step step = step_of(state, tables_[j].p, spec_.rule, rates_[j]);
            const double next = next_arrivals(j, state);
            block_weights weights{reaching, reaching * rate_from(j + 1, next), 0};
            reaching *= step.goes_on_unhit;
            weights.of_refused = reaching * slope_from(j + 1, next) * share_ratio(j);
            variance += variance_of_block(j, arrivals, weights) / tables_[j].share;
            arrivals = next;
        }
        return variance;
    }

    // One table with several candidates: the rate is F (1 + C + .. + C^(tries-1)), F and C means over the same blocks.
    double variance_with_tries(double arrivals, std::uint64_t tries) const {
        const single_state state = *single(arrivals, tables_[0].h, tables_[0].p);
        const block_step step = step_of(state, tables_[0].p, spec_.rule, rates_[0]);
        double sum = 0, slope = 0;
        for (std::uint64_t j = 0; j < tries; ++j) {
            slope = sum + step.goes_on_unhit * slope;
            sum = 1 + step.goes_on_unhit * sum;
        }
        return variance_of_block(0, arrivals, {sum, step.hits * slope, 0});
    }

private:
    struct block_weights {
        double of_hit, of_going_on, of_refused;
    };
    struct moments {
        double mean = 0, square = 0, with_arrivals = 0;
    };

    double share_ratio(std::size_t j) const {
        return j + 1 < tables_.size() ? tables_[j].share / tables_[j + 1].share : 0;
    }
    double next_arrivals(std::size_t j, const single_state& state) const {
        return state.arrivals * state.overflow * share_ratio(j);
    }

    double rate_from(std::size_t j, double arrivals) const {
        if (j >= tables_.size()) return 0;
        const auto state = single(arrivals, tables_[j].h, tables_[j].p);
        if (!state) return 0;
        const block_step step = step_of(*state, tables_[j].p, spec_.rule, rates_[j]);
        return step.hits + step.goes_on_unhit * rate_from(j + 1, next_arrivals(j, *state));
    }
    double slope_from(std::size_t j, double arrivals) const {
        if (j >= tables_.size() || !(arrivals > 0)) return 0;
        const double step = 1e-3 * arrivals;
        return (rate_from(j, arrivals + step) - rate_from(j, arrivals - step)) / (2 * step);
    }

    double going_on(std::size_t j, std::uint64_t load, std::uint64_t refused) const {
        const sub_table& table = tables_[j];
        if (load < table.h) return 0;
        if (has_flag(spec_.rule) && refused == 0) return 0;
        return has_coin(spec_.rule) && load == table.h ? 1 - table.p : 1;
    }

    double variance_of_block(std::size_t j, double arrivals, const block_weights& weights) const {
        const std::uint64_t h = tables_[j].h;
        moments sums;
        const auto add = [&](double weight, std::uint64_t arrived, std::uint64_t load, std::uint64_t unseen) {
            const std::uint64_t refused = arrived - load;
            const double on = weights.of_going_on * going_on(j, load, refused + unseen);
            const double fixed = on + weights.of_refused * static_cast<double>(refused);
            const double by_hit = weights.of_hit - on;
            const double rate = load < rates_[j].size() ? rates_[j][load] : 1;
            const bool has_squares = spec_.law == block_law::exact;
            const double square = !has_squares                ? rate * rate
                                  : load < squares_[j].size() ? squares_[j][load]
                                                              : 1;
            const double value = fixed + by_hit * rate;
            sums.mean += weight * value;
            sums.square += weight * (fixed * fixed + 2 * fixed * by_hit * rate + by_hit * by_hit * square);
            sums.with_arrivals += weight * (static_cast<double>(arrived) - arrivals) * value;
        };
        if (arrivals > max_block_arrivals) {
            // Every block is full. The number of refused keys follows from the arrivals, whose part is subtracted.
            const std::vector<double> loads = single(arrivals, h, tables_[j].p)->loads;
            add(loads[h], h, h, 1);
            add(loads[h + 1], h + 1, h + 1, 1);
            return std::max(0.0, sums.square - sums.mean * sums.mean);
        }
        const std::vector<double> law = poisson_weights(arrivals, whole_tail);
        double stays = 1;  // probability that a block that has reached h is still at h
        for (std::uint64_t arrived = 0; arrived < law.size(); ++arrived) {
            if (arrived <= h) {
                add(law[arrived], arrived, arrived, 0);
                continue;
            }
            stays *= 1 - tables_[j].p;
            add(law[arrived] * stays, arrived, h, 0);
            add(law[arrived] * (1 - stays), arrived, h + 1, 0);
        }
        const double explained = sums.with_arrivals * sums.with_arrivals / arrivals;
        return std::max(0.0, sums.square - sums.mean * sums.mean - explained);
    }

    std::span<const sub_table> tables_;
    balanced_bloom_spec spec_;
    std::vector<std::vector<double>> rates_;
    std::vector<std::vector<double>> squares_;
};

}  // namespace

result<double> balanced_bloom_fpr_stddev_between(double r, double fill, std::span<const sub_table> tables,
                                                 const balanced_bloom_spec& spec, std::uint64_t n) {
    if (n == 0) return outside_domain("n", "at least one key");
    const auto rates = balanced_bloom(r, fill, tables, spec);
    if (!rates) return rates.error();
    const double blocks = std::max(1.0, static_cast<double>(n) / (r * fill));
    const double arrivals = r * fill / tables.front().share;
    // The largest possible variance of a rate with this mean; first order exceeds it if a table has less than one block.
    const double most = rates->fpr * (1 - rates->fpr);
    return std::sqrt(std::min(most, scatter_model(tables, spec).variance_per_block(arrivals) / blocks));
}

result<double> sequential_bloom_fpr_stddev_between(double arrivals, std::uint64_t d, std::uint64_t h,
                                                   double p, const balanced_bloom_spec& spec, double blocks) {
    if (!(arrivals > 0)) return outside_domain("arrivals", "arrivals per block are above 0");
    if (!(blocks >= 1)) return outside_domain("blocks", "at least one block");
    const sub_table alone[] = {{1, h, p}};
    if (const auto rates = balanced_bloom(arrivals, 1, alone, spec); !rates) return rates.error();
    return std::sqrt(scatter_model(alone, spec).variance_with_tries(arrivals, d) / blocks);
}

}  // namespace membrane::model
