#include <membrane/model/rate_bound.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <membrane/model/less_hashing.hpp>

#include "model/domain.hpp"

namespace membrane::model {

namespace {

std::optional<error> problem_with(const rate_scheme& scheme, std::uint64_t queries) {
    if (scheme.n == 0) return outside_domain("n", "at least one key");
    if (scheme.m == 0) return outside_domain("m", "at least one bit");
    if (scheme.k < 1 || scheme.k > max_probes)
        return make_error(errc::bad_field, "k").with_found(scheme.k).with_range(1, max_probes);
    if (!within(scheme.mean_rate, 0, 1)) return outside_domain("mean_rate", "a rate");
    if (queries == 0) return outside_domain("queries", "at least one query");
    return std::nullopt;
}

// Azuma's inequality for a distance from the mean.
double chance_of_rate(const rate_scheme& scheme, double distance) {
    if (distance <= 0) return 1;
    const auto k = static_cast<double>(scheme.k);
    const double in_steps = distance * static_cast<double>(scheme.m) / (k * k);
    return std::min(1.0, 2 * std::exp(-2 * in_steps * in_steps / static_cast<double>(scheme.n)));
}

double chance_of(const rate_scheme& scheme, double bias, double distance, std::uint64_t queries) {
    if (queries == all_queries) return chance_of_rate(scheme, distance - bias);
    const double of_sampling = 2 * std::exp(-static_cast<double>(queries) * distance * distance / 2);
    return std::min(1.0, of_sampling + chance_of_rate(scheme, distance / 2 - bias));
}

}  // namespace

double rate_bias(const rate_scheme& scheme) {
    return std::fabs(scheme.mean_rate - bloom_fpr_asymptotic(scheme.n, scheme.m, scheme.k));
}

result<double> rate_deviation_bound(const rate_scheme& scheme, double distance, std::uint64_t queries) {
    if (const auto problem = problem_with(scheme, queries)) return *problem;
    if (!within(distance, 0, 1)) return outside_domain("distance", "a difference of two rates");
    return chance_of(scheme, rate_bias(scheme), distance, queries);
}

result<double> rate_deviation(const rate_scheme& scheme, double chance, std::uint64_t queries) {
    if (const auto problem = problem_with(scheme, queries)) return *problem;
    if (!(chance > 0 && chance <= 1)) return outside_domain("chance", "a probability above 0");
    const double bias = rate_bias(scheme);
    double enough = 1;
    double short_of = 0;
    if (chance_of(scheme, bias, enough, queries) > chance) return enough;  // rates differ by at most this
    for (int step = 0; step < 200 && short_of < enough; ++step) {
        const double middle = short_of + (enough - short_of) / 2;
        if (middle <= short_of || middle >= enough) break;
        (chance_of(scheme, bias, middle, queries) <= chance ? enough : short_of) = middle;
    }
    return enough;
}

}  // namespace membrane::model
