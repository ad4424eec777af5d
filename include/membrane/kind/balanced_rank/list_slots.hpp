// Slots with which the overflow list of a fixed filter does not fill up, except with a chance of 1e-12 for each of three events: more
// words than slots, more words waiting behind the last home than spare slots, a run of words longer than an insertion may move.
//
// Each of G lines of the second table sends (X - Z)+ words to one home, X being Poisson, and the homes of all lines come before the
// spare slots. With K(t) = log E[exp(t (X - Z)+)] and c = -log(chance), for every t > 0:
//   words of the last yG lines    more than fit into their homes and s spare slots with a chance of at most e^-c, for all y in (0, 1] at
//                                 once, if t s >= c and t m >= G K(t) + c for m slots in all: what is to be exceeded is linear in y
//   a run of d words              e^-c if d (t - K(t) / g) >= c + log(slots), with g homes for each line
// The least number of slots over a row of t is taken. src/model/rank/list_room.hpp has the same bounds for any law, at the best t.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace membrane::list_sizing {

inline constexpr double log_of_chance = 27.7, most_spare_slots = 512, most_moved_slots = 4096;

// p(Z + 1), p(Z + 2), ... of a Poisson law; what is left out happens to none of the lines, but for a hundredth of the chance.
class excess_law {
public:
    excess_law(double mean, unsigned cells, double lines) {
        double p = std::exp(-mean);
        for (unsigned x = 1; x <= cells; ++x) p *= mean / x;
        const double least = 1e-15 / lines;
        for (unsigned x = cells + 1; count_ < chances_.size() && (p > least || x < mean); ++x)
            chances_[count_++] = p *= mean / x;
    }
    double log_mean(double t) const {
        const double factor = std::exp(t);
        double power = 1, more = 0;
        for (std::size_t i = 0; i < count_; ++i) more += chances_[i] * ((power *= factor) - 1);
        return std::log1p(more);
    }

private:
    std::array<double, 128> chances_{};
    std::size_t count_ = 0;
};

inline double slots_for(double mean, unsigned cells, double lines) {
    const excess_law law(mean, cells, lines);
    double for_words = HUGE_VAL, for_runs = HUGE_VAL;
    const double of_a_run = (log_of_chance + std::log(lines * 64 + most_spare_slots)) / most_moved_slots;
    for (double t = 4; t * most_spare_slots >= log_of_chance; t /= 1.15) {
        const double words = lines * law.log_mean(t);
        // Half of a small list is spare (list_homes).
        for_words = std::min(for_words, std::max(words + log_of_chance, 2 * log_of_chance) / t);
        if (t > of_a_run) for_runs = std::min(for_runs, words / (t - of_a_run) + most_spare_slots);
    }
    return std::ceil(for_words <= most_moved_slots ? for_words : std::max(for_words, for_runs));
}

}  // namespace membrane::list_sizing
