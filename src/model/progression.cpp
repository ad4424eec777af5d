// The rate of double and enhanced double hashing, complete to first order in 1/m.
//
// Take a stranger's k positions as given. Each of the n keys hits some of them, independently of the other keys, and
// hits any one with chance p, so that a position is a one with chance z = 1 - (1-p)^n. If the hits were independent,
// the rate would be z^k. A key that hits s positions at once, with a probability c above that of independent hits, adds
//     n c excess(s),  excess(s) = (z^(k-s) - z^k) - s (z^(k-1) - z^k):
// s positions are covered, and the same number of single hits is missing.
// Key (a, b) and stranger (a', b') share a position if a + j b + f(j) = a' + i b' + f(i) for some j and i ("meeting" (i, j)).
// Without growth they share more than one only if u b = v b' for small u, v: with u0, v0 coprime, u0 b - v0 b' is an
// element of small order d, and the meetings form chains with step d (v0, u0) in the square of all (i, j). With growth only chains
// of equal step remain (quadratic; shifted, forward and backward), or of equal step in i and j (cubic), and pairs.
// Simulated in 26 settings (test/model/progression.cpp), with standard errors of 0.03 % to 0.3 %.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include <membrane/model/less_hashing.hpp>

#include "model/ring_law.hpp"

namespace membrane::model {

namespace {

std::int64_t grown(growth_order growth, std::int64_t i) {
    switch (growth) {
        case growth_order::none: return 0;
        case growth_order::quadratic: return i * i;
        case growth_order::cubic: return i * i * i;
        case growth_order::tetrahedral: return (i * i * i - i) / 6;
    }
    return 0;
}

class progression_model {
public:
    progression_model(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                      stride_rule strides, std::optional<double> ones = {})
        : keys_(static_cast<double>(n)),
          bits_(static_cast<double>(m)),
          k_(k),
          growth_(growth),
          ring_(m, strides, k) {
        find_repetitions();
        double per_key = probes();
        for (const repetition& each : repetitions_) per_key -= each.chance * static_cast<double>(each.lost);
        hit_ = std::max(1.0, per_key) / bits_;  // the correction exceeds k itself if m is below k^2
        ones_ = ones ? *ones : hit_ < 1 ? -std::expm1(keys_ * std::log1p(-hit_)) : 1;
    }

    double rate() const { return std::clamp(power(k_) + shared(), 0.0, 1.0); }

    // The addition to the rate of independent hits.
    double shared() const {
        double more = keys_ * shared_hits();
        for (const repetition& each : repetitions_) more += each.chance * (power(k_ - each.lost) - power(k_));
        return more;
    }

private:
    struct repetition {
        std::uint64_t lost;  // positions that repeat another position of the same progression
        double chance;
    };
    struct shares {
        double excess = 0;  // sum over s of (chance of s meetings) excess(s)
        double pairs = 0;   // mean number of pairs of meetings in it
    };

    double probes() const { return static_cast<double>(k_); }
    double power(std::uint64_t exponent) const { return std::pow(ones_, static_cast<double>(exponent)); }
    double excess(std::uint64_t s) const {
        return power(k_ - s) - power(k_) - static_cast<double>(s) * (power(k_ - 1) - power(k_));
    }

    void find_repetitions() {
        if (growth_ == growth_order::none) {
            if (ring_.has_odd_strides()) return;  // their order is at least 64
            for (std::uint64_t d = 1; d < k_; ++d) repetitions_.push_back({k_ - d, ring_.order_chance(d)});
        } else if (growth_ == growth_order::quadratic) {
            for (std::uint64_t d = 1; d < k_; ++d) find_folds(d);
        } else {
            for (std::uint64_t i = 0; i < k_; ++i) {
                for (std::uint64_t j = i + 1; j < k_; ++j) repetitions_.push_back({1, repeat_chance(i, j)});
            }
        }
    }

    // Positions i and j of i b + i^2 coincide if (i - j) (b + i + j) = 0: b + i + j has an order d that divides i - j, and the
    // same holds for all pairs with the same sum. The parabola folds onto itself at its vertex.
    void find_folds(std::uint64_t d) {
        std::map<std::uint64_t, std::uint64_t> pairs_of_sum;
        for (std::uint64_t i = 0; i < k_; ++i) {
            for (std::uint64_t j = i + d; j < k_; j += d) ++pairs_of_sum[i + j];
        }
        for (const auto& [sum, pairs] : pairs_of_sum) {
            if (ring_.has_odd_strides() && sum % 2 == 0)
                continue;  // b + sum is odd: its order is at least 64
            repetitions_.push_back({pairs, ring_.order_chance(d)});
        }
    }

    double repeat_chance(std::uint64_t i, std::uint64_t j) const {
        const auto low = static_cast<std::int64_t>(i), high = static_cast<std::int64_t>(j);
        const ring_law::equation repeat = ring_.equation_of(high - low, 0);
        return repeat.fits(grown(growth_, low) - grown(growth_, high)) ? repeat.chance : 0;
    }

