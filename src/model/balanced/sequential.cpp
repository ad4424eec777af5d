#include <membrane/model/sequential.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/balanced/gauss_rule.hpp"
#include "model/domain.hpp"
#include "model/poisson_law.hpp"

namespace membrane::model {

namespace {

constexpr std::uint64_t max_choices = 64;
constexpr double max_arrivals = 1024;

std::optional<error> problem_with(std::uint64_t d, double r, std::uint64_t h, double p) {
    if (d < 1 || d > max_choices)
        return make_error(errc::bad_field, "d").with_found(d).with_range(1, max_choices);
    if (!(r > 0 && r <= max_arrivals))
        return outside_domain("r", "keys per block are above 0 and at most 1024");
    if (h > max_block_load)
        return make_error(errc::bad_field, "h").with_found(h).with_range(0, max_block_load);
    if (!within(p, 0, 1)) return outside_domain("p", "a probability");
    return std::nullopt;
}

// F(x) = sum over X >= h of Pr(X) (1 - p (1-p)^(X-h))
double refusal(double x, std::uint64_t h, double p) {
    const std::vector<double> weights = poisson_weights(x, h + 1);
    double sum = 0;
    double left = 1;
    for (std::size_t i = static_cast<std::size_t>(h); i < weights.size(); ++i) {
        sum += weights[i] * (1 - p * left);
        left *= 1 - p;
    }
    return std::min(sum, 1.0);
}

// 1 + F + .. + F^(d-1)
double tries(double f, std::uint64_t d) {
    double sum = 0;
    for (std::uint64_t j = 0; j < d; ++j) sum = 1 + f * sum;
    return sum;
}

double time_of(double accesses, std::uint64_t d, double r, std::uint64_t h, double p) {
    // F changes over about sqrt(x) arrivals or more, so panels of two arrivals are fine enough.
    const double arrivals = accesses * r;
    const double panels = std::max(4.0, std::ceil(arrivals / 2));
    double sum = 0;
    for (double panel = 0; panel < panels; ++panel) {
        sum += gauss_integral(arrivals * panel / panels, arrivals * (panel + 1) / panels,
                              [&](double x) { return 1 / tries(refusal(x, h, p), d); });
    }
    return sum / r;
}

}  // namespace

result<double> sequential_time(double accesses, std::uint64_t d, double r, std::uint64_t h, double p) {
    if (const auto problem = problem_with(d, r, h, p)) return *problem;
    if (!(accesses >= 0 && accesses * r <= max_arrivals))
        return outside_domain("accesses", "accesses per key are at least 0, and per block at most 1024");
    return time_of(accesses, d, r, h, p);
}

result<double> sequential_exhaustion(double a, std::uint64_t d, double r, double gamma) {
    if (const auto problem = problem_with(d, r, 0, 0)) return *problem;
    const auto design = single_for_bound(a, r, gamma);
    if (!design) return design.error();
    if (a * r > max_arrivals) return outside_domain("r", "accesses per block are at most 1024");
    return time_of(a, d, r, design->h, design->p);
}

result<sequential_design> sequential(double a, std::uint64_t d, double r) {
    if (const auto problem = problem_with(d, r, 0, 0)) return *problem;
    if (!(d == 1 && a == 1) && !(a >= 1 && a < static_cast<double>(d)))
        return outside_domain("a", "accesses per key are at least 1 and below d (with one choice exactly 1)");
    if (a * r > max_arrivals) return outside_domain("r", "accesses per block are at most 1024");
    double low = 0;
    double high = a > 1 ? 1 - 1e-12 : 0;
    for (int step = 0; step < 60 && high - low > 1e-15; ++step) {
        const double middle = (low + high) / 2;
        const auto time = sequential_exhaustion(a, d, r, middle);
        if (!time) return time.error();
        (*time > 1 ? low : high) = middle;
    }
    const double gamma = (low + high) / 2;
    const auto design = single_for_bound(a, r, gamma);
    if (!design) return design.error();
    return sequential_design{gamma, design->h, design->p, design->bounded};
}

result<sequential_state> sequential_dynamics(double r, double fill, std::uint64_t d, std::uint64_t h,
                                             double p) {
    if (const auto problem = problem_with(d, r, h, p)) return *problem;
    if (!within(fill, 0, 16)) return outside_domain("fill", "the fill is between 0 and 16 times the design");
    const double most = r * fill * static_cast<double>(d);
    if (most > max_block_arrivals) return outside_domain("fill", "arrivals per block are at most 16384");
    struct slope {
        double accesses, overflow;
    };
    const auto slope_at = [&](double accesses) {
        const double f = refusal(accesses * r, h, p);
        return slope{tries(f, d), std::pow(f, static_cast<double>(d))};
    };
    const auto steps = static_cast<int>(std::ceil(std::max(400.0, 8 * most)));
    const double step = fill / steps;
    sequential_state state;
    for (int i = 0; i < steps; ++i) {
        const slope s1 = slope_at(state.accesses);
        const slope s2 = slope_at(state.accesses + step / 2 * s1.accesses);
        const slope s3 = slope_at(state.accesses + step / 2 * s2.accesses);
        const slope s4 = slope_at(state.accesses + step * s3.accesses);
        state.accesses += step / 6 * (s1.accesses + 2 * s2.accesses + 2 * s3.accesses + s4.accesses);
        state.overflow += step / 6 * (s1.overflow + 2 * s2.overflow + 2 * s3.overflow + s4.overflow);
    }
    auto loads = single(state.accesses * r, h, p);
    if (!loads) return loads.error();
    state.loads = std::move(*loads);
    return state;
}

}  // namespace membrane::model
