#include "kind/balanced_bloom/design.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <membrane/kind/balanced_bloom/spec.hpp>
#include <membrane/model/balanced_bloom.hpp>
#include <membrane/model/multi_level.hpp>
#include <membrane/model/sequential.hpp>
#include <membrane/model/single.hpp>

#include "kind/balanced_bloom/grid.hpp"

namespace membrane::plan {

namespace {

// Requests outside this range use the design of the nearest end, scaled to the requested size.
constexpr double least_design_bits = 4;
constexpr double most_design_bits = 48;
constexpr double most_reads = 1.5;
constexpr double most_more_room = 4;
constexpr double most_coin = 1 - 1.0 / 4294967296.0;

std::uint64_t clamped_k(double k) {
    return static_cast<std::uint64_t>(std::clamp(std::round(k), 1.0, static_cast<double>(most_balanced_k)));
}

// Keys per block at the design point.
double keys_per_block(std::uint64_t block_bits, double bits_per_key) {
    return static_cast<double>(block_bits) / std::clamp(bits_per_key, least_design_bits, most_design_bits);
}

designed_table table_of(double blocks_per_key, std::uint64_t h, double p) {
    if (p > most_coin && h < most_block_load) return {blocks_per_key, h + 1, 0};
    return {blocks_per_key, std::min(h, most_block_load), std::min(p, most_coin)};
}

double blocks_per_key(const balanced_design& design) {
    double sum = 0;
    for (const designed_table& table : design.tables) sum += table.blocks_per_key;
    return sum;
}

// Scales the tables to `bits_per_key` in all.
void scale_to(balanced_design& design, std::uint64_t block_bits, double bits_per_key) {
    const double factor = bits_per_key / static_cast<double>(block_bits) / blocks_per_key(design);
    for (designed_table& table : design.tables) table.blocks_per_key *= factor;
}

// The row's tables with `scale` times the keys per block, and room for `more_room` further keys per block in the first.
result<balanced_design> scaled_row(const balanced_row& row, double scale, double more_room) {
    balanced_design design;
    design.tries = row.tables;
    design.k = clamped_k(static_cast<double>(row.k) / scale);
    double reached = 1;
    for (std::size_t i = 0; i < row.tables; ++i) {
        const double before = row.table[i].arrivals, arrivals = before * scale;
        const double deviations = (row.table[i].capacity - before) / std::sqrt(before);
        const double room = i == 0 ? more_room : 0;
        const double capacity = std::max(0.0, arrivals + deviations * std::sqrt(arrivals) + room);
        const double h = std::floor(capacity);
        design.tables.push_back(table_of(reached / arrivals, static_cast<std::uint64_t>(h), capacity - h));
        const auto state = model::single(arrivals, design.tables.back().h, design.tables.back().p);
        if (!state) return state.error();
        reached *= state->overflow;
    }
    return design;
}

// Blocks and list lookups of a stranger's lookup.
double reads_of(const balanced_design& design, std::uint64_t block_bits) {
    const double blocks = blocks_per_key(design);
    std::vector<model::sub_table> tables;
    for (const designed_table& table : design.tables)
        tables.push_back({table.blocks_per_key / blocks, table.h, table.p});
    const auto rates = model::balanced_bloom(
        1 / blocks, 1, tables, {block_bits, design.k, model::query_rule::flag_coin, model::block_law::exact});
    return rates ? rates->negative_reads + rates->negative_list_reads : 1;
}

}  // namespace

result<balanced_design> best_design(std::uint64_t block_bits, double bits_per_key) {
    const double wanted = std::clamp(bits_per_key, least_design_bits, most_design_bits);
    const balanced_row& row = nearest_row(block_bits, wanted);
    const auto as_found = scaled_row(row, 1, 0);
    if (!as_found) return as_found.error();
    const double scale = blocks_per_key(*as_found) * static_cast<double>(block_bits) / wanted;
    const auto scaled = [&](double more_room) {
        auto design = scaled_row(row, scale, more_room);
        if (design) scale_to(*design, block_bits, bits_per_key);
        return design;
    };
    auto design = scaled(0);
    if (!design) return design.error();
    // A coin that changes with the scale can cost a few more reads; more room in the first table compensates for them.
    double enough = 0;
    while (reads_of(*design, block_bits) > most_reads && enough < most_more_room) {
        enough += 0.25;
        design = scaled(enough);
        if (!design) return design.error();
    }
    for (double low = enough - 0.25; enough > 0 && enough - low > 0.01;) {
        const double middle = (low + enough) / 2;
        auto tried = scaled(middle);
        if (!tried) return tried.error();
        if (reads_of(*tried, block_bits) > most_reads) {
            low = middle;
        } else {
            enough = middle;
            design = std::move(tried);
        }
    }
    return design;
}

result<balanced_design> multi_level_design(std::uint64_t block_bits, double bits_per_key, double a,
                                           std::uint64_t d) {
    const double r = keys_per_block(block_bits, bits_per_key);
    const auto found = model::multi_level(a, d, r);
    if (!found) return found.error();
    balanced_design design;
    design.tries = d;
    design.k = clamped_k(bits_per_key * std::log(2));
    for (const double share : found->alpha)
        design.tables.push_back(table_of(std::max(share, 1e-12) / r, found->h, found->p));
    scale_to(design, block_bits, bits_per_key);
    return design;
}

result<balanced_design> sequential_design_for(std::uint64_t block_bits, double bits_per_key, double a,
                                              std::uint64_t d, double overflow) {
    const double r = keys_per_block(block_bits, bits_per_key);
    const auto found = model::single_for_bound(a, r, overflow);
    if (!found) return found.error();
    balanced_design design;
    design.tries = d;
    design.k = clamped_k(bits_per_key * std::log(2));
    design.tables.push_back(table_of(1 / r, found->h, found->p));
    scale_to(design, block_bits, bits_per_key);
    return design;
}

result<balanced_design> sequential_design(std::uint64_t block_bits, double bits_per_key, double a,
                                          std::uint64_t d) {
    const auto found = model::sequential(a, d, keys_per_block(block_bits, bits_per_key));
    if (!found) return found.error();
    return sequential_design_for(block_bits, bits_per_key, a, d, found->gamma0);
}

balanced_design unbounded_design(double bits_per_key, std::uint64_t block_bits, std::uint64_t most_load) {
    balanced_design design;
    // The same formula as kind/blocked_bloom/spec.hpp: this design is a blocked filter.
    design.k = clamped_k(bits_per_key * std::log(2) / (1 + bits_per_key / 75));
    design.tables.push_back({bits_per_key / static_cast<double>(block_bits), most_load, 0});
    return design;
}

}  // namespace membrane::plan