    // Per key, in addition to independent hits.
    double shared_hits() const {
        shares found;
        const bool any_ratio = growth_ == growth_order::none;
        for (std::uint64_t d = 1; d < k_; ++d) {
            if (ring_.order_chance(d) == 0) continue;
            const std::uint64_t most = any_ratio ? (k_ - 1) / d : 1;
            for (std::uint64_t u = 1; u <= most; ++u) {
                for (std::uint64_t v = 1; v <= most; ++v) {
                    if (std::gcd(u, v) != 1) continue;
                    // If strides are odd, an even u makes u b - v b' odd: its order is at least 64.
                    if (ring_.has_odd_strides() && (u % 2 == 0 || v % 2 == 0)) continue;
                    add_chains(d, u, v, found);
                }
            }
        }
        if (!any_ratio) found.excess += std::max(0.0, mean_pairs() - found.pairs) * excess(2);
        return found.excess - probes() * (probes() - 1) / 2 * hit_ * hit_ * excess(2);
    }

    void add_chains(std::uint64_t d, std::uint64_t u, std::uint64_t v, shares& found) const {
        const bool in_step = growth_ == growth_order::cubic || growth_ == growth_order::tetrahedral;
        const double chance = (in_step ? 1 : 2) * ring_.order_chance(d) / bits_;
        const auto places = [&](std::uint64_t steps, std::uint64_t step) {
            return std::max(0.0, probes() - static_cast<double>(steps * step));
        };
        // Number of (i, j) from which a chain continues for `steps` steps; its second difference counts whole chains.
        const auto runs = [&](std::uint64_t steps) {
            return places(steps, d * u) * (!in_step                   ? places(steps, d * v)
                                           : places(steps, d * v) > 0 ? 1
                                                                      : 0);
        };
        for (std::uint64_t s = 2; runs(s - 1) > 0; ++s) {
            const double chains = runs(s - 1) - 2 * runs(s) + runs(s + 1);
            found.excess += chance * chains * excess(s);
            found.pairs += chance * chains * static_cast<double>(s * (s - 1)) / 2;
        }
    }

    // Mean number of pairs of meetings of one key with the stranger: u b - v b' = (growth of i) - (growth of j) between the two
    // meetings, and a start that makes the first one. If the steps are even, so is the growth, which doubles the probability of
    // many pairs.
    double mean_pairs() const {
        const auto places = static_cast<std::int64_t>(k_);
        double sum = 0;
        for (std::int64_t v = 1; v < places; ++v) {
            for (std::int64_t u = 1 - places; u < places; ++u) {
                if (u != 0) sum += pairs_of_steps(u, v);
            }
        }
        return sum / bits_;
    }

    double pairs_of_steps(std::int64_t u, std::int64_t v) const {
        const auto places = static_cast<std::int64_t>(k_);
        const std::int64_t from = std::max<std::int64_t>(0, -u), to = std::min(places, places - u);
        const ring_law::equation meeting = ring_.equation_of(u, -v);
        if (meeting.always_fits()) return static_cast<double>((places - v) * (to - from)) * meeting.chance;
        // Differences of the stranger and of the key are counted by their remainders, so the work is linear in their number,
        // not quadratic.
        std::array<std::int64_t, 2 * max_probes> of_stranger{};
        for (std::int64_t i = 0; i + v < places; ++i)
            ++of_stranger[meeting.remainder(grown(growth_, i + v) - grown(growth_, i) - meeting.offset)];
        std::int64_t fitting = 0;
        for (std::int64_t j = from; j < to; ++j)
            fitting += of_stranger[meeting.remainder(grown(growth_, j + u) - grown(growth_, j))];
        return static_cast<double>(fitting) * meeting.chance;
    }

    double keys_;
    double bits_;
    std::uint64_t k_;
    growth_order growth_;
    ring_law ring_;
    std::vector<repetition> repetitions_;
    double hit_ = 0;
    double ones_ = 0;
};

}  // namespace

double progression_fpr(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                       stride_rule strides) {
    k = std::min(k, max_probes);
    if (k == 0) return 1;
    if (n == 0) return 0;
    if (m <= k) return 1;
    if (strides == stride_rule::coprime && m < 64) strides = stride_rule::any;
    return progression_model(n, m, k, growth, strides).rate();
}

double progression_excess(std::uint64_t n, std::uint64_t m, std::uint64_t k, growth_order growth,
                          stride_rule strides, double ones) {
    k = std::min(k, max_probes);
    if (k == 0 || n == 0 || m <= k) return 0;
    if (strides == stride_rule::coprime && m < 64) strides = stride_rule::any;
    return std::clamp(progression_model(n, m, k, growth, strides, std::clamp(ones, 0.0, 1.0)).shared(), 0.0,
                      1.0);
}

}  // namespace membrane::model
