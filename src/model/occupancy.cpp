#include "model/occupancy.hpp"

#include <algorithm>
#include <cmath>

namespace membrane::model {

namespace {

// at(t, d) = probability that t throws into d bins leave none empty. The throw that completes the set finds d - 1 bins filled
// and hits the last one: cover(t, d) = cover(t-1, d) + cover(t-1, d-1) ((d-1)/d)^(t-1).
class cover_table {
public:
    cover_table(std::uint64_t throws, std::uint64_t bins)
        : stride_(static_cast<std::size_t>(bins + 1)),
          cover_((static_cast<std::size_t>(throws) + 1) * stride_) {
        std::vector<double> missing_one(stride_, 1);
        cover_[0] = 1;
        for (std::size_t t = 1; t <= throws; ++t) {
            const double* before = &cover_[(t - 1) * stride_];
            double* now = &cover_[t * stride_];
            for (std::size_t d = 1; d < stride_; ++d) {
                now[d] = before[d] + before[d - 1] * missing_one[d];
                missing_one[d] *= static_cast<double>(d - 1) / static_cast<double>(d);
            }
        }
    }

    double at(std::uint64_t t, std::uint64_t d) const { return cover_[t * stride_ + d]; }

private:
    std::size_t stride_;
    std::vector<double> cover_;
};

// 1 - d q1 + (d over 2) q2 - ..., q_j = probability that j given bins stay empty; no cancellation while d q1 is below 1/2.
double all_hit_by_exclusion(double throws, double bins, std::uint64_t d) {
    double chance = 1;
    double choices = 1;
    for (std::uint64_t j = 1; j <= d && static_cast<double>(j) < bins; ++j) {
        choices *= -static_cast<double>(d - j + 1) / static_cast<double>(j);
        const double term = choices * std::exp(throws * std::log1p(-static_cast<double>(j) / bins));
        chance += term;
        if (std::fabs(term) < 1e-18) break;
    }
    return chance;
}

}  // namespace

std::vector<double> distinct_law(std::uint64_t probes, double bins) {
    std::vector<double> law(static_cast<std::size_t>(probes + 1));
    law[0] = 1;
    for (std::uint64_t probe = 0; probe < probes; ++probe) {
        for (std::uint64_t d = probe + 1; d > 0; --d) {
            const auto touched = static_cast<double>(d);
            law[d] = law[d] * (touched / bins) + law[d - 1] * (std::max(0.0, bins - touched + 1) / bins);
        }
        law[0] = 0;
    }
    return law;
}

std::vector<double> all_hit(double throws, double bins, std::uint64_t most) {
    std::vector<double> hit(static_cast<std::size_t>(most + 1));
    hit[0] = 1;
    const double per_bin = throws / bins;
    if (throws < 1) return hit;
    if (static_cast<double>(most) * std::exp(-per_bin) < 0.5) {
        for (std::uint64_t d = 1; d <= most; ++d) hit[d] = all_hit_by_exclusion(throws, bins, d);
        return hit;
    }
    // Given that all d bins are hit, each holds a zero-truncated Poisson number of throws: mean per_bin / (1 - e^-per_bin),
    // variance at most per_bin. Twelve standard deviations plus forty omit less than 1e-30 of the sum.
    const double most_hits = static_cast<double>(most) * per_bin;
    const double reach =
        static_cast<double>(most) * (per_bin / -std::expm1(-per_bin)) + 12 * std::sqrt(most_hits) + 40;
    const auto high = static_cast<std::uint64_t>(std::min(throws, std::ceil(reach)));
    const cover_table cover(high, most);
    for (std::uint64_t d = 1; d <= most; ++d) {
        const auto wanted = static_cast<double>(d);
        if (wanted > throws) break;
        if (wanted >= bins) {
            hit[d] = cover.at(high, d);
            continue;
        }
        // The number of throws that land in the d bins is binomial; given it, they are uniform over the d bins.
        const double odds = wanted / (bins - wanted);
        const auto mode = std::min(high, static_cast<std::uint64_t>((throws + 1) * (wanted / bins)));
        const std::vector<double> landing = weights_from_mode(0, high, mode, [&](std::uint64_t t) {
            const auto landed = static_cast<double>(t);
            return (throws - landed) / (landed + 1) * odds;
        });
        for (std::uint64_t t = d; t <= high; ++t) hit[d] += landing[t] * cover.at(t, d);
    }
    return hit;
}

}  // namespace membrane::model
