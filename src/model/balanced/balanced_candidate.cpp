#include "model/balanced/balanced_candidate.hpp"

#include <algorithm>
#include <cmath>

#include "model/balanced/balanced_walk.hpp"

namespace membrane::model {

namespace {

constexpr double most_capacity = 4000;

std::uint64_t whole_part(double capacity) { return static_cast<std::uint64_t>(capacity); }
double coin_part(double capacity) { return capacity - std::floor(capacity); }

std::optional<single_state> state_of(const candidate_table& table) {
    if (!(table.capacity >= 0 && table.capacity <= most_capacity)) return std::nullopt;
    if (!(table.arrivals > 0)) return std::nullopt;
    auto state = single(table.arrivals, whole_part(table.capacity), coin_part(table.capacity));
    if (!state) return std::nullopt;
    return std::move(*state);
}

}  // namespace

const std::vector<double>& balanced_search::rates(std::uint64_t bloom_bits, std::uint64_t k,
                                                  std::uint64_t most_load) {
    std::vector<double>& known = rates_[{bloom_bits, k}];
    if (known.size() <= most_load) {
        const std::size_t before = known.size();
        const std::uint64_t reach = most_load + most_load / 4 + 8;
        known = block_rates(reach, bloom_bits, k, block_law::exact);
        if (known.size() <= most_load && known.size() >= before)
            known.resize(static_cast<std::size_t>(reach), 1.0);
    }
    return known;
}

std::optional<candidate_score> balanced_search::score(const std::vector<candidate_table>& tables,
                                                      std::uint64_t k) {
    const auto block_bits = static_cast<double>(request_.block_bits);
    // From the last table to the first: the bits that a key arriving at table j costs from there on, and the reads of a stranger
    // that arrives there.
    double bits_onward = list_entry_bits;
    double blocks_onward = 0;
    double fpr = 0;
    double reads = 1;  // the list
    std::optional<single_state> state;
    candidate_table first = tables[0];
    for (std::size_t j = tables.size(); j-- > 0;) {
        if (j > 0) {
            state = state_of(tables[j]);
        } else {
            // Newton's method on bits(x_1) = block_bits / x_1 + overflow(x_1) bits_onward, which starts above the
            // size asked for; overflow' = (refusal - overflow) / x.
            first.arrivals = block_bits / request_.bits_per_key;
            for (int step = 0;; ++step) {
                state = state_of(first);
                if (!state || step > 30) return std::nullopt;
                const double miss =
                    block_bits / first.arrivals + state->overflow * bits_onward - request_.bits_per_key;
                if (std::fabs(miss) < 1e-10 * request_.bits_per_key) break;
                const double slope =
                    (-block_bits / first.arrivals + (state->refusal - state->overflow) * bits_onward) /
                    first.arrivals;
                if (!(slope < 0)) return std::nullopt;
                first.arrivals = std::min(first.arrivals - miss / slope, 1.5 * first.arrivals);
            }
        }
        if (!state) return std::nullopt;
        const candidate_table& table = j > 0 ? tables[j] : first;
        const std::uint64_t h = whole_part(table.capacity);
        const std::uint64_t taken = state_bits(request_.rule, h);
        if (taken + 8 > request_.block_bits) return std::nullopt;
        const block_step step = step_of(*state, coin_part(table.capacity), request_.rule,
                                        rates(request_.block_bits - taken, k, h + 1));
        fpr = step.hits + step.goes_on_unhit * fpr;
        reads = 1 + step.goes_on_unhit * reads;
        bits_onward = block_bits / table.arrivals + state->overflow * bits_onward;
        blocks_onward = 1 / table.arrivals + state->overflow * blocks_onward;
    }
    return candidate_score{fpr, reads, first.arrivals, blocks_onward};
}

std::vector<sub_table> balanced_search::tables_of(const std::vector<candidate_table>& tables,
                                                  const candidate_score& score) const {
    std::vector<sub_table> made;
    double reached = 1;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        const double arrivals = j > 0 ? tables[j].arrivals : score.first_arrivals;
        const candidate_table table{arrivals, tables[j].capacity};
        made.push_back({reached / arrivals / score.blocks_per_key, whole_part(table.capacity),
                        coin_part(table.capacity)});
        reached *= state_of(table)->overflow;
    }
    return made;
}

}  // namespace membrane::model
