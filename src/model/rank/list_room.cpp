#include "model/rank/list_room.hpp"

#include <algorithm>
#include <cmath>

namespace membrane::model {

namespace {

// Largest exponent t: e^4 per word is steep enough for lists of a few slots, and its powers stay finite.
constexpr double steepest = 4;
constexpr int halvings = 60;

class clump_growth {
public:
    explicit clump_growth(const std::vector<double>& clump)
        : clump_(clump), steepest_(std::min(steepest, 600 / static_cast<double>(clump.size()))) {}

    // log E[exp(t clump)]
    double log_mean(double t) const {
        const double factor = std::exp(t);
        double power = 1, more = 0;
        for (std::size_t j = 1; j < clump_.size(); ++j) more += clump_[j] * ((power *= factor) - 1);
        return std::log1p(more);
    }
    // Its derivative.
    double tilted_mean(double t) const {
        const double factor = std::exp(t);
        double power = 1, sum = 0;
        for (std::size_t j = 1; j < clump_.size(); ++j)
            sum += static_cast<double>(j) * clump_[j] * (power *= factor);
        return sum / std::exp(log_mean(t));
    }

    // The least t from which on a monotone condition holds; the largest t if it never does.
    template <class Condition>
    double least(const Condition& holds) const {
        double low = 0, high = steepest_;
        for (int i = 0; i < halvings; ++i) {
            const double middle = (low + high) / 2;
            (holds(middle) ? high : low) = middle;
        }
        return high;
    }

private:
    const std::vector<double>& clump_;
    double steepest_;
};

double spare_of_homes(double homes) { return std::min(homes, most_spare_slots); }
double spare_of_slots(double slots) { return std::min(slots / 2, most_spare_slots); }

}  // namespace

double list_slots_for(const std::vector<double>& clump, double groups, double chance) {
    const clump_growth growth(clump);
    const double needed = -std::log(chance);

    // (G K(t) + needed) / t is least where its derivative is 0.
    const double t_all = growth.least(
        [&](double t) { return groups * (t * growth.tilted_mean(t) - growth.log_mean(t)) >= needed; });
    double slots = (groups * growth.log_mean(t_all) + needed) / t_all;

    // If the spare slots are too few for the words that wait behind the last home, they determine the size.
    if (spare_of_slots(slots) < needed / t_all) {
        const auto homes_at = [&](double t) { return groups * growth.log_mean(t) / t; };
        const double t_end =
            growth.least([&](double t) { return t * spare_of_homes(homes_at(t)) >= needed; });
        const double homes = std::max(homes_at(t_end), std::min(needed / t_end, most_spare_slots));
        slots = homes + spare_of_homes(homes);
    }

    if (slots <= most_moved_slots) return std::ceil(slots);
    // For homes per group g = K'(t) the decay t - K(t) / g is largest at that t.
    const double t_run = growth.least([&](double t) {
        const double per_group = growth.tilted_mean(t);
        const double decay = t - growth.log_mean(t) / per_group;
        return most_moved_slots * decay >= needed + std::log(groups * per_group + most_spare_slots);
    });
    return std::ceil(std::max(slots, groups * growth.tilted_mean(t_run) + most_spare_slots));
}

}  // namespace membrane::model
