// The layout of a fixed filter for a number of keys and a rate, in programs that do not link the planner: some tens of microseconds, no
// memory; test/plan/header_rank_sizing.cpp holds it within 1 % of the planner's search by the exact models.
//
// Lines of both tables have one shape. As in choose_layout.hpp, a line of the first table with X ~ Poisson(x1) arrivals forwards
// f = E[(X - Z)+] entries and sends the share w of the strangers' lookups on. A line of the second table has Poisson(x2) arrivals. With
// P = L 2^R places the rate is about x1 / P + w x2 / P; the size is 512 / x1 bits per key, f / x2 as much for the second table, and a
// word with its share of gaps for each entry that the second table has no cell for.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/list_slots.hpp>

namespace membrane {

namespace layout_choice {

// At this rate a line is full with 64 cells of 6 bits; shorter fingerprints would only leave bits unused.
inline constexpr double most_useful_fpr = 0.015, least_fixed_fpr = 1e-10;
inline constexpr double most_fixed_second_reads = 0.18, listed_entry_bits = 80, least_share = 0.005;
inline constexpr unsigned least_fixed_chains = 16, most_fixed_bits = 32;
// As in the planner's search (src/kind/balanced_rank/design.cpp): a filter whose size is final takes the bits.
inline constexpr double fixed_share_without_bytes = 0.99;

struct fixed_shape {
    unsigned bits = 0, cells = 0, chains = 0;
    double keys_per_line = 0, share = 0;  // lines of the second table for each of the first
    double price = INFINITY;

    double places() const { return std::ldexp(chains, static_cast<int>(bits)); }
};

inline double second_reads_of(const line_loads& line, unsigned chains) {
    return std::min(1.0, line.goes_on + line.overflows / (2 * chains));
}

class fixed_search {
public:
    explicit fixed_search(double fpr) : fpr_(std::min(fpr, most_useful_fpr)) {}

    fixed_shape run() {
        // Keys for each chain from 0.3 to 4.8, as in the planner's search.
        const double least = std::clamp(std::ceil(std::log2(0.3 / fpr_)), 1.0, double{most_fixed_bits});
        for (auto bits = static_cast<unsigned>(least); bits <= least + 3 && bits <= most_fixed_bits; ++bits)
            try_bits(bits);
        refine();
        return best_;
    }

private:
    void try_bits(unsigned bits) {
        for (unsigned cells = std::min(64u, (511 - least_fixed_chains) / (bits + 1)); cells != 0; --cells) {
            fixed_shape shape;
            shape.bits = bits;
            shape.cells = cells;
            shape.chains = std::min(63u, 511 - cells * (bits + 1));
            // Within 1 % of the best load of the second table.
            second_load_ = 0.818 * cells + 2.2;
            listed_ = listed_at(second_load_, cells);
            const double most = -std::log1p(-fpr_) * shape.places();
            for (const double load : {1.12, 1.08, 1.04, 1.0, 0.95, 0.9}) try_load(shape, load * cells);
            for (const double load : {0.96, 0.93, 0.9, 0.85})
                if (load * most < 1.12 * cells) try_load(shape, load * most);
            if (shape.chains == 63) break;  // fewer cells would leave more of the line unused
        }
    }
    static double listed_at(double load, unsigned cells) {
        return mean_above(std::exp(-load), cells, load, [&](unsigned x) { return load / (x + 1.0); });
    }
    void try_load(fixed_shape shape, double keys_per_line) {
        if (rank_line_bits / keys_per_line > best_.price) return;
        const double first = -std::expm1(-keys_per_line / shape.places());
        if (!(first < fpr_)) return;
        const line_loads line = loads_of(keys_per_line, shape.cells);
        const double second_reads = second_reads_of(line, shape.chains);
        if (second_reads > most_fixed_second_reads) return;
        const double left = (fpr_ - first) / ((1 - first) * second_reads);
        double second_load = second_load_, listed = listed_;
        if (left < 1 && -std::log1p(-left) * shape.places() < second_load) {
            second_load = -std::log1p(-left) * shape.places();
            listed = listed_at(second_load, shape.cells);
        }
        if (second_load < line.forwarded) return;  // more lines than the first table has
        shape.keys_per_line = keys_per_line;
        shape.share = std::max(least_share, line.forwarded / second_load);
        const double size =
            (rank_line_bits * (1 + shape.share) + shape.share * listed_entry_bits * listed) / keys_per_line;
        shape.price = (shape.bits < least_bits_in_bytes ? size / fixed_share_without_bytes : size) +
                      bits_of_a_second_read * second_reads;
        if (shape.price < best_.price) best_ = shape;
    }
    // Searches between the loads tried so far.
    void refine() {
        if (best_.cells == 0) return;
        second_load_ = 0.818 * best_.cells + 2.2;
        listed_ = listed_at(second_load_, best_.cells);
        for (double step = 0.02; step > 0.002; step /= 2) {
            const fixed_shape from = best_;
            try_load(from, from.keys_per_line * (1 + step));
            if (best_.price == from.price) try_load(from, from.keys_per_line * (1 - step));
        }
    }

    double fpr_, second_load_ = 0, listed_ = 0;
    fixed_shape best_;
};

// What a spec holds with so many keys: keys with equal entries count once.
struct fixed_load {
    double entries_per_line, second_load, rate;
};
inline fixed_load fixed_load_of(const filter_spec& spec, double keys) {
    const auto chains = static_cast<unsigned>(spec[balanced_rank_field::chains]);
    const double lines = static_cast<double>(spec[balanced_rank_field::lines]);
    const double places = std::ldexp(chains, static_cast<int>(spec[balanced_rank_field::fingerprint_bits]));
    const double first = -std::expm1(keys * std::log1p(-1 / (lines * places)));
    fixed_load all{first * places, 0, 0};
    const line_loads line =
        loads_of(all.entries_per_line, static_cast<unsigned>(spec[balanced_rank_field::cells]));
    all.second_load = line.forwarded * lines / static_cast<double>(second_lines(spec));
    all.rate = first - (1 - first) * second_reads_of(line, chains) * std::expm1(-all.second_load / places);
    return all;
}

}  // namespace layout_choice

}  // namespace membrane
