#include <membrane/model/single.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/balanced_bound.hpp>

#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

// Share of the blocks at h + 1: sum over j >= 1 of Pr(X = h + j) (1 - (1-p)^j).
double share_at_top(const std::vector<double>& weights, std::uint64_t h, double p) {
    double sum = 0;
    double left = 1;
    double gone = 0;
    for (std::size_t i = static_cast<std::size_t>(h) + 1; i < weights.size(); ++i) {
        gone += p * left;
        left *= 1 - p;
        sum += weights[i] * gone;
    }
    return sum;
}

// Past max_block_arrivals every block has reached h: Pr(X < 2 h) is below e^-800. A block is still at h if all X - h coins
// refused; given that, X is Poisson with mean (1-p) x.
constexpr std::uint64_t max_load_far_beyond = 8192;

single_state far_beyond_threshold(double x, std::uint64_t h, double p) {
    const auto full = static_cast<double>(h);
    const double still = (1 - p) * x;
    single_state state;
    state.arrivals = x;
    state.flagged_at_h = still > full ? std::exp(-p * x - full * std::log1p(-p)) : 0;
    state.flagged_at_h = std::min(state.flagged_at_h, 1.0);
    state.flagged_at_top = 1 - state.flagged_at_h;
    state.refused_at_h = state.flagged_at_h > 0 ? state.flagged_at_h * (still - full) : 0;
    state.refused_at_top = (x - full) - state.flagged_at_top - state.refused_at_h;
    state.loads.resize(static_cast<std::size_t>(h) + 2);
    state.loads[static_cast<std::size_t>(h)] = state.flagged_at_h;
    state.loads[static_cast<std::size_t>(h) + 1] = state.flagged_at_top;
    state.refusal = (1 - p) * state.flagged_at_h + state.flagged_at_top;
    state.overflow = 1 - (full + state.flagged_at_top) / x;
    return state;
}

}  // namespace

result<single_state> single(double x, std::uint64_t h, double p) {
    if (h > max_block_load)
        return make_error(errc::bad_field, "h").with_found(h).with_range(0, max_block_load);
    if (!within(p, 0, 1)) return outside_domain("p", "a probability");
    if (!within(x, 0, h <= max_load_far_beyond ? 1e300 : max_block_arrivals))
        return outside_domain("x", "arrivals per block are at least 0, and for h above 8192 at most 16384");
    if (x > max_block_arrivals) return far_beyond_threshold(x, h, p);
    std::vector<double> weights = poisson_weights(x, h + 1);
    const auto at_h = static_cast<std::size_t>(h);
    single_state state;
    state.arrivals = x;
    const double unflagged = at_h < weights.size() ? weights[at_h] : 0;
    double top = 0;
    double left = 1;  // (1-p)^j
    double gone = 0;  // 1 - (1-p)^j
    for (std::size_t i = at_h + 1; i < weights.size(); ++i) {
        const auto after = static_cast<double>(i - at_h);
        gone += p * left;
        left *= 1 - p;
        state.flagged_at_h += weights[i] * left;
        state.refused_at_h += weights[i] * left * after;
        state.refused_at_top += weights[i] * gone * (after - 1);
        top += weights[i] * gone;
        if (i >= at_h + 2) state.flagged_at_top += weights[i] * gone;
    }
    // With h + 2 or more arrivals a key was refused; with j arrivals after h, one accepted key leaves j - 1 refused ones.
    state.loads = std::move(weights);
    state.loads.resize(at_h + 2);
    state.loads[at_h] = unflagged + state.flagged_at_h;
    state.loads[at_h + 1] = top;
    state.refusal = std::min(1.0, (1 - p) * state.loads[at_h] + top);
    state.overflow = x > 0 ? std::min(1.0, (state.refused_at_h + state.refused_at_top) / x) : state.refusal;
    return state;
}

result<double> single_coin(double x, std::uint64_t h, double at_top) {
    if (!within(x, 0, max_block_arrivals))
        return outside_domain("x", "arrivals per block are between 0 and 16384");
    if (h > max_block_load)
        return make_error(errc::bad_field, "h").with_found(h).with_range(0, max_block_load);
    const std::vector<double> weights = poisson_weights(x, h + 1);
    const double most = share_at_top(weights, h, 1);
    if (!within(at_top, 0, most * (1 + 1e-9) + 1e-300))
        return outside_domain("at_top", "the share of blocks above h is between 0 and Pr(X > h)");
    double low = 0;
    double high = 1;
    for (int step = 0; step < 60 && low < high; ++step) {
        const double middle = (low + high) / 2;
        (share_at_top(weights, h, middle) < at_top ? low : high) = middle;
    }
    return (low + high) / 2;
}

result<single_design> single_for_bound(double a, double r, double gamma) {
    const auto bound = balanced_lower_bound(a, r, gamma);
    if (!bound) return bound.error();
    if (!bound->k0) return single_design{bound->loads.size() - 1, 1, false};
    const auto p = single_coin(a * r, *bound->k0, bound->loads.back());
    if (!p) return p.error();
    return single_design{*bound->k0, *p, true};
}

}  // namespace membrane::model
