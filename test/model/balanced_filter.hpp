// A plain balanced Bloom filter for the tests: one byte per bit, hashes by mixing, nothing packed. It shares no code
// with the library, so that model and simulation are two witnesses.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include <membrane/model/balanced_bloom.hpp>

namespace membrane::model {

inline std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

class simulated_filter {
public:
    struct answer {
        bool found;
        std::uint64_t reads;
        bool asked_list;
    };

    simulated_filter(std::uint64_t blocks, std::span<const sub_table> tables, const balanced_bloom_spec& spec,
                     std::uint64_t seed)
        : spec_(spec), seed_(mixed(seed)) {
        for (const sub_table& table : tables) {
            level made;
            made.h = table.h;
            made.p = table.p;
            made.blocks = static_cast<std::uint64_t>(table.share * static_cast<double>(blocks) + 0.5);
            made.bits = spec.block_bits - state_bits(spec.rule, table.h);
            made.ones.resize(made.blocks * made.bits);
            made.loads.resize(made.blocks);
            made.flags.resize(made.blocks);
            levels_.push_back(std::move(made));
        }
        tries_ = levels_.size();
    }

    // SEQUENTIAL placement: d blocks of the one table.
    simulated_filter(std::uint64_t blocks, std::uint64_t d, const sub_table& table,
                     const balanced_bloom_spec& spec, std::uint64_t seed)
        : simulated_filter(blocks, std::span<const sub_table>(&table, 1), spec, seed) {
        tries_ = d;
    }

    // Blocks read.
    std::uint64_t insert(std::uint64_t key) {
        for (std::size_t j = 0; j < tries_; ++j) {
            level& table = levels_[j % levels_.size()];
            const std::uint64_t block = draw(key, j, 0) % table.blocks;
            std::uint64_t& load = table.loads[block];
            if (load < table.h || (load == table.h && coin(key, j))) {
                ++load;
                for (std::uint64_t i = 0; i < spec_.k; ++i)
                    table.ones[block * table.bits + draw(key, j, i + 2) % table.bits] = 1;
                return j + 1;
            }
            table.flags[block] = 1;
        }
        list_.insert(key);
        return tries_;
    }

    answer query(std::uint64_t key) const {
        for (std::size_t j = 0; j < tries_; ++j) {
            const level& table = levels_[j % levels_.size()];
            const std::uint64_t block = draw(key, j, 0) % table.blocks;
            bool all = true;
            for (std::uint64_t i = 0; i < spec_.k && all; ++i)
                all = table.ones[block * table.bits + draw(key, j, i + 2) % table.bits] != 0;
            if (all) return {true, j + 1, false};
            if (!goes_on(key, j, block)) return {false, j + 1, false};
        }
        return {list_.count(key) != 0, tries_, true};
    }

    // The rate of this very filter over all strangers, from its bits, loads and flags: each stranger draws a block of
    // every table, k bits of it and a coin.
    double own_rate() const {
        double rate = 0;
        double reaching = 1;
        for (const level& table : levels_) {
            double hits = 0;
            double goes_on = 0;
            for (std::uint64_t block = 0; block < table.blocks; ++block) {
                double ones = 0;
                for (std::uint64_t i = 0; i < table.bits; ++i) ones += table.ones[block * table.bits + i];
                const double hit =
                    std::pow(ones / static_cast<double>(table.bits), static_cast<double>(spec_.k));
                hits += hit;
                goes_on += (1 - hit) * chance_to_go_on(table, block);
            }
            rate += reaching * hits / static_cast<double>(table.blocks);
            reaching *= goes_on / static_cast<double>(table.blocks);
        }
        return rate;
    }

    std::uint64_t listed() const { return list_.size(); }

private:
    struct level {
        std::uint64_t h = 0;
        double p = 0;
        std::uint64_t blocks = 0;
        std::uint64_t bits = 0;
        std::vector<std::uint8_t> ones;
        std::vector<std::uint64_t> loads;
        std::vector<std::uint8_t> flags;
    };

    std::uint64_t draw(std::uint64_t key, std::uint64_t table, std::uint64_t use) const {
        return mixed(mixed(key ^ seed_) + 1000 * table + use);
    }
    bool coin(std::uint64_t key, std::size_t j) const {
        return static_cast<double>(draw(key, j, 1) >> 11) * 0x1p-53 < levels_[j % levels_.size()].p;
    }
    // 0, 1, or 1 - p where the key's coin decides.
    double chance_to_go_on(const level& table, std::uint64_t block) const {
        if (table.loads[block] < table.h) return 0;
        const bool flagged = spec_.rule == query_rule::flag || spec_.rule == query_rule::flag_coin;
        if (flagged && table.flags[block] == 0) return 0;
        const bool tossed = spec_.rule == query_rule::coin || spec_.rule == query_rule::flag_coin;
        return tossed && table.loads[block] == table.h ? 1 - table.p : 1;
    }
    bool goes_on(std::uint64_t key, std::size_t j, std::uint64_t block) const {
        const level& table = levels_[j % levels_.size()];
        const double chance = chance_to_go_on(table, block);
        return chance == 1 || (chance > 0 && !coin(key, j));
    }

    balanced_bloom_spec spec_;
    std::uint64_t seed_;
    std::vector<level> levels_;
    std::size_t tries_ = 0;
    std::unordered_set<std::uint64_t> list_;
};

}  // namespace membrane::model
