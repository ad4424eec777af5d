// Estimates from one pass over the blocks of a balanced Bloom filter: fill, rate and number of keys.
//
// Rate. A stranger's lookup visits every block of a table with equal probability. With F_i the mean of (ones / bits)^k over the
// blocks of table i, and C_i the mean probability that a block has no hit and the lookup goes on, fpr = F_1 + C_1 (F_2 + C_2 F_3)
// is exact for these contents.
//
// Keys. The loads of the blocks and the length of the list count the keys that were stored. A key that looked present when it was
// inserted was not stored; such keys are added. With phi_l the rate of a block of load l, there are on average phi_l / (1 - phi_l)
// of them for each key that a block took at load l, as many since the last key that it took, and phi / (1 - phi), with the present
// rate, for each key that a block refused and passed on. A block that took keys beyond h + 1, because the list had no room, no
// longer knows its load, which is then estimated from its ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <membrane/base/target.hpp>
#include <membrane/part/placement/acceptance.hpp>

MEMBRANE_TARGET_BEGIN

class balanced_summary {
public:
    balanced_summary(std::uint64_t k, std::uint64_t tries, std::uint64_t listed)
        : k_(static_cast<double>(k)), tries_(tries), listed_(static_cast<double>(listed)) {}

    void start_table(std::uint64_t h, double p, std::uint64_t usable_bits, stop_rule rule) {
        ++count_;
        h_ = h;
        rule_ = rule;
        bits_ = static_cast<double>(usable_bits);
        coin_ = p;
        keys_for_load_.assign(1, 0.0);
        for (std::uint64_t load = 0; load <= h; ++load) {
            const double hit = rate_at(static_cast<double>(load));
            keys_for_load_.push_back(keys_for_load_.back() + 1 / (1 - std::min(hit, most_rate)));
        }
    }

    void add_block(std::uint64_t ones, std::uint64_t load, bool has_refused) {
        table& here = tables_[count_ - 1];
        const double hit = rate(static_cast<double>(ones));
        ones_ += static_cast<double>(ones);
        all_bits_ += bits_;
        ++here.blocks;
        here.hits += hit;
        const bool may_go_on = load >= h_ && (has_refused || !has_flag(rule_));
        const double tossed = load == h_ ? 1 - coin_ : 1;
        if (may_go_on) here.going_on += (has_coin(rule_) ? tossed : 1) * (1 - hit);
        here.keys += keys_for_load_[load];
        if (load < h_) {
            here.keys += std::min(hit, most_rate) / (1 - std::min(hit, most_rate));
        } else {
            here.refusing += tossed;
            here.refusing_hits += tossed * hit;
        }
        if (load > h_) {
            ++here.full;
            const double unused = std::max(0.5, bits_ - static_cast<double>(ones)) / bits_;
            here.full_by_ones += std::log(unused) / std::log1p(-1 / bits_) / k_;
            here.full_by_load += keys_for_load_[load];
        }
    }

    double fill() const { return all_bits_ > 0 ? ones_ / all_bits_ : 0; }

    double fpr() const {
        double fpr = 0;
        for (std::uint64_t j = tries_; j-- > 0;) {
            const table& here = tables_[std::min<std::size_t>(static_cast<std::size_t>(j), count_ - 1)];
            fpr = (here.hits + here.going_on * fpr) / here.blocks;
        }
        return std::clamp(fpr, 0.0, 1.0);
    }

    double keys() const {
        double keys = listed_;
        for (std::size_t i = count_; i-- > 0;) {
            const table& here = tables_[i];
            // The ones of a block deviate from those of a load of h + 1 by a few percent, the sum over all blocks by far less.
            const bool is_forced = here.full_by_ones > 1.02 * here.full_by_load;
            // The list was full before blocks were forced, when their rate was still small.
            if (here.refusing > 0 && !is_forced)
                keys /= 1 - std::min(here.refusing_hits / here.refusing, most_rate);
            keys += here.keys + (is_forced ? forced_keys(here) : 0);
        }
        return keys;
    }

private:
    static constexpr double most_rate = 0.99;

    struct table {
        double blocks = 0;
        double hits = 0;
        double going_on = 0;
        double keys = 0;
        double refusing = 0;
        double refusing_hits = 0;
        double full = 0;
        double full_by_ones = 0;
        double full_by_load = 0;
    };

    // Keys beyond h + 1: those that the ones of the full blocks tell of, and if they had tried other blocks of this table
    // before, those that were found there by chance.
    double forced_keys(const table& here) const {
        constexpr int steps = 16;
        const double from = here.full_by_load / here.full;
        const double step = (here.full_by_ones / here.full - from) / steps;
        const auto earlier_tries = static_cast<double>(tries_ - count_);
        double sum = 0;
        for (int i = 0; i < steps; ++i)
            sum += step / std::pow(1 - std::min(rate_at(from + (i + 0.5) * step), most_rate), earlier_tries);
        return here.full * sum;
    }

    double rate_at(double load) const {
        return rate(bits_ * -std::expm1(k_ * load * std::log1p(-1 / bits_)));
    }
    double rate(double ones) const { return std::pow(ones / bits_, k_); }

    double k_;
    std::uint64_t tries_;
    double listed_;
    std::array<table, 3> tables_{};
    std::size_t count_ = 0;
    std::uint64_t h_ = 0;
    stop_rule rule_{};
    double bits_ = 0;
    double coin_ = 0;
    std::vector<double> keys_for_load_;
    double ones_ = 0;
    double all_bits_ = 0;
};

MEMBRANE_TARGET_END
