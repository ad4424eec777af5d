// Simulation of the three placements of the balanced report, key by key on plain load counters.
//
// A block accepts a key below load h, with probability p at load h, and never above. `taken(table, block)` is called for each
// accepted key, for example to set bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <membrane/model/multi_level.hpp>

#include <lab/dice.hpp>

namespace membrane::lab {

class load_table {
public:
    load_table(std::uint64_t blocks, std::uint64_t h, double p) : loads_(blocks), h_(h), p_(p) {}

    std::uint64_t size() const { return loads_.size(); }
    std::uint64_t load(std::uint64_t block) const { return loads_[block]; }
    std::uint64_t h() const { return h_; }

    bool offer(std::uint64_t block, dice& random) {
        std::uint8_t& load = loads_[block];
        if (load > h_ || (load == h_ && !random.chance(p_))) return false;
        ++load;
        return true;
    }

    double share_with(std::uint64_t load) const {
        std::uint64_t found = 0;
        for (const std::uint8_t each : loads_) found += each == load ? 1 : 0;
        return static_cast<double>(found) / static_cast<double>(size());
    }

private:
    std::vector<std::uint8_t> loads_;
    std::uint64_t h_;
    double p_;
};

// d candidates in one table. Returns the share of keys that no block accepted.
inline double simulate_sequential(load_table& table, std::uint64_t keys, std::uint64_t tries, dice& random) {
    std::uint64_t left_over = 0;
    for (std::uint64_t i = 0; i < keys; ++i) {
        std::uint64_t left = tries;
        while (left != 0 && !table.offer(random.below(table.size()), random)) --left;
        left_over += left == 0 ? 1 : 0;
    }
    return static_cast<double>(left_over) / static_cast<double>(keys);
}

// One candidate in each table.
template <class Taken>
double simulate_multi_level(std::vector<load_table>& tables, std::uint64_t keys, dice& random, Taken taken) {
    std::uint64_t left_over = 0;
    for (std::uint64_t i = 0; i < keys; ++i) {
        bool is_taken = false;
        for (std::size_t j = 0; j < tables.size() && !is_taken; ++j) {
            const std::uint64_t block = random.below(tables[j].size());
            is_taken = tables[j].offer(block, random);
            if (is_taken) taken(j, block);
        }
        left_over += is_taken ? 0 : 1;
    }
    return static_cast<double>(left_over) / static_cast<double>(keys);
}

inline std::vector<load_table> load_tables(const std::vector<model::sub_table>& design,
                                           std::uint64_t blocks) {
    std::vector<load_table> tables;
    for (const model::sub_table& each : design)
        tables.emplace_back(
            static_cast<std::uint64_t>(std::llround(each.share * static_cast<double>(blocks))), each.h,
            each.p);
    return tables;
}

}  // namespace membrane::lab
