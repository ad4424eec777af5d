#include <membrane/model/choice_reads.hpp>

#include <algorithm>
#include <cmath>

#include <membrane/model/less_hashing.hpp>

#include "model/normal_nodes.hpp"

namespace membrane::model {

namespace {

using by_need = std::array<double, max_probes + 2>;

// Pr(Bin(k, unset) = j), computed from the end that cannot underflow.
by_need binomial_law(std::uint64_t k, double unset) {
    by_need law{};
    if (unset > 0.5) {
        law[k] = std::pow(unset, static_cast<double>(k));
        for (std::uint64_t j = k; j != 0; --j)
            law[j - 1] =
                law[j] * static_cast<double>(j) / static_cast<double>(k - j + 1) * (1 - unset) / unset;
    } else {
        law[0] = std::pow(1 - unset, static_cast<double>(k));
        for (std::uint64_t j = 0; j < k; ++j)
            law[j + 1] =
                law[j] * static_cast<double>(k - j) / static_cast<double>(j + 1) * unset / (1 - unset);
    }
    return law;
}

// Sums over the keys that were inserted at one fill.
class keys_at_fill {
public:
    // `later`: probability that a bit that was unset then has been set since.
    keys_at_fill(double fill, double later, std::uint64_t choices, std::uint64_t k)
        : choices_(choices), k_(k), later_(later), need_(binomial_law(k, 1 - fill)) {
        for (std::uint64_t j = k + 1; j-- != 0;) at_least_[j] = at_least_[j + 1] + need_[j];
        for (std::uint64_t j = 1; j <= k; ++j)
            new_bits_ += std::pow(at_least_[j], static_cast<double>(choices));
    }

    double new_bits() const { return new_bits_; }

    void add_to(group_walk& walk, double weight) const {
        by_need refused{};  // groups that were not chosen, by the number of bits they lacked then
        for (std::uint64_t j = 0; j <= k_; ++j) {
            const double more = at_least_[j + 1];
            double covered = 0, power = 1;
            for (std::uint64_t i = 0; i <= k_; ++i, power *= later_)
                if (i > j) covered += need_[i] * power;
            const double left = more > 0 ? std::clamp(1 - covered / more, 0.0, 1.0) : 1;
            double visits = 0;
            for (std::uint64_t g = 0; g < choices_; ++g) {
                const double chosen = weight * need_[j] * std::pow(more, static_cast<double>(g)) *
                                      std::pow(at_least_[j], static_cast<double>(choices_ - 1 - g));
                double all_left = 1;
                for (std::uint64_t a = 0; a < g; ++a) {
                    walk.covered_after[a] += chosen * all_left * (1 - left);
                    all_left *= left;
                    visits += chosen * all_left;
                }
                walk.covered_after[g] += chosen * all_left;
            }
            if (visits <= 0 || more * left <= 0) continue;
            for (std::uint64_t i = j + 1; i <= k_; ++i) refused[i] += visits * need_[i] / (more * left);
        }
        add_reach(refused, walk.reach);
    }

private:
    // Position by position; the missing bits of a group are uniformly spread over its remaining positions.
    void add_reach(by_need lacks, std::vector<double>& reach) const {
        std::vector<double> got(k_ + 1);
        for (std::uint64_t place = 0;; ++place) {
            for (const double chance : lacks) got[place] += chance;
            if (place == k_) break;
            const double places = static_cast<double>(k_ - place);
            for (std::uint64_t i = 0; i <= k_; ++i) {
                const double used = std::max(0.0, 1 - static_cast<double>(i) / places);
                const double set_since = static_cast<double>(i + 1) / places * later_;
                lacks[i] = lacks[i] * used + lacks[i + 1] * set_since;
            }
        }
        for (std::uint64_t place = 0; place < k_; ++place) reach[place] += got[place] - got[k_];
    }

    std::uint64_t choices_, k_;
    double later_;
    by_need need_;
    by_need at_least_{};
    double new_bits_ = 0;
};

void normalise(group_walk& walk) {
    const double visits = walk.reach.front();
    for (double& chance : walk.reach) chance = visits > 0 ? chance / visits : 0;
}

}  // namespace

group_walk stranger_walk(mean_and_scatter ones, std::uint64_t choices, std::uint64_t k) {
    group_walk walk;
    walk.reach.resize(k);
    for (const normal_node& node : normal_nodes) {
        const double fill = std::clamp(ones.mean + node.sigmas * ones.stddev, 0.0, 1.0);
        const double covered = std::pow(fill, static_cast<double>(k));
        double all_left = node.weight;
        for (std::uint64_t g = 0; g < choices; ++g) {
            walk.covered_after[g] += all_left * covered;
            double used = 1;
            for (double& chance : walk.reach) {
                chance += all_left * (used - covered);
                used *= fill;
            }
            all_left *= 1 - covered;
        }
        walk.left_first[choices] += all_left;
    }
    normalise(walk);
    for (std::size_t a = 0; a < walk.left_first.size(); ++a) walk.left_first[a] += walk.covered_after[a];
    return walk;
}

group_walk member_walk(mean_and_scatter ones, std::uint64_t m, std::uint64_t choices, std::uint64_t k) {
    group_walk walk;
    walk.reach.resize(k);
    const double now = std::min(ones.mean, 1 - 1e-9);
    const double last_gain = keys_at_fill(now, 0, choices, k).new_bits() / static_cast<double>(m);
    const double last = std::max(0.0, now - last_gain);  // fill at the insertion of the last key
    constexpr int fills = 48;
    double total = 0;
    std::array<double, fills> weights{};
    const auto fill_of = [&](int i) { return last * (i + 0.5) / fills; };
    for (int i = 0; i < fills; ++i)
        total += weights[i] = 1 / keys_at_fill(fill_of(i), 0, choices, k).new_bits();
    for (int i = 0; i < fills; ++i) {
        const double fill = fill_of(i);
        keys_at_fill(fill, (now - fill) / (1 - fill), choices, k).add_to(walk, weights[i] / total);
    }
    normalise(walk);
    walk.left_first = walk.covered_after;
    return walk;
}

double walk_lines(const group_walk& walk, double left_lines, double all_lines, double bits,
                  double bits_per_line) {
    const double whole = std::floor(bits / bits_per_line), rest = bits - whole * bits_per_line;
    if (whole < 1) return 1;
    // The last, shorter line is first read at the first position of the lookup that lies in it.
    const double share = rest / bits;
    double left_rest = 0, none_before = 1;
    for (const double reached : walk.reach) {
        left_rest += reached * none_before * share;
        none_before *= 1 - share;
    }
    const double all_rest = 1 - none_before;
    const auto union_of = [&](double left, double all) {
        double sum = 0, none_left = 1;
        for (std::size_t a = 0; a < walk.left_first.size(); ++a) {
            sum += walk.covered_after[a] * (1 - none_left * (1 - all));
            sum += (walk.left_first[a] - walk.covered_after[a]) * (1 - none_left);
            none_left *= 1 - left;
        }
        return sum;
    };
    return whole * union_of((left_lines - left_rest) / whole, (all_lines - all_rest) / whole) +
           union_of(left_rest, all_rest);
}

}  // namespace membrane::model
