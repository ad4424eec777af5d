// Simulation of greedy choice among groups of bits, on plain counters: each key has c groups of k random places and occupies the
// group that needs the fewest places not occupied by other keys; ties are broken at random.
//
// Online, one round: each key chooses at its insertion. Offline: in every further round each key in turn leaves its group and
// chooses again.
#pragma once

#include <cstdint>
#include <vector>

#include <lab/dice.hpp>

namespace membrane::lab {

class choice_simulation {
public:
    choice_simulation(std::uint64_t keys, std::uint64_t size_bits, std::uint64_t choices, std::uint64_t k,
                      std::uint64_t seed)
        : keys_(keys), choices_(choices), k_(k), random_(seed), users_(size_bits), chosen_(keys, choices) {
        places_.resize(keys * choices * k);
        for (std::uint32_t& place : places_) place = static_cast<std::uint32_t>(random_.below(size_bits));
    }

    void run_round() {
        for (std::uint64_t key = 0; key < keys_; ++key) {
            if (chosen_[key] != choices_) change(key, chosen_[key], -1);
            chosen_[key] = best_group(key);
            change(key, chosen_[key], 1);
        }
    }

    double share_of_ones() const {
        std::uint64_t ones = 0;
        for (const std::uint16_t each : users_) ones += each != 0 ? 1 : 0;
        return static_cast<double>(ones) / static_cast<double>(users_.size());
    }

private:
    const std::uint32_t* group(std::uint64_t key, std::uint64_t number) const {
        return &places_[(key * choices_ + number) * k_];
    }

    void change(std::uint64_t key, std::uint64_t number, int step) {
        for (std::uint64_t i = 0; i < k_; ++i) {
            std::uint16_t& users = users_[group(key, number)[i]];
            users = static_cast<std::uint16_t>(users + step);
        }
    }

    // Free places of the group, each counted once: places are marked while counting and unmarked afterwards.
    std::uint64_t need(std::uint64_t key, std::uint64_t number) {
        std::uint64_t free_places = 0;
        for (std::uint64_t i = 0; i < k_; ++i) free_places += users_[group(key, number)[i]]++ == 0 ? 1 : 0;
        change(key, number, -1);
        return free_places;
    }

    std::uint64_t best_group(std::uint64_t key) {
        std::uint64_t best = 0;
        std::uint64_t least = k_ + 1;
        std::uint64_t ties = 0;
        for (std::uint64_t number = 0; number < choices_; ++number) {
            const std::uint64_t needed = need(key, number);
            if (needed > least) continue;
            ties = needed == least ? ties + 1 : 1;
            least = needed;
            if (ties == 1 || random_.below(ties) == 0) best = number;
        }
        return best;
    }

    std::uint64_t keys_;
    std::uint64_t choices_;
    std::uint64_t k_;
    dice random_;
    std::vector<std::uint16_t> users_;
    std::vector<std::uint64_t> chosen_;  // `choices` before the first round
    std::vector<std::uint32_t> places_;
};

}  // namespace membrane::lab
