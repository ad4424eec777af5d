#include <membrane/model/sequential_bloom.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/sequential.hpp>

#include "model/balanced/balanced_walk.hpp"
#include "model/balanced/gauss_rule.hpp"

namespace membrane::model {

namespace {

// 1 + c + .. + c^(d-1)
double geometric_sum(double c, std::uint64_t d) {
    double sum = 0;
    for (std::uint64_t j = 0; j < d; ++j) sum = 1 + c * sum;
    return sum;
}

struct chance_hits {
    double at_h, at_top;
};

// Probability that a try at `then.arrivals` arrivals per block is refused, by a block that has no chance hit at `last` arrivals.
double refused_unhit(const single_state& then, double p, double last, const chance_hits& hits) {
    const std::size_t top = then.loads.size() - 1;
    const double stays = std::exp(-p * (last - then.arrivals));
    return (1 - p) * then.loads[top - 1] * (stays * (1 - hits.at_h) + (1 - stays) * (1 - hits.at_top)) +
           then.loads[top] * (1 - hits.at_top);
}

}  // namespace

result<balanced_bloom_rates> sequential_bloom(double r, double fill, std::uint64_t d, std::uint64_t h,
                                              double p, const balanced_bloom_spec& spec) {
    // One table alone has the same arguments to be wrong.
    const sub_table alone[] = {{1, h, p}};
    auto rates = balanced_bloom(r, fill, alone, spec);
    if (!rates) return rates.error();
    const auto state = sequential_dynamics(r, fill, d, h, p);
    if (!state) return state.error();
    const auto by_load = block_rates(h + 1, spec.block_bits - state_bits(spec.rule, h), spec.k, spec.law);
    const block_step step = step_of(state->loads, p, spec.rule, by_load);
    rates->fpr = std::min(1.0, step.hits * geometric_sum(step.goes_on_unhit, d));
    rates->fpr_union = std::min(1.0, step.hits * geometric_sum(step.goes_on, d));
    rates->negative_reads = geometric_sum(step.goes_on_unhit, d);
    rates->negative_list_reads = std::pow(step.goes_on_unhit, static_cast<double>(d));
    rates->insertion_reads = state->accesses / fill;
    rates->overflow = state->overflow / fill;
    rates->bits_per_key =
        static_cast<double>(spec.block_bits) / (r * fill) + list_entry_bits * rates->overflow;
    rates->block_fpr = step.hits;
    rates->goes_on = step.goes_on;

    const auto rate = [&](std::uint64_t load) { return load < by_load.size() ? by_load[load] : 1.0; };
    const chance_hits hits{rate(h), rate(h + 1)};
    const double last = state->loads.arrivals;
    const double panels = std::max(4.0, std::ceil(last / 2));
    const auto over_keys = [&](auto value) {
        double sum = 0;
        for (double panel = 0; panel < panels; ++panel) {
            sum += gauss_integral(last * panel / panels, last * (panel + 1) / panels, [&](double x) {
                const auto then = single(x, h, p);
                if (!then) return 0.0;
                return value(refused_unhit(*then, p, last, hits)) / geometric_sum(then->refusal, d);
            });
        }
        return sum / (r * fill);
    };
    rates->positive_reads = over_keys([&](double goes_on) { return geometric_sum(goes_on, d); });
    rates->positive_list_reads =
        over_keys([&](double goes_on) { return std::pow(goes_on, static_cast<double>(d)); });
    return rates;
}

}  // namespace membrane::model
